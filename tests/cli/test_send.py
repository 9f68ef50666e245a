"""``windowpane send`` with a scripted provider: what is printed, stored and returned."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.commands import give_script, run, started, turns_in
from tests.workspaces import MODEL, does, says
from windowpane.errors import Failure
from windowpane.providers.scripted import Call, Cut, Fail, Hang, Report, Say, Think
from windowpane.turns import TurnContent
from windowpane.usage import TokenUsage

WITH_SCRIPT = ("--model", MODEL)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def object_in(out: str) -> dict[str, Any]:
    assert out.count("\n") == 1
    return json.loads(out)


def is_being_answered(content: TurnContent) -> bool:
    return content.turn.state == "sending"


def test_the_answer_is_all_that_standard_output_gets(data: Path) -> None:
    give_script(data, replies=[does(Think(chunks=("Hm.",)), Say(chunks=("One ", "journal.")))])
    outcome = run("send", *WITH_SCRIPT, "How many?", data=data)
    assert (outcome.code, outcome.out, outcome.err) == (0, "One journal.\n", "")
    [turn] = turns_in(data)
    assert [message.text for message in turn.messages] == ["How many?", "One journal."]


@pytest.mark.parametrize("words", [(), ("-",)])
def test_the_message_may_come_through_a_pipe(words: tuple[str, ...], data: Path) -> None:
    give_script(data, replies=[says("Short.", when="three\nlines\n")])
    outcome = run("send", *WITH_SCRIPT, *words, data=data, stdin="of\nthree\nlines\n")
    assert (outcome.code, outcome.out) == (0, "Short.\n")


def test_json_tells_all_of_the_answer_in_one_object(data: Path) -> None:
    usage = TokenUsage(input_tokens=12, output_tokens=3, reasoning_tokens=1)
    give_script(data, replies=[does(Say(chunks=("Three.",)), Report(usage=usage))])
    outcome = run("send", "--json", *WITH_SCRIPT, "How many?", data=data)
    [turn] = turns_in(data)
    assert (outcome.code, outcome.err) == (0, "")
    assert object_in(outcome.out) == {
        "text": "Three.",
        "model": MODEL,
        "usage": {
            "input_tokens": 12,
            "output_tokens": 3,
            "cache_read_tokens": 0,
            "cache_write_tokens": 0,
            "reasoning_tokens": 1,
            "web_searches": 0,
        },
        "finish": "stop",
        "chat_id": turn.turn.chat_id,
        "turn_id": turn.turn.id,
        "error": None,
        "waiting": [],
    }


def test_the_texts_around_tool_calls_are_printed_apart_and_their_usage_summed(data: Path) -> None:
    usage = TokenUsage(input_tokens=10, output_tokens=2)
    call = Call(call_id="c1", name="look", arguments="{}")
    replies = [
        does(Say(chunks=("Let me look.",)), call, Report(usage=usage)),
        does(Say(chunks=("Nothing there.",)), Report(usage=usage)),
    ]
    give_script(data, replies=replies)
    plain = run("send", *WITH_SCRIPT, "look", data=data)
    told = object_in(run("send", "--json", *WITH_SCRIPT, "look", data=data).out)
    assert plain.out == "Let me look.\n\nNothing there.\n"
    assert told["text"] == "Let me look.\n\nNothing there."
    assert told["usage"]["input_tokens"] == 20


def test_a_chat_goes_on_where_it_was(data: Path) -> None:
    give_script(data, replies=[says("Five.", when="two"), says("Six.", when="three")])
    first = object_in(run("send", "--json", *WITH_SCRIPT, "two", data=data).out)
    second = run("send", "--json", "--chat", first["chat_id"], *WITH_SCRIPT, "three", data=data)
    assert object_in(second.out)["chat_id"] == first["chat_id"]
    assert [turn.turn.depth for turn in turns_in(data)] == [0, 1]


def test_a_failed_answer_keeps_its_text_and_says_why(data: Path) -> None:
    failure = Failure(kind="overloaded", message="The model is busy; try later.", http_status=529)
    give_script(data, replies=[does(Say(chunks=("Half an",)), Fail(failure=failure))])
    plain = run("send", *WITH_SCRIPT, "go", data=data)
    told = run("send", "--json", *WITH_SCRIPT, "go", data=data)
    assert (plain.code, plain.out) == (1, "Half an\n")
    assert plain.complaint == "The model is busy; try later."
    assert told.code == 1
    assert object_in(told.out)["error"] == {
        "kind": "overloaded",
        "message": "The model is busy; try later.",
        "http_status": 529,
    }
    assert [turn.messages[-1].text for turn in turns_in(data)] == ["Half an", "Half an"]


def test_a_broken_connection_is_a_failure(data: Path) -> None:
    give_script(data, replies=[does(Say(chunks=("Half an",)), Cut())])
    outcome = run("send", "--json", *WITH_SCRIPT, "go", data=data)
    assert outcome.code == 1
    assert object_in(outcome.out)["error"]["kind"] == "net"


def test_interrupting_stops_the_answer_and_keeps_its_text(data: Path) -> None:
    give_script(data, replies=[does(Say(chunks=("So far",)), Hang())])
    with started("send", *WITH_SCRIPT, "go", data=data) as process:
        assert process.stdout is not None
        assert process.stdout.read(6) == "So far"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "\n"
        assert process.wait() == 130
    [turn] = turns_in(data)
    assert (turn.turn.state, turn.messages[-1].text) == ("aborted", "So far")


def test_interrupting_tells_json_what_arrived(data: Path) -> None:
    give_script(data, replies=[does(Say(chunks=("So far",)), Hang())])
    with started("send", "--json", *WITH_SCRIPT, "go", data=data) as process:
        while process.poll() is None and not any(is_being_answered(t) for t in turns_in(data)):
            pass
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        told = object_in(process.stdout.read())
        assert process.wait() == 130
    assert (told["finish"], told["error"]) == ("stopped", None)


def test_a_reader_that_leaves_ends_the_answer_and_its_text_is_kept(data: Path) -> None:
    chunks = tuple("word " for _ in range(2000))
    give_script(data, replies=[does(Say(chunks=chunks, delay_seconds=0.001))])
    with started("send", *WITH_SCRIPT, "go", data=data) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.wait() == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""
    [turn] = turns_in(data)
    assert turn.turn.state == "interrupted"
    assert turn.messages[-1].text.startswith("word ")


def test_two_processes_may_send_at_the_same_time(data: Path) -> None:
    give_script(
        data,
        replies=[does(Say(chunks=("slow",)), Hang(), when="slow"), says("quick", when="quick")],
    )
    with started("send", *WITH_SCRIPT, "slow", data=data) as slow:
        assert slow.stdout is not None
        assert slow.stdout.read(4) == "slow"
        assert run("send", *WITH_SCRIPT, "quick", data=data).out == "quick\n"
        chat_id = next(t.turn.chat_id for t in turns_in(data) if is_being_answered(t))
        busy = run("send", "--chat", chat_id, *WITH_SCRIPT, "quick", data=data)
        assert busy.code == 1
        assert busy.complaint.startswith("This chat is still answering.")


@pytest.mark.parametrize(
    ("words", "stdin", "sentence"),
    [
        ((), "", "The message is empty."),
        (("  ",), "", "The message is empty."),
        (("-",), " \n", "The message is empty."),
        (("-",), "x" * 2_000_000, "Standard input holds more than 1,000,000 bytes"),
        (("-",), b"caf\xe9", "The message is not text in UTF-8."),
        (("--model", "nobody/nothing", "hi"), "", "There is no model called nobody/nothing."),
        (("--model", "nothing", "hi"), "", "'nothing' does not fit model. It takes a model's"),
        (("--chat", "cht_nowhere", "hi"), "", "There is no chat cht_nowhere."),
        (("--project", "prj_nowhere", "hi"), "", "There is no project prj_nowhere."),
    ],
)
def test_a_refused_message_leaves_nothing_behind(
    words: tuple[str, ...], stdin: str | bytes, sentence: str, data: Path
) -> None:
    give_script(data, replies=[])
    outcome = run("send", "--json", *words, data=data, stdin=stdin)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.complaint.startswith(sentence)
    assert json.loads(run("doctor", "--json", data=data).out)["contents"] == {
        "projects": 0,
        "chats": 0,
        "turns": 0,
        "damaged": [],
    }


def test_a_longer_message_may_be_allowed(data: Path) -> None:
    give_script(data, replies=[says("Long.")])
    allowed = {"WINDOWPANE_MESSAGE_LIMIT_BYTES": "3000000"}
    outcome = run("send", *WITH_SCRIPT, data=data, stdin="x" * 2_000_000, more=allowed)
    assert (outcome.code, outcome.out) == (0, "Long.\n")


def test_a_model_that_its_provider_does_not_have_is_told(data: Path) -> None:
    give_script(data, replies=[])
    outcome = run("send", "--model", "script/other", "hi", data=data)
    assert outcome.code == 1
    assert outcome.complaint == "The script has no model called other."


def test_what_a_model_writes_reaches_a_pipe_unchanged(data: Path) -> None:
    text = "\x1b[31mred\x1b[0m \u202e \U0001f4cc é"
    give_script(data, replies=[says(text)])
    assert run("send", *WITH_SCRIPT, "hi", data=data).out == f"{text}\n"
