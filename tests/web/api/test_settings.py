"""Settings of projects, chats and topics over HTTP."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.http import Client
from tests.server import Server, in_workspace, scripted_chat
from tests.workspaces import MODEL, says
from windowpane.choices import CHOICE_NAMES
from windowpane.context.applied import Applied
from windowpane.projects import Chat
from windowpane.workspace import Workspace


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "data"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def chat(data: Path) -> Chat:
    async def prepare(workspace: Workspace) -> Chat:
        return await scripted_chat(workspace, folder=data, replies=[says("One.")] * 3)

    return in_workspace(data, prepare)


@pytest.fixture(scope="module")
def client(data: Path, chat: Chat) -> Iterator[Client]:
    server = Server(data)
    server.start()
    yield Client.let_in(server.entrance)
    server.kill()


@pytest.fixture
def project(client: Client, chat: Chat) -> str:
    """The settings of the chat's project, with nothing chosen."""
    path = f"/api/projects/{chat.project_id}/settings"
    assert client.patch(path, dict.fromkeys(CHOICE_NAMES)).json() == {}
    return path


def test_a_change_changes_what_it_names_and_null_takes_a_choice_away(
    client: Client, project: str
) -> None:
    changed = client.patch(project, {"temperature": 0.5, "max_output_tokens": "model"})
    assert changed.status == 200
    assert client.patch(project, {"day_hard_usd": 2.5, "temperature": None}).json() == {
        "max_output_tokens": "model",
        "day_hard_usd": "2.5",
    }
    assert client.get(project).json() == {"max_output_tokens": "model", "day_hard_usd": "2.5"}


@pytest.mark.parametrize(
    ("body", "key", "said"),
    [
        ({"temperature": 7}, "temperature", "It takes a number from 0 to 2, or model"),
        ({"temperature": 1, "chat_hard_usd": "-1"}, "chat_hard_usd", "above 0"),
        ({"chat_hard_usd": "NaN"}, "chat_hard_usd", "above 0"),
        ({"max_output_tokens": 2**80}, "max_output_tokens", "above 0"),
        ({"message_template": "no message"}, "message_template", "{{userMessage}}"),
        ({"temperature": "warm"}, "temperature", "It takes a number from 0 to 2, or model"),
        ({"message_metadata": ["date"]}, "", ""),
        ({"tools": {"memory": {"size": 3}}}, "", ""),
        ({"colour": "blue"}, "", "colour"),
        ({"model": "nowhere/none"}, "", "There is no model called nowhere/none"),
        ([], "", ""),
        (None, "", ""),
    ],
)
def test_what_does_not_fit_is_refused_in_words_and_changes_nothing(
    client: Client, project: str, body: object, key: str, said: str
) -> None:
    refused = client.patch(project, body)
    assert refused.status == 400
    assert said in refused.message
    assert refused.json().get("key", "") == key
    assert client.get(project).json() == {}


def test_a_chat_shows_what_applies_and_where_it_comes_from(
    client: Client, project: str, chat: Chat
) -> None:
    client.patch(project, {"temperature": 0.5, "system_prompt": "Be brief."})
    path = f"/api/chats/{chat.id}/settings"
    shown = client.patch(path, {"temperature": 0.9, "prefill": ""}).json()
    assert shown["choices"] == {"model": MODEL, "temperature": 0.9, "prefill": ""}
    applied = msgspec.convert(shown["applied"], Applied)
    assert (applied.temperature, applied.system_prompt) == (0.9, "Be brief.")
    assert set(applied.sources) == set(CHOICE_NAMES)
    assert applied.sources["temperature"] == "chat"
    assert applied.sources["system_prompt"] == "project"
    assert applied.sources["when_full"] == "default"
    assert client.get(path).json() == shown

    refused = client.patch(path, {"day_soft_usd": 1})
    assert refused.message == "day_soft_usd cannot be chosen for a chat."
    cleared = client.patch(path, {"temperature": None, "prefill": None}).json()
    assert cleared["choices"] == {"model": MODEL}


def test_a_topic_has_a_message_a_model_and_parameters(client: Client, chat: Chat) -> None:
    topic_id = client.made(f"/api/projects/{chat.project_id}/topics", {"name": "Retries"})
    path = f"/api/topics/{topic_id}"
    told = client.patch(path, {"system_message": "Mind the clock."})
    assert told.json()["system_message"] == "Mind the clock."
    changed = client.patch(f"{path}/settings", {"model": MODEL, "temperature": 0.1})
    assert changed.json()["choices"] == {"model": MODEL, "temperature": 0.1}
    assert client.get(f"{path}/settings").json() == {"model": MODEL, "temperature": 0.1}
    refused = client.patch(f"{path}/settings", {"prefill": "x"})
    assert (refused.status, refused.message) == (400, "prefill cannot be chosen for a topic.")
    assert client.delete(path).status == 204


def test_settings_can_be_tried_before_they_are_saved(client: Client, project: str) -> None:
    tried = client.post(f"{project}/check", {"message_format": "metadata", "model": MODEL})
    assert tried.status == 200
    assert str(tried.json()["example"]).startswith("<metadata>\n<timestamp>")
    refused = client.post(f"{project}/check", {"temperature": 3})
    assert (refused.status, refused.json()["key"]) == (400, "temperature")
    assert client.get(project).json() == {}


def test_a_send_may_choose_for_itself(client: Client, project: str, chat: Chat) -> None:
    path = f"/api/chats/{chat.id}"
    body = {"draft": "x", "choices": {"message_format": "template", "message_template": "plain"}}
    refused = client.post(f"{path}/plan", body)
    assert (refused.status, refused.json()["key"]) == (400, "message_template")
    sent = client.post(f"{path}/send", {"text": "x", "choices": {"temperature": 0.3}})
    assert sent.status == 201


def test_the_api_describes_every_choice(client: Client) -> None:
    described = client.get("/api/openapi.json").body.decode()
    for name in CHOICE_NAMES:
        assert f'"{name}"' in described
    assert "a number from 0 to 2, or model for its own" in described
