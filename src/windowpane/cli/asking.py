"""What ``windowpane send --once`` does, and the JSON that it prints. It opens no vault."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from windowpane.agent.once import Hearing, OnceAnswer, Question, ask, cost_at
from windowpane.cli.attached import image_in, tools_in
from windowpane.cli.described import definition_in
from windowpane.cli.exits import DONE, FAILED, INTERRUPTED
from windowpane.cli.once import OnceOptions
from windowpane.cli.pieces import Pieces
from windowpane.cli.screens import NoScreen, PlainScreen, Screen
from windowpane.cli.sending import SendError, error_from
from windowpane.cli.terminal import complain, show
from windowpane.errors import Failure, InvalidInput, MessageEmpty, ProviderFailed
from windowpane.messages import Finish
from windowpane.options import ReasoningOptions, RequestOptions
from windowpane.parts import ToolCall
from windowpane.providers.choose import Shared
from windowpane.settings import Settings
from windowpane.usage import TokenUsage

STOPPED = Failure(kind="aborted", message="You stopped the answer. This is what had arrived.")
ENDED_BADLY = "The provider ended the answer because of an error that it did not explain."


class OnceUsage(Struct, frozen=True, kw_only=True):
    input: int
    output: int
    cache_read: int
    cache_write: int
    reasoning: int


class OnceCall(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    args: object


class OnceResult(Struct, frozen=True, kw_only=True):
    """What ``--json`` prints. Every key is always there."""

    text: str
    thinking: str
    tool_calls: list[OnceCall]
    finish: Finish
    usage: OnceUsage | None
    cost_usd: float | None
    error: SendError | None
    citations: list[str]
    web_searches: int


def question_from(options: OnceOptions, *, text: str, model: str | None) -> Question:
    if not text.strip() and not options.image:
        raise MessageEmpty
    if not model:
        raise InvalidInput("--once needs --model: the name that the provider has for the model.")
    return Question(
        definition=definition_in(options.definition or ""),
        model=model,
        text=text,
        images=tuple(image_in(Path(path)) for path in options.image),
        system=options.system or "",
        tools=tools_in(Path(options.tools)) if options.tools else (),
        max_output_tokens=options.max_output,
        options=RequestOptions(
            temperature=options.temperature,
            reasoning=_reasoning(options),
            has_web_search=options.web_search,
            prefill=options.prefill or "",
            is_streamed=not options.no_stream,
        ),
    )


def ask_once(question: Question, *, settings: Settings, is_json: bool) -> int:
    screen = NoScreen() if is_json else PlainScreen()
    answer = asyncio.run(_heard(question, settings=settings, screen=screen))
    if is_json:
        show(msgspec.json.encode(result_of(answer, question=question)).decode() + "\n")
    return _exit_code(answer)


async def _heard(question: Question, *, settings: Settings, screen: Screen) -> OnceAnswer:
    """The answer as far as it came; Ctrl+C, which cancels this, ends it."""
    shared, hearing, pieces = Shared(settings), Hearing(), Pieces()
    failure: Failure | None = None
    try:
        async with aclosing(ask(question, shared=shared, at=datetime.now(UTC))) as events:
            async for event in events:
                hearing.add(event)
                for piece in pieces.of(event):
                    screen.piece(piece)
    except ProviderFailed as failed:
        failure = failed.failure
    except asyncio.CancelledError:
        hearing.break_off()
        failure = STOPPED
    finally:
        await shared.close()
    screen.end()
    return hearing.answer(failure=failure)


def result_of(answer: OnceAnswer, *, question: Question) -> OnceResult:
    cost = cost_at(question, answer.usage, at=datetime.now(UTC))
    return OnceResult(
        text=answer.text,
        thinking=answer.reasoning,
        tool_calls=[_call(call) for call in answer.tool_calls],
        finish=answer.finish,
        usage=answer.usage and _usage(answer.usage),
        cost_usd=None if cost is None or cost.is_unknown else float(cost.known_usd),
        error=answer.failure and error_from(answer.failure),
        citations=answer.citations,
        web_searches=answer.usage.web_searches if answer.usage else 0,
    )


def _reasoning(options: OnceOptions) -> ReasoningOptions | None:
    if options.effort is None and options.budget is None:
        return None
    return ReasoningOptions(effort=options.effort, budget_tokens=options.budget)


def _usage(usage: TokenUsage) -> OnceUsage:
    return OnceUsage(
        input=usage.input_tokens,
        output=usage.output_tokens,
        cache_read=usage.cache_read_tokens,
        cache_write=usage.cache_write_tokens,
        reasoning=usage.reasoning_tokens,
    )


def _call(call: ToolCall) -> OnceCall:
    return OnceCall(id=call.call_id, name=call.name, args=_arguments(call.arguments))


def _arguments(text: str) -> object:
    """What a model wrote wrongly is told as it came, under a name that no tool has."""
    if not text.strip():
        return {}
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return {"__invalid_json__": text}


def _exit_code(answer: OnceAnswer) -> int:
    if answer.failure is STOPPED:
        return INTERRUPTED
    if answer.finish != "error":
        return DONE
    complain(answer.failure.message if answer.failure else ENDED_BADLY)
    return FAILED
