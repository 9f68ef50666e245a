"""Tools that need a word, in a terminal and where nobody can be asked."""

from pathlib import Path

import msgspec
import pytest

from tests.commands import Terminal, give_script, run, turns_in
from tests.workspaces import MODEL, does, says
from windowpane.parts import ToolResult
from windowpane.providers.scripted import Call, Say
from windowpane.tools.scripted import Answer, ToolScript

WITH_SCRIPT = ("--model", MODEL)
CTRL_C, CTRL_D = "\x03", "\x04"
TOOLS = (
    ToolScript(name="look", steps=(Answer(text="an open door"),)),
    ToolScript(name="write", steps=(Answer(text="written"),), approval="ask"),
)
# A process that goes on with a turn begins the script anew: it answers by what it reads.
REPLIES = [
    says("It is written.", after="written"),
    says("Then not.", after="User rejected"),
    does(
        Say(chunks=("I write it.",)),
        Call(call_id="c1", name="look", arguments="{}"),
        Call(call_id="c2", name="write", arguments='{"path":"/a.txt"}'),
        Call(call_id="c3", name="write", arguments='{"path":"/b.txt"}'),
    ),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    give_script(folder, replies=REPLIES, tools=TOOLS)
    return folder


def results_in(data: Path) -> list[str]:
    [content] = turns_in(data)
    parts = [part for message in content.messages for part in message.parts]
    return [part.text for part in parts if isinstance(part, ToolResult)]


@pytest.mark.parametrize(
    ("option", "last", "result"),
    [("--yes", "It is written.", "written"), ("--no", "Then not.", "User rejected the tool call")],
)
def test_an_option_answers_for_the_person(option: str, last: str, result: str, data: Path) -> None:
    outcome = run("send", *WITH_SCRIPT, option, "Write it.", data=data)
    assert (outcome.code, outcome.out) == (0, f"I write it.\n\n{last}\n")
    assert results_in(data) == ["an open door", result, result]


def test_where_nobody_can_be_asked_the_answer_waits_and_can_go_on_later(data: Path) -> None:
    outcome = run("send", "--json", *WITH_SCRIPT, "Write it.", data=data)
    told = msgspec.json.decode(outcome.out, type=dict[str, object])
    assert outcome.code == 1
    assert outcome.complaint.startswith("The answer waits for a word on write, write.")
    assert told["waiting"] == [
        {"id": "c2", "name": "write", "arguments": '{"path":"/a.txt"}'},
        {"id": "c3", "name": "write", "arguments": '{"path":"/b.txt"}'},
    ]
    assert (told["error"], told["finish"]) == (None, None)
    chat = ("--chat", str(told["chat_id"]))
    assert run("send", *chat, "", data=data).code == 1
    on = run("send", *chat, "--yes", "", data=data)
    assert (on.code, on.out) == (0, "It is written.\n")
    assert results_in(data) == ["an open door", "written", "written"]
    assert run("send", *chat, "--yes", "", data=data).complaint.startswith("The message is empty.")


def test_a_message_instead_of_a_word_rejects_the_calls(data: Path) -> None:
    run("send", *WITH_SCRIPT, "Write it.", data=data)
    [waiting] = turns_in(data)
    give_script(data, replies=[says("Something else.")], tools=TOOLS)
    chat = ("--chat", waiting.turn.chat_id)
    outcome = run("send", *WITH_SCRIPT, *chat, "Something else?", data=data)
    assert (outcome.code, outcome.out) == (0, "Something else.\n")
    assert [content.turn.state for content in turns_in(data)] == ["complete", "complete"]


def test_a_person_is_asked_call_by_call(data: Path) -> None:
    with Terminal("send", *WITH_SCRIPT, "Write it.", data=data, more={}) as terminal:
        asked = terminal.until("Accept? [y/n] ")
        assert "write wants to run with:" in asked and '"path": "/a.txt"' in asked
        terminal.press("perhaps\n")
        terminal.until("Accept? [y/n] ")
        terminal.press("y\n")
        assert '"path": "/b.txt"' in terminal.until("Accept? [y/n] ")
        terminal.press("n\n")
        terminal.until("It is written.")
        assert terminal.end() == 0
    assert results_in(data) == ["an open door", "written", "User rejected the tool call"]


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
def test_who_does_not_decide_leaves_the_turn_waiting_and_is_asked_again(
    key: str, data: Path
) -> None:
    with Terminal("chat", *WITH_SCRIPT, data=data, more={}) as terminal:
        terminal.until("> ")
        terminal.press("Write it.\n")
        terminal.until("Accept? [y/n] ")
        terminal.press(key)
        terminal.until("The answer waits for a word on write")
        terminal.until("> ")
        terminal.press(CTRL_D)
        terminal.until("To go on: ")
        assert terminal.end() == 0
    [waiting] = turns_in(data)
    assert waiting.turn.state == "waiting"
    chat = ("--chat", waiting.turn.chat_id)
    with Terminal("chat", *chat, *WITH_SCRIPT, data=data, more={}) as terminal:
        for _ in range(2):
            terminal.until("Accept? [y/n] ")
            terminal.press("y\n")
        terminal.until("It is written.")
        terminal.until("> ")
        terminal.press(CTRL_D)
        assert terminal.end() == 0
    assert results_in(data) == ["an open door", "written", "written"]


def test_yes_and_no_together_are_refused(data: Path) -> None:
    outcome = run("send", *WITH_SCRIPT, "--yes", "--no", "Write it.", data=data)
    assert (outcome.code, outcome.complaint) == (2, "Give --yes or --no, not both.")
    assert turns_in(data) == []
