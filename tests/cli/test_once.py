"""``windowpane send --once``: one call to a described provider, and nothing left behind."""

import asyncio
import json
import signal
from base64 import b64decode
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image

from tests.commands import Outcome, run, started
from tests.providers.loopback import END_OF_BODY, STREAM_HEAD, Line, Loopback, loopback
from tests.workspaces import does, says
from windowpane.errors import Failure
from windowpane.providers.scripted import Call, Cut, End, Fail, Hang, Reply, Report, Say, Script
from windowpane.providers.scripted import Think as Thought
from windowpane.usage import TokenUsage

KEYS = [
    "text",
    "thinking",
    "tool_calls",
    "finish",
    "usage",
    "cost_usd",
    "error",
    "citations",
    "web_searches",
]
EVENTS = (
    b'data: {"choices": [{"index": 0, "delta": {"content": "Three."}}]}\n\n'
    b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    b'data: {"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}\n\n'
    b"data: [DONE]\n\n"
)
WHOLE = (
    b'{"choices": [{"index": 0, "message": {"content": "Three."}, "finish_reason": "stop"}],'
    b' "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}'
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder that is not there, and must not be there afterwards."""
    return tmp_path / "data"


def scripted(data: Path, *replies: Reply) -> tuple[str, ...]:
    path = data.parent / "script.json"
    path.write_bytes(msgspec.json.encode(Script(replies=replies)))
    definition = json.dumps({"family": "scripted", "base_url": str(path)})
    return ("send", "--once", "--definition", definition, "--model", "scripted")


def object_in(outcome: Outcome) -> dict[str, Any]:
    assert outcome.out.count("\n") == 1
    told = json.loads(outcome.out)
    assert list(told) == KEYS
    return told


async def say_three(line: Line) -> bool:
    await line.send(STREAM_HEAD)
    await line.send_chunk(EVENTS)
    await line.send(END_OF_BODY)
    return True


async def say_three_whole(line: Line) -> bool:
    await line.send_whole(200, WHOLE, "content-type: application/json")
    return True


def described(server: Loopback, *, model: str = "gpt-4o", **more: object) -> list[str]:
    fields = {"family": "openai_chat", "base_url": server.url, "api_key": "sk-secret", **more}
    return ["send", "--once", "--definition", json.dumps(fields), "--model", model]


async def run_beside(words: Sequence[str], *, data: Path) -> Outcome:
    return await asyncio.to_thread(run, *words, data=data)


async def test_one_call_is_made_and_nothing_is_left_behind(data: Path) -> None:
    async with loopback(say_three) as server:
        outcome = await run_beside([*described(server), "--json", "How many?"], data=data)
    assert (outcome.code, outcome.err) == (0, "")
    assert object_in(outcome) == {
        "text": "Three.",
        "thinking": "",
        "tool_calls": [],
        "finish": "stop",
        "usage": {"input": 1000, "output": 100, "cache_read": 0, "cache_write": 0, "reasoning": 0},
        "cost_usd": 0.0035,
        "error": None,
        "citations": [],
        "web_searches": 0,
    }
    [received] = server.received
    assert received.headers["authorization"] == "Bearer sk-secret"
    assert list(data.parent.iterdir()) == []


async def test_an_answer_in_one_piece_is_the_same_answer(data: Path) -> None:
    async with loopback(say_three_whole) as server:
        words = [*described(server), "--no-stream", "--json", "How many?"]
        outcome = await run_beside(words, data=data)
    told = object_in(outcome)
    assert (told["text"], told["finish"], told["cost_usd"]) == ("Three.", "stop", 0.0035)
    assert not msgspec.json.decode(server.received[0].body).get("stream")


async def test_an_unknown_price_is_null_and_one_of_ones_own_machine_is_nothing(data: Path) -> None:
    async with loopback(say_three) as server:
        asked = [*described(server, model="never-heard-of-it"), "--json", "hi"]
        assert object_in(await run_beside(asked, data=data))["cost_usd"] is None
        asked = [*described(server, is_local=True), "--json", "hi"]
        assert object_in(await run_beside(asked, data=data))["cost_usd"] == 0


async def test_what_goes_with_the_message_is_sent(data: Path) -> None:
    tools, picture = data.parent / "tools.json", data.parent / "picture.txt"
    tools.write_text(
        '[{"name": "look", "description": "Look.", "input_schema": {"type": "object"}}]'
    )
    Image.new("RGB", (3, 2)).save(picture, format="PNG")
    words = (
        *("--tools", str(tools), "--image", str(picture), "--system", "Be brief."),
        *("--temperature", "0.5", "--max-output", "50", "--json", "What is this?"),
    )
    async with loopback(say_three) as server:
        outcome = await run_beside([*described(server), *words], data=data)
    assert outcome.code == 0
    sent = msgspec.json.decode(server.received[0].body)
    assert sent["messages"][0] == {"role": "system", "content": "Be brief."}
    pictured = next(part for part in sent["messages"][1]["content"] if part["type"] == "image_url")
    address = pictured["image_url"]["url"]
    assert address.startswith("data:image/png;base64,")
    assert Image.open(BytesIO(b64decode(address.partition(",")[2]))).size == (3, 2)
    assert sent["tools"][0]["function"]["name"] == "look"
    assert sent["temperature"] == 0.5
    assert 50 in sent.values()


def test_text_streams_to_standard_output_and_nothing_else_does(data: Path) -> None:
    words = scripted(data, does(Thought(chunks=("Hm.",)), Say(chunks=("One ", "journal."))))
    outcome = run(*words, "How many?", data=data)
    assert (outcome.code, outcome.out, outcome.err) == (0, "One journal.\n", "")
    assert not data.exists()


def test_the_message_may_come_through_a_pipe(data: Path) -> None:
    words = scripted(data, says("Short.", when="three\nlines\n"))
    outcome = run(*words, data=data, stdin="of\nthree\nlines\n")
    assert (outcome.code, outcome.out) == (0, "Short.\n")


def test_tool_calls_are_told_with_their_arguments_as_json(data: Path) -> None:
    calls = [
        Call(call_id="c1", name="look", arguments='{"at": [1, 2]}'),
        Call(call_id="c2", name="look", arguments=""),
        Call(call_id="c3", name="look", arguments='{"at": '),
    ]
    told = object_in(run(*scripted(data, does(*calls)), "--json", "go", data=data))
    assert told["finish"] == "tool_use"
    assert told["tool_calls"] == [
        {"id": "c1", "name": "look", "args": {"at": [1, 2]}},
        {"id": "c2", "name": "look", "args": {}},
        {"id": "c3", "name": "look", "args": {"__invalid_json__": '{"at": '}},
    ]


def test_a_failed_answer_keeps_all_that_arrived(data: Path) -> None:
    failure = Failure(kind="overloaded", message="The model is busy; try later.", http_status=529)
    usage = TokenUsage(input_tokens=7, output_tokens=2)
    steps = (Thought(chunks=("Hm.",)), Say(chunks=("Half an",)), Report(usage=usage))
    words = scripted(data, does(*steps, Fail(failure=failure)))
    outcome = run(*words, "--json", "go", data=data)
    told = object_in(outcome)
    assert outcome.code == 1
    assert (told["text"], told["thinking"], told["finish"]) == ("Half an", "Hm.", "error")
    assert told["usage"]["input"] == 7
    assert told["error"] == {
        "kind": "overloaded",
        "message": "The model is busy; try later.",
        "http_status": 529,
    }


def test_a_failure_is_a_sentence_for_people(data: Path) -> None:
    words = scripted(data, does(Say(chunks=("Half an",)), Cut()))
    outcome = run(*words, "go", data=data)
    assert (outcome.code, outcome.out) == (1, "Half an\n")
    assert outcome.complaint == "The connection broke before the answer was complete."


def test_an_error_that_the_provider_does_not_explain_is_a_failure_too(data: Path) -> None:
    outcome = run(*scripted(data, does(End(finish="error"))), "--json", "go", data=data)
    assert outcome.code == 1
    assert object_in(outcome)["finish"] == "error"


def test_a_provider_that_nobody_reaches_is_told(data: Path) -> None:
    definition = '{"family": "openai_chat", "base_url": "http://127.0.0.1:9/v1"}'
    words = ("send", "--once", "--definition", definition, "--model", "m")
    outcome = run(*words, "--json", "go", data=data)
    told = object_in(outcome)
    assert (outcome.code, told["usage"], told["cost_usd"]) == (1, None, None)
    assert (told["error"]["kind"], told["error"]["http_status"]) == ("net", None)


def test_interrupting_shows_what_arrived(data: Path) -> None:
    words = scripted(data, does(Say(chunks=("So far",)), Hang()))
    with started(*words, "go", data=data) as process:
        assert process.stdout is not None
        assert process.stdout.read(6) == "So far"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "\n"
        assert process.wait() == 130


async def test_interrupting_tells_json_what_arrived(data: Path) -> None:
    asked = asyncio.Event()

    async def begin(line: Line) -> bool:
        await line.send(STREAM_HEAD)
        await line.send_chunk(EVENTS.partition(b"\n\n")[0] + b"\n\n")
        asked.set()
        await line.hung_up()
        return False

    async with loopback(begin) as server:
        with started(*described(server), "--json", "go", data=data) as process:
            await asked.wait()
            await asyncio.sleep(0.5)
            process.send_signal(signal.SIGINT)
            assert process.stdout is not None
            told = json.loads(await asyncio.to_thread(process.stdout.read))
            assert await asyncio.to_thread(process.wait) == 130
    # How far it had read by then is a matter of moments.
    assert "Three.".startswith(told["text"])
    assert (told["finish"], told["error"]["kind"]) == ("error", "aborted")


def test_a_definition_may_lie_in_a_file(data: Path) -> None:
    *words, definition, flag, model = scripted(data, says("Found."))
    file = data.parent / "definition.json"
    file.write_text(definition)
    outcome = run(*words, f"@{file}", flag, model, "go", data=data)
    assert (outcome.code, outcome.out) == (0, "Found.\n")


@pytest.mark.parametrize(
    ("definition", "sentence"),
    [
        ("{", "The definition is not a JSON object."),
        ("[]", "The definition is not a JSON object."),
        ("{}", "The definition has no family. The families are openai_chat, "),
        ('{"family": "oracle"}', "There is no family 'oracle'. The families are "),
        ('{"family": 3}', "There is no family 3."),
        ('{"family": "google", "key": "sk"}', "The definition has a field 'key', "),
        ('{"family": "google", "api_key": 7}', "The definition's field api_key must be text."),
        ('{"family": "google", "headers": {"a": 1}}', "The definition's field headers must be an"),
        ('{"family": "openai_chat", "base_url": "ftp://x"}', "The base URL 'ftp://x' cannot be"),
        ("@/nowhere/at/all.json", "The definition /nowhere/at/all.json cannot be read: "),
    ],
)
def test_a_definition_that_describes_nothing_is_refused(
    definition: str, sentence: str, data: Path
) -> None:
    words = ("send", "--once", "--definition", definition, "--model", "m", "--json", "go")
    outcome = run(*words, data=data)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.complaint.startswith(sentence)


DEFINED = ("--definition", '{"family": "openai_chat"}')


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--once", "go"), "--once needs --definition, which says where the model answers"),
        (("--once", *DEFINED, "go"), "--once needs --model: "),
        (("--once", *DEFINED, "--model", "m", " "), "The message is empty."),
        (("--once", *DEFINED, "--chat", "c", "go"), "--once stores nothing, so there is no place"),
        (("--once", *DEFINED, "--project", "p", "go"), "--once stores nothing, so there is no"),
        ((*DEFINED, "go"), "--definition goes with --once only."),
        (("--no-stream", "go"), "--no-stream goes with --once only."),
        (("--image", "a.png", "go"), "--image goes with --once only."),
        (("--once", "--budget", "0", "go"), "Argument --budget: '0' is not a whole number above 0"),
        (("--once", "--effort", "much", "go"), "Argument --effort: invalid choice: 'much'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    words: tuple[str, ...], sentence: str, data: Path
) -> None:
    outcome = run("send", *words, data=data)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.complaint.startswith(sentence)
    assert not data.exists()


@pytest.mark.parametrize("option", ["--tools", "--image"])
def test_a_file_that_is_not_there_is_named(option: str, data: Path) -> None:
    outcome = run(*scripted(data, says("No.")), option, "missing.json", "go", data=data)
    assert outcome.code == 2
    assert "missing.json cannot be read: No such file or directory." in outcome.complaint
