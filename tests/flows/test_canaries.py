"""Nothing that a person wrote, chose or connected lies readable on a disk."""

import random
import string
from pathlib import Path

import pytest

from tests import machine
from tests.http import Client
from tests.postgres import private_postgres
from tests.server import Server, in_workspace, scripted_chat
from tests.workspaces import MODEL, ask, does, new_chat, until_text, workspace_over
from windowpane.agent.search import SearchScope
from windowpane.agent.turns import TurnMarks
from windowpane.asking import SendRequest
from windowpane.choices import Choices, chosen_names
from windowpane.definitions import ProviderDefinition
from windowpane.errors import Failure
from windowpane.ids import new_id
from windowpane.projects import Chat
from windowpane.providers.scripted import Call, Fail, Hang, Reply, Report, Say, Think
from windowpane.storage.choose import store_from
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace


class Canaries:
    """Twenty random letters for every field, so that finding them is no accident."""

    def __init__(self) -> None:
        self._random = random.Random()
        self.words: dict[str, str] = {}

    def __getitem__(self, field: str) -> str:
        if field not in self.words:
            letters = self._random.choices(string.ascii_lowercase, k=20)
            self.words[field] = "".join(letters)
        return self.words[field]

    def found_below(self, folder: Path) -> list[str]:
        return [
            f"{field} in {path.name}"
            for path in folder.rglob("*")
            if path.is_file()
            for contents in [path.read_bytes()]
            for field, word in self.words.items()
            if any(form in contents for form in _forms(word))
        ]


def _forms(word: str) -> tuple[bytes, ...]:
    return word.encode(), word.encode("utf-16-le"), word.upper().encode(), word[:12].encode()


def replies(canaries: Canaries) -> tuple[Reply, ...]:
    error = Failure(kind="invalid", message=f"refused because of {canaries['error']}")
    return (
        does(
            Think(chunks=(canaries["reasoning"],)),
            # It goes on from a beginning that it was given.
            Say(chunks=(f" {canaries['answer']}",)),
            Call(call_id="c1", name=canaries["tool"], arguments=f'"{canaries["arguments"]}"'),
            Report(usage=TokenUsage(input_tokens=5, output_tokens=5)),
        ),
        does(Say(chunks=(canaries["second answer"],))),
        does(Say(chunks=(f" {canaries['half an answer']}",)), Fail(failure=error)),
        does(Say(chunks=(canaries["open answer"],)), Hang()),
    )


async def use_everything(workspace: Workspace, chat_id: str, canaries: Canaries) -> None:
    chat = await workspace.chat(chat_id)
    await workspace.rename_project(chat.project_id, name=canaries["project"])
    template = f"{canaries['template']} {{{{userMessage}}}}"
    chosen = Choices(
        system_prompt=canaries["system prompt"],
        prefill=canaries["prefill"],
        message_format="template",
        message_template=template,
        tools={canaries["tool name"]: {canaries["tool option"]: canaries["tool value"]}},
    )
    await workspace.choices.change_project(chat.project_id, chosen, names=chosen_names(chosen))
    topic = await workspace.topics.create(
        chat.project_id, name=canaries["topic"], parent_id=None, at=chat.created_at
    )
    await workspace.topics.instruct(topic.id, system_message=canaries["topic message"])
    await workspace.choices.change_chat(
        chat_id, Choices(prefill=canaries["chat prefill"]), names=["prefill"]
    )
    await workspace.views.save(
        chat.project_id,
        name=canaries["view"],
        filter_text=f"c'{canaries['filter']}'",
        at=chat.created_at,
    )
    await workspace.models.add(
        ProviderDefinition(
            id=new_id("provider"),
            name=canaries["provider"],
            family="openai_chat",
            base_url=f"http://127.0.0.1:9/{canaries['url']}",
            api_key=canaries["api key"],
        )
    )
    answered = await ask(workspace, chat_id, canaries["text"])
    await workspace.turns.mark(answered.turn.id, TurnMarks(star=3, topic_id=topic.id))
    failed = await ask(workspace, chat_id, canaries["failing text"])
    await workspace.rename_chat(chat_id, title=canaries["title"])
    await find_everything(workspace, chat_id, canaries)
    await workspace.fork(chat_id, turn_id=answered.turn.id)
    await workspace.delete_turn(failed.turn.id)
    deleted = await workspace.create_project(name=canaries["deleted project"])
    await workspace.create_chat(deleted.id)
    await workspace.delete_project(deleted.id)


async def find_everything(workspace: Workspace, chat_id: str, canaries: Canaries) -> None:
    """What was written is in the index now, and the index on the disk."""
    scope = SearchScope(chat_id=chat_id)
    for field in ("text", "answer", "arguments", "half an answer"):
        found = await workspace.search(canaries[field], scope=scope, limit=5)
        assert found.turns, field
    await workspace.search(f"{canaries['query']}*", scope=scope, limit=5)


@pytest.fixture
def canaries() -> Canaries:
    return Canaries()


def test_the_folder_of_a_used_and_killed_server_holds_no_readable_word(
    tmp_path: Path, canaries: Canaries
) -> None:
    data, elsewhere = tmp_path / "served" / "data", tmp_path / "script"
    data.mkdir(parents=True)
    elsewhere.mkdir()

    async def prepare(workspace: Workspace) -> Chat:
        chat = await scripted_chat(workspace, folder=elsewhere, replies=replies(canaries))
        await use_everything(workspace, chat.id, canaries)
        return chat

    chat = in_workspace(data, prepare)
    server = Server(data)
    server.start()
    client = Client.let_in(server.entrance)
    # The script starts again with the server: play it up to the reply that never ends.
    for text in ("question", "failing question"):
        _answered(client, chat.id, f"{text} {canaries[text]}")
    client.post(f"/api/chats/{chat.id}/send", {"text": canaries["open question"]})
    _until_open(client, chat.id, canaries["open answer"])
    client.get(f"/api/chats/{canaries['wrong address']}")
    found = client.get(f"/api/search?q={canaries['question']}%20{canaries['other query']}")
    assert canaries["question"] in found.body.decode()
    client.post(f"/api/chats/{chat.id}/send", {"text": "", "model": canaries["model"]})
    server.kill()

    assert canaries.found_below(tmp_path / "served") == []
    assert len(canaries.words) >= 20


def _answered(client: Client, chat_id: str, text: str) -> None:
    position = str(client.get(f"/api/chats/{chat_id}/turns").json()["position"])
    assert client.post(f"/api/chats/{chat_id}/send", {"text": text}).status == 201
    with client.events(chat_id, after=position) as events:
        for event in events:
            if '"turn_ended"' in str(event).replace("'", '"'):
                return


def _until_open(client: Client, chat_id: str, wanted: str) -> None:
    """Wait until the open part was flushed with the text in it."""
    with client.events(chat_id, after="") as events:
        for event in events:
            if wanted in str(event):
                break
    while wanted not in client.get(f"/api/chats/{chat_id}/turns").body.decode():
        pass


async def test_a_postgres_server_never_holds_a_readable_word(
    data_dir: Path, canaries: Canaries
) -> None:
    binaries = machine.postgres_binaries()
    if binaries is None:
        machine.give_up(machine.POSTGRES_MISSING)
    with private_postgres(binaries) as server:
        store = store_from(server.url("postgres"))
        async with workspace_over(store, folder=data_dir, replies=replies(canaries)) as workspace:
            chat_id = await new_chat(workspace)
            await use_everything(workspace, chat_id, canaries)
            await workspace.send(chat_id, SendRequest(text=canaries["open text"], model=MODEL))
            await until_text(workspace, chat_id, canaries["open answer"])
        server.stop()
        assert canaries.found_below(server.folder) == []


def test_a_canary_that_sings_is_heard(tmp_path: Path, canaries: Canaries) -> None:
    (tmp_path / "log").write_text(f"sent {canaries['text']} to a model")
    assert canaries.found_below(tmp_path) == ["text in log"]
