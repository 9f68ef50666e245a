"""``windowpane chat`` at a terminal and behind a pipe."""

from pathlib import Path

import pytest

from tests.commands import Terminal, give_script, run, turns_in
from tests.workspaces import MODEL, does, says
from windowpane.errors import Failure
from windowpane.providers.scripted import Fail, Hang, Say, Think

WITH_SCRIPT = ("--model", MODEL)
CTRL_C, CTRL_D = "\x03", "\x04"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def at_terminal(*words: str, data: Path) -> Terminal:
    return Terminal("chat", *words, data=data, more={})


def test_lines_from_a_pipe_are_sent_one_after_the_other_into_one_chat(data: Path) -> None:
    give_script(data, replies=[says("Five.", when="two"), says("Six.\n", when="three")])
    outcome = run("chat", *WITH_SCRIPT, data=data, stdin="two\n\n  \nthree\n")
    assert (outcome.code, outcome.out, outcome.err) == (0, "Five.\nSix.\n", "")
    turns = turns_in(data)
    assert [turn.messages[0].text for turn in turns] == ["two", "three"]
    assert len({turn.turn.chat_id for turn in turns}) == 1


def test_no_line_no_chat(data: Path) -> None:
    give_script(data, replies=[])
    assert run("chat", *WITH_SCRIPT, data=data, stdin="\n").code == 0
    assert turns_in(data) == []


def test_a_pipe_ends_at_the_first_line_that_is_not_answered(data: Path) -> None:
    busy = Fail(failure=Failure(kind="model", message="The model is busy."))
    give_script(data, replies=[says("Five.", when="two"), does(busy, when="three")])
    outcome = run("chat", *WITH_SCRIPT, data=data, stdin="two\nthree\nfour\n")
    assert (outcome.code, outcome.out) == (1, "Five.\n")
    assert outcome.complaint == "The model is busy."
    assert len(turns_in(data)) == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--chat", "cht_nowhere"), "There is no chat cht_nowhere."),
        (("--model", "nobody/nothing"), "There is no model called nobody/nothing."),
    ],
)
def test_an_unknown_chat_or_model_is_refused_before_anything_is_read(
    words: tuple[str, ...], sentence: str, data: Path
) -> None:
    give_script(data, replies=[])
    outcome = run("chat", *words, data=data, stdin="hi\n")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.complaint.startswith(sentence)


def test_bytes_that_are_no_text_are_refused(data: Path) -> None:
    give_script(data, replies=[])
    outcome = run("chat", *WITH_SCRIPT, data=data, stdin=b"caf\xe9\n")
    assert outcome.code == 2
    assert outcome.complaint.startswith("The message is not text in UTF-8.")


def test_a_person_asks_reads_and_leaves(data: Path) -> None:
    give_script(data, replies=[says("Five.", when="two"), says("Six.", when="three")])
    with at_terminal(*WITH_SCRIPT, data=data) as terminal:
        terminal.until("> ")
        terminal.press("two\n")
        terminal.until("Five.")
        terminal.until("> ")
        terminal.press("three\n")
        terminal.until("Six.")
        terminal.until("> ")
        terminal.press(CTRL_D)
        assert terminal.end() == 0
    chat_id = turns_in(data)[0].turn.chat_id
    assert f"windowpane chat --chat {chat_id}" in terminal.seen


def test_a_chat_is_picked_up_again(data: Path) -> None:
    give_script(data, replies=[says("Five.", when="two"), says("Six.", when="three")])
    run("send", *WITH_SCRIPT, "two", data=data)
    chat_id = turns_in(data)[0].turn.chat_id
    with at_terminal("--chat", chat_id, *WITH_SCRIPT, data=data) as terminal:
        terminal.until("Going on with: two")
        terminal.until("> ")
        terminal.press("three\n")
        terminal.until("Six.")
        terminal.until("> ")
        terminal.press(CTRL_D)
        assert terminal.end() == 0
    assert [turn.turn.depth for turn in turns_in(data)] == [0, 1]


def test_ctrl_c_stops_an_answer_and_the_talk_goes_on(data: Path) -> None:
    endless = does(Say(chunks=("Once upon a time",)), Hang(), when="story")
    give_script(data, replies=[endless, says("Five.", when="two")])
    with at_terminal(*WITH_SCRIPT, data=data) as terminal:
        terminal.until("> ")
        terminal.press("story\n")
        terminal.until("Once upon a time")
        terminal.press(CTRL_C)
        terminal.until("> ")
        terminal.press("two\n")
        terminal.until("Five.")
        terminal.until("> ")
        terminal.press(CTRL_D)
        assert terminal.end() == 0
    assert [turn.turn.state for turn in turns_in(data)] == ["aborted", "complete"]
    assert turns_in(data)[0].messages[-1].text == "Once upon a time"


def test_ctrl_c_at_the_prompt_clears_the_line(data: Path) -> None:
    give_script(data, replies=[says("Five.")])
    with at_terminal(*WITH_SCRIPT, data=data) as terminal:
        terminal.until("> ")
        terminal.press("never mind")
        terminal.until("never mind")
        terminal.press(CTRL_C)
        terminal.until("> ")
        terminal.press("two\n")
        terminal.until("Five.")
        terminal.until("> ")
        terminal.press(CTRL_D)
        assert terminal.end() == 0
    assert [turn.messages[0].text for turn in turns_in(data)] == ["two"]


def test_a_failure_is_told_and_the_talk_goes_on(data: Path) -> None:
    busy = Fail(failure=Failure(kind="model", message="The model is busy."))
    give_script(data, replies=[does(busy, when="one"), says("Five.", when="two")])
    with at_terminal(*WITH_SCRIPT, data=data) as terminal:
        terminal.until("> ")
        terminal.press("one\n")
        terminal.until("windowpane: The model is busy.")
        terminal.until("> ")
        terminal.press("two\n")
        terminal.until("Five.")


def test_reasoning_is_dimmed_and_control_characters_do_nothing(data: Path) -> None:
    spoken = does(Think(chunks=("Let me think.",)), Say(chunks=("\x1b]0;owned\x07Red\r.",)))
    give_script(data, replies=[spoken])
    with at_terminal(*WITH_SCRIPT, data=data) as terminal:
        terminal.until("> ")
        terminal.press("go\n")
        terminal.until("Red.")
    assert "\x1b[2mLet me think.\x1b[0m" in terminal.seen
    assert "\x1b]0;" not in terminal.seen
    assert "\x07" not in terminal.seen
