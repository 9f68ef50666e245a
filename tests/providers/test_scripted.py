import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.providers.asking import answered, asked, first_delta, heard, streamed
from windowpane.definitions import ModelInfo
from windowpane.errors import Failure, InvalidInput
from windowpane.events import PartDelta, PartDone, PartStarted
from windowpane.parts import Reasoning, Text, ToolCall
from windowpane.providers.scripted import (
    LABEL,
    Call,
    Cut,
    End,
    Fail,
    Hang,
    Reply,
    Report,
    Say,
    Script,
    ScriptedProvider,
    Step,
    Think,
    load_script,
)
from windowpane.usage import TokenUsage


def scripted(*replies: Reply) -> ScriptedProvider:
    return ScriptedProvider(Script(replies=replies))


def reply(*steps: Step) -> Reply:
    return Reply(steps=steps)


def says(text: str) -> Reply:
    return reply(Say(chunks=(text,)))


async def test_every_kind_of_step_is_played_in_order() -> None:
    usage = TokenUsage(input_tokens=7, output_tokens=3)
    provider = scripted(
        reply(
            Think(chunks=("Hm", "m.")),
            Say(chunks=("Let me ", "look.")),
            Call(call_id="c1", name="look", arguments='{"at": "sky"}'),
            Call(call_id="c2", name="listen", arguments=""),
            Report(usage=usage),
        )
    )
    answer = await answered(provider, asked("Weather?", model="scripted"))
    assert answer.parts == (
        Reasoning(text="Hmm."),
        Text(text="Let me look."),
        ToolCall(call_id="c1", name="look", arguments='{"at": "sky"}'),
        ToolCall(call_id="c2", name="listen", arguments=""),
    )
    assert (answer.usage, answer.finish, answer.failure) == (usage, "tool_use", None)


async def test_a_reply_without_calls_stops_unless_it_says_otherwise() -> None:
    provider = scripted(says("One"), reply(Say(chunks=("Two",)), End(finish="length")))
    question = asked("Count", model="scripted")
    assert (await answered(provider, question)).finish == "stop"
    assert (await answered(provider, question)).finish == "length"


async def test_each_chunk_is_one_delta_and_text_steps_continue_one_part() -> None:
    provider = scripted(reply(Say(chunks=("a", "b")), Say(chunks=("c",), delay_seconds=0.001)))
    events, _ = await heard(provider, asked("Spell", model="scripted"))
    assert events[:-1] == [
        PartStarted(kind="text"),
        PartDelta(text="a"),
        PartDelta(text="b"),
        PartDelta(text="c"),
        PartDone(part=Text(text="abc")),
    ]


async def test_replies_are_taken_in_order_and_by_what_the_user_said() -> None:
    provider = scripted(
        Reply(steps=(Say(chunks=("Sunny.",)),), when="weather"),
        says("First."),
        says("Second."),
        Reply(steps=(Say(chunks=("Again.",)),), is_repeatable=True),
    )
    said = [
        (await answered(provider, asked(text, model="scripted"))).text
        for text in ("Hello", "What weather?", "More", "What weather?", "More")
    ]
    assert said == ["First.", "Sunny.", "Second.", "Again.", "Again."]


async def test_a_script_that_is_used_up_says_so() -> None:
    failure = (await answered(scripted(), asked("Anyone?", model="scripted"))).failure
    assert failure == Failure(kind="invalid", message="The script has no reply left for 'Anyone?'.")


async def test_a_model_the_script_does_not_name_is_refused() -> None:
    answer = await answered(scripted(says("Hi")), asked("Hello", model="other"))
    assert answer.failure is not None
    assert answer.failure.kind == "model"


async def test_an_error_keeps_what_was_said_before_it() -> None:
    failure = Failure(kind="quota", message="Slow down.", retry_after_seconds=4)
    provider = scripted(reply(Say(chunks=("So far",)), Fail(failure=failure)))
    answer = await answered(provider, asked("Go", model="scripted"))
    assert (answer.text, answer.failure, answer.finish) == ("So far", failure, None)


async def test_a_cut_is_a_net_failure_with_the_text_so_far() -> None:
    provider = scripted(reply(Say(chunks=("So far",)), Cut()))
    answer = await answered(provider, asked("Go", model="scripted"))
    assert answer.text == "So far"
    assert answer.failure is not None
    assert answer.failure.kind == "net"


async def test_a_hanging_reply_leaves_its_part_open_and_can_be_cancelled() -> None:
    provider = scripted(reply(Say(chunks=("Wait",)), Hang()), says("Next."))
    question = asked("Go", model="scripted")
    async with aclosing(streamed(provider, question)) as stream:
        assert await first_delta(stream) == "Wait"
        silence = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.01)
        assert not silence.done()
        silence.cancel()
        with pytest.raises(asyncio.CancelledError):
            await silence
    assert (await answered(provider, question)).text == "Next."


async def test_the_provider_remembers_what_it_was_asked() -> None:
    provider = scripted(says("Hi"))
    question = asked("Hello", model="scripted", system="Be kind.")
    await answered(provider, question)
    assert list(provider.requests) == [question]


async def test_models_are_the_scripts_and_labelled() -> None:
    models = (ModelInfo(name="small", context_window_tokens=100), ModelInfo(name="big", label="x"))
    provider = ScriptedProvider(Script(replies=(), models=models))
    assert await provider.models() == [
        ModelInfo(name="small", context_window_tokens=100, label=LABEL),
        ModelInfo(name="big", label="x"),
    ]


JSON_SCRIPT = """
{"replies": [{"when": "weather", "steps": [
  {"type": "text", "chunks": ["Sun", "ny"], "delay_seconds": 0.5},
  {"type": "error", "failure": {"kind": "overloaded", "message": "Busy."}}]}]}
"""
TOML_SCRIPT = """
[[replies]]
when = "weather"
steps = [
  {type = "text", chunks = ["Sun", "ny"], delay_seconds = 0.5},
  {type = "error", failure = {kind = "overloaded", message = "Busy."}},
]
"""


@pytest.mark.parametrize(("name", "text"), [("a.json", JSON_SCRIPT), ("a.toml", TOML_SCRIPT)])
def test_a_script_is_read_from_a_file(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    busy = Fail(failure=Failure(kind="overloaded", message="Busy."))
    sunny = Say(chunks=("Sun", "ny"), delay_seconds=0.5)
    assert load_script(path) == Script(replies=(Reply(when="weather", steps=(sunny, busy)),))


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        '{"replies": [{"steps": [{"type": "sing"}]}]}',
        '{"replies": [{"steps": [{"type": "hang"}, {"type": "cut"}]}]}',
        '{"replies": [], "extra": 1}',
    ],
)
def test_a_script_that_makes_no_sense_is_refused_with_its_path(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=r"bad\.json cannot be used"):
        load_script(path)


def test_a_script_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nowhere\.json"):
        load_script(tmp_path / "nowhere.json")
