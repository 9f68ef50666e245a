"""Tool calls carried out: whatever a tool does, its call ends with a result."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest
from msgspec import structs

from windowpane.agent.equipment import Equipment, Equipped
from windowpane.agent.verdicts import Allowed, Asking, Refused, verdict_on
from windowpane.agent.working import carried_out
from windowpane.events import ToolEnded, ToolEvent, ToolProgressed, ToolStarted
from windowpane.parts import ToolCall, ToolResult
from windowpane.toolbox import Approval, ToolOptions
from windowpane.tools.base import Arguments, Output, Step, Surroundings
from windowpane.tools.history import Hits
from windowpane.tools.scripted import (
    Answer,
    Break,
    Give,
    Hang,
    PlayedStep,
    ScriptedTool,
    Tell,
    ToolScript,
    Wait,
)
from windowpane.turns import Decision


class NoPast:
    async def search(self, query: str, *, limit: int) -> Hits:
        return Hits(best=(), has_more=False)

    async def read(self, handle: str) -> str | None:
        return None


SURROUNDINGS = Surroundings(chat_id="cht_1", turn_id="trn_1", history=NoPast())


def equipped(
    name: str,
    *steps: PlayedStep,
    approval: Approval = "always",
    is_simple: bool = True,
    timeout_seconds: float = 60.0,
) -> Equipped:
    tool = ScriptedTool(
        ToolScript(name=name, steps=steps, is_simple=is_simple, timeout_seconds=timeout_seconds)
    )
    described = tool.description({})
    return Equipped(
        tool=tool,
        options={},
        approval=approval,
        description=described.text,
        schema={"type": "object", "required": ["at"]},
    )


def equipment(*tools: Equipped) -> Equipment:
    return Equipment(tools=tools, surroundings=SURROUNDINGS, result_characters=100)


def call(name: str, call_id: str = "", arguments: str = '{"at": "door"}') -> ToolCall:
    return ToolCall(call_id=call_id or name, name=name, arguments=arguments)


async def events_of(tools: Sequence[Equipped]) -> list[ToolEvent]:
    wholes: dict[str, str] = {}

    def keep_whole(name: str, text: str) -> str:
        wholes[f"out_{name}"] = text
        return f"out_{name}"

    verdicts = [verdict_on(call(tool.name), equipment(*tools), decision=None) for tool in tools]
    allowed = [verdict for verdict in verdicts if isinstance(verdict, Allowed)]
    work = carried_out(allowed, result_characters=100, keep_whole=keep_whole)
    events = [event async for event in work]
    for event in events:
        if isinstance(event, ToolEnded) and event.result.output_id:
            assert wholes[event.result.output_id]
    return events


async def result_of(*steps: PlayedStep, timeout_seconds: float = 60.0) -> ToolResult:
    events = await events_of([equipped("look", *steps, timeout_seconds=timeout_seconds)])
    assert isinstance(events[0], ToolStarted)
    assert isinstance(events[-1], ToolEnded)
    return events[-1].result


async def test_a_call_begins_tells_how_it_goes_and_ends() -> None:
    steps = (Tell(message="half", fraction=0.5), Give(text="some"), Answer(text="all"))
    started, told, ended = await events_of([equipped("look", *steps)])
    assert started == ToolStarted(call_id="look", name="look")
    assert told == ToolProgressed(call_id="look", message="half", fraction=0.5)
    assert ended == ToolEnded(result=ToolResult(call_id="look", name="look", text="all"))


async def test_progress_that_comes_too_fast_is_joined_and_output_never_lost() -> None:
    steps = [Give(text=f"{number},") for number in range(500)]
    events = await events_of([equipped("count", *steps, Wait(seconds=0.3), Answer(text="done"))])
    told = [event for event in events if isinstance(event, ToolProgressed)]
    assert len(told) < 5
    assert "".join(event.output for event in told) == "".join(f"{n}," for n in range(500))


async def test_a_tool_that_breaks_gives_an_error_with_what_it_had_given() -> None:
    result = await result_of(Give(text="half of it"), Break(message="oh no"))
    assert result.is_error
    assert result.text == "half of it\n\nThe tool look broke: RuntimeError('oh no')."


async def test_a_tool_that_takes_too_long_is_stopped() -> None:
    result = await result_of(Give(text="so far"), Hang(), timeout_seconds=0.05)
    assert result.is_error
    assert result.text == "so far\n\nIt took longer than 0.05 seconds and was stopped."


@pytest.mark.parametrize("is_own_task", [True, False])
async def test_a_tool_that_is_cancelled_from_within_gives_an_error(is_own_task: bool) -> None:
    class Cancelling(ScriptedTool):
        async def execute(
            self, arguments: Arguments, *, options: ToolOptions, surroundings: Surroundings
        ) -> AsyncGenerator[Step, None]:
            yield Output(text="half of it")
            task = asyncio.current_task() if is_own_task else asyncio.create_task(asyncio.sleep(60))
            assert task is not None
            task.cancel()
            await (asyncio.sleep(60) if is_own_task else task)

    tool = structs.replace(equipped("look"), tool=Cancelling(ToolScript(name="look", steps=())))
    async with asyncio.timeout(20):
        *_, other, ended = await events_of([tool, equipped("wait", Answer(text="fine"))])
    results = {one.result.name: one.result for one in (other, ended) if isinstance(one, ToolEnded)}
    assert results["wait"].text == "fine"
    assert results["look"].is_error
    assert results["look"].text == "half of it\n\nThe tool look gave up."


async def test_a_tool_that_forgets_its_result_gives_an_error() -> None:
    result = await result_of(Tell(message="working"))
    assert (result.text, result.is_error) == ("The tool look ended without a result.", True)


async def test_a_long_result_is_bounded_and_its_whole_is_put_by() -> None:
    result = await result_of(Answer(text="x" * 500))
    assert result.output_id == "out_look"
    assert result.text.count("x") == 100
    assert "400 of 500 characters are left out here" in result.text


async def test_half_a_character_cannot_break_what_is_sent_later() -> None:
    result = await result_of(Give(text="\ud83d"), Answer(text="a\ud83db"))
    assert result.text == "a\ufffdb"


async def test_simple_tools_run_beside_each_other_the_others_one_by_one() -> None:
    def tool(name: str, *, is_simple: bool) -> Equipped:
        return equipped(name, Wait(seconds=0.01), Answer(text="ok"), is_simple=is_simple)

    tools = [
        tool("a", is_simple=False),
        tool("b", is_simple=True),
        tool("c", is_simple=False),
        tool("d", is_simple=True),
    ]
    order = [
        ("+" if isinstance(event, ToolStarted) else "-") + _name(event)
        for event in await events_of(tools)
    ]
    assert order[:2] == ["+b", "+d"]
    assert order[4:] == ["+a", "-a", "+c", "-c"]


async def test_more_calls_than_may_run_at_once_all_end() -> None:
    tools = [equipped(f"t{n}", Wait(seconds=0.001), Answer(text=str(n))) for n in range(40)]
    events = await events_of(tools)
    assert sum(isinstance(event, ToolEnded) for event in events) == 40


async def test_who_stops_listening_stops_the_tools() -> None:
    verdict = verdict_on(call("wait"), equipment(equipped("wait", Hang())), decision=None)
    assert isinstance(verdict, Allowed)
    work = carried_out([verdict], result_characters=100, keep_whole=lambda name, text: "")
    assert isinstance(await anext(work), ToolStarted)
    before = asyncio.all_tasks()
    await work.aclose()
    assert len(asyncio.all_tasks()) == len(before) - 1


@pytest.mark.parametrize(
    ("approval", "decision", "outcome"),
    [
        ("always", None, Allowed),
        ("always", "reject", Refused),
        ("ask", None, Asking),
        ("ask", "accept", Allowed),
        ("ask", "reject", Refused),
        ("never", None, Refused),
        ("never", "accept", Refused),
    ],
)
def test_a_call_runs_only_if_it_may(
    approval: Approval, decision: Decision | None, outcome: type
) -> None:
    tools = equipment(equipped("look", approval=approval))
    assert isinstance(verdict_on(call("look"), tools, decision=decision), outcome)


def test_nobody_is_asked_about_a_call_that_cannot_run() -> None:
    tools = equipment(equipped("look", approval="ask"))
    unknown = verdict_on(call("loook"), tools, decision=None)
    assert isinstance(unknown, Refused)
    assert unknown.sentence == "There is no tool called loook. There is: look."
    wrong = verdict_on(call("look", arguments="{}"), tools, decision=None)
    assert isinstance(wrong, Refused)
    assert "The argument at is missing." in wrong.sentence


def _name(event: ToolEvent) -> str:
    return event.result.name if isinstance(event, ToolEnded) else event.call_id
