"""Killed while a tool runs, and while a turn waits: nothing is lost, and the chat goes on."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.http import Client
from tests.server import Server, in_workspace, scripted_chat
from tests.workspaces import does, says
from windowpane.parts import ToolResult
from windowpane.projects import Chat
from windowpane.providers.scripted import Call, Say
from windowpane.tools.scripted import Answer, Give, Hang, ToolScript
from windowpane.turns import TurnContent
from windowpane.workspace import Workspace

TOOLS = (
    ToolScript(name="look", steps=(Answer(text="an open door"),)),
    ToolScript(name="hanging", steps=(Give(text="half of it"), Hang())),
    ToolScript(name="write", steps=(Answer(text="written"),), approval="ask"),
)


def call(name: str) -> Call:
    return Call(call_id=name, name=name, arguments="{}")


REPLIES = [
    # What a model says depends on what it reads, also in a process that was not there before.
    says("It is written.", when="write", after="written"),
    does(Say(chunks=("I look.",)), call("look"), call("write"), when="write"),
    does(Say(chunks=("I begin.",)), call("look"), call("hanging"), when="hang"),
    says("And goes on.", when="second"),
]


class Page(msgspec.Struct, frozen=True):
    turns: tuple[TurnContent, ...]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Server, Chat]]:
    data = tmp_path / "data"
    data.mkdir()

    async def prepare(workspace: Workspace) -> Chat:
        return await scripted_chat(workspace, folder=data, replies=REPLIES, tools=TOOLS)

    chat = in_workspace(data, prepare)
    server = Server(data)
    server.start()
    yield server, chat
    server.kill()


def newest(client: Client, chat_id: str) -> TurnContent:
    body = client.get(f"/api/chats/{chat_id}/turns").body
    return msgspec.json.decode(body, type=Page).turns[-1]


def until_state(client: Client, chat_id: str, state: str) -> TurnContent:
    while (content := newest(client, chat_id)).turn.state != state:
        pass
    return content


def test_a_server_killed_while_a_tool_runs_keeps_what_had_ended(
    served: tuple[Server, Chat], tmp_path: Path
) -> None:
    server, chat = served
    client = Client.let_in(server.entrance)
    client.post(f"/api/chats/{chat.id}/send", {"text": "hang"})
    _until_on_disk(tmp_path / "data", chat.id, output="half of it")
    server.kill()
    server.start()

    content = newest(client, chat.id)
    assert content.turn.state == "interrupted"
    body = msgspec.json.encode(content.messages).decode()
    assert "I begin." in body
    assert body.count('"tool_result"') == 1
    assert "an open door" in body
    assert client.post(f"/api/chats/{chat.id}/send", {"text": "second"}).status == 201
    assert until_state(client, chat.id, "complete").messages[-1].text == "And goes on."


def test_a_turn_that_waits_survives_a_killed_server_and_is_decided_afterwards(
    served: tuple[Server, Chat],
) -> None:
    server, chat = served
    client = Client.let_in(server.entrance)
    client.post(f"/api/chats/{chat.id}/send", {"text": "write"})
    waiting = until_state(client, chat.id, "waiting")
    server.kill()
    server.start()

    assert newest(client, chat.id) == waiting
    path = f"/api/turns/{waiting.turn.id}/approve"
    assert client.post(path, {"decisions": {"write": "perhaps"}}).status == 400
    assert client.post(path, {"decisions": {"look": "accept"}}).status == 400
    assert client.post(path, {"decisions": {"write": "accept"}}).status == 200
    again = client.post(path, {"decisions": {"write": "accept"}})
    assert (again.status, again.json()["code"]) == (409, "not_waiting")
    content = until_state(client, chat.id, "complete")
    assert content.messages[-1].text == "It is written."
    results = [part for part in content.messages[2].parts if isinstance(part, ToolResult)]
    assert [result.text for result in results] == ["an open door", "written"]
    totals = client.get(f"/api/turns/{waiting.turn.id}/totals").json()
    assert totals["calls"] == 2


def _until_on_disk(data: Path, chat_id: str, *, output: str) -> None:
    """Another process on the same vault sees only what is on disk."""

    async def outputs(workspace: Workspace) -> list[str]:
        page = await workspace.page(chat_id, before_depth=None, limit=1)
        return [run.output for run in page.tool_runs]

    while output not in in_workspace(data, outputs):
        pass
