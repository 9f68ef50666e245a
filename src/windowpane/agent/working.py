"""Calls carried out: simple tools beside each other, the others one after the other.

Whatever a tool does, its call ends with a result: a fault, a time-out or arguments that do not fit
are told to the model like any other outcome.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from functools import partial

from windowpane.agent.verdicts import Allowed
from windowpane.errors import WindowpaneError
from windowpane.events import ToolEnded, ToolEvent, ToolProgressed, ToolStarted
from windowpane.parts import ToolResult
from windowpane.tools.base import Output, Progress, Result
from windowpane.tools.bounds import bounded, storable

logger = logging.getLogger(__name__)

# A model may ask for a hundred things at once.
MOST_AT_ONCE = 8
# Faster than this nobody can read how far a tool is.
TELL_SECONDS = 0.2
# How long a tool may take to let go when it is stopped.
GRACE_SECONDS = 5.0
# What is told of a call's output while it runs.
LIVE_LIMIT_CHARACTERS = 200_000
# Half a character: no text, and nothing that could be sent.
LONE_SURROGATE = re.compile("[\ud800-\udfff]")

# Puts the whole of a long output by, and gives its handle.
KeepWhole = Callable[[str, str], str]
# Events of calls, and a worker when its task has ended, however it did.
News = asyncio.Queue["ToolEvent | _Worker"]


async def carried_out(
    calls: Sequence[Allowed], *, result_characters: int, keep_whole: KeepWhole
) -> AsyncGenerator[ToolEvent, None]:
    """Each call begins, tells how it goes, and ends; those of several calls are mixed."""
    workers = [
        _Worker(call, result_characters=result_characters, keep_whole=keep_whole) for call in calls
    ]
    simple = [worker for worker in workers if worker.is_simple]
    batches = [simple, *([worker] for worker in workers if not worker.is_simple)]
    for batch in batches:
        async with aclosing(_together(batch)) as events:
            async for event in events:
                yield event


async def _together(workers: Sequence[_Worker]) -> AsyncGenerator[ToolEvent, None]:
    news: News = asyncio.Queue()
    places = asyncio.Semaphore(MOST_AT_ONCE)
    tasks = [asyncio.create_task(worker.work(news, places)) for worker in workers]
    for worker, task in zip(workers, tasks, strict=True):
        task.add_done_callback(partial(_note_end, worker, news))
    try:
        working = len(tasks)
        while working:
            event = await news.get()
            if isinstance(event, _Worker):
                working -= 1
                if not event.has_answered:
                    yield event.lost()
            else:
                yield event
    finally:
        await _let_go(tasks)


def _note_end(worker: _Worker, news: News, task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("The tool %s ended badly", worker.name, exc_info=error)
    news.put_nowait(worker)


async def _let_go(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    if not tasks:
        return
    _, holding = await asyncio.wait(tasks, timeout=GRACE_SECONDS)
    if holding:
        logger.warning("%d tool calls do not let themselves be stopped.", len(holding))


class _Teller:
    """Tells how a call goes, joining what comes faster than anybody reads."""

    def __init__(self, call_id: str, news: News) -> None:
        self._call_id = call_id
        self._news = news
        self._fresh = ""
        self._now = Progress()
        self._has_news = False
        self._timer: asyncio.TimerHandle | None = None
        self.output = ""

    def tell(self, step: Progress | Output) -> None:
        if isinstance(step, Output):
            fresh = step.text[: LIVE_LIMIT_CHARACTERS - len(self.output)]
            self._fresh += fresh
            self.output += fresh
        else:
            self._now = step
        self._has_news = True
        if self._timer is None:
            self._flush()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _flush(self) -> None:
        self._timer = None
        if not self._has_news:
            return
        told = ToolProgressed(
            call_id=self._call_id,
            message=self._now.message,
            fraction=self._now.fraction,
            output=_sound(self._fresh),
        )
        self._news.put_nowait(told)
        self._fresh, self._has_news = "", False
        self._timer = asyncio.get_running_loop().call_later(TELL_SECONDS, self._flush)


class _Worker:
    """One call."""

    def __init__(self, allowed: Allowed, *, result_characters: int, keep_whole: KeepWhole) -> None:
        self._allowed = allowed
        self._face = allowed.equipped.tool.face
        self._result_characters = result_characters
        self._keep_whole = keep_whole
        self._teller: _Teller | None = None
        self.has_answered = False

    @property
    def name(self) -> str:
        return self._face.name

    @property
    def is_simple(self) -> bool:
        return self._face.is_simple

    async def work(self, news: News, places: asyncio.Semaphore) -> None:
        call = self._allowed.call
        async with places:
            news.put_nowait(ToolStarted(call_id=call.call_id, name=call.name))
            self._teller = teller = _Teller(call.call_id, news)
            try:
                result = await self._result(teller)
            finally:
                teller.close()
            news.put_nowait(ToolEnded(result=self._answer(result), images=result.images))
            self.has_answered = True

    def lost(self) -> ToolEnded:
        """For a call whose task ended without a result: something in the tool cancelled it."""
        output = self._teller.output if self._teller else ""
        return ToolEnded(result=self._answer(_failed(f"The tool {self.name} gave up.", output)))

    async def _result(self, teller: _Teller) -> Result:
        limit = asyncio.timeout(self._face.timeout_seconds)
        try:
            async with limit:
                return await self._executed(teller)
        except WindowpaneError as error:
            return _failed(str(error), teller.output)
        except Exception as error:  # the boundary of a tool: its faults are the model's to hear
            if limit.expired():
                seconds = f"{self._face.timeout_seconds:g}"
                sentence = f"It took longer than {seconds} seconds and was stopped."
                return _failed(sentence, teller.output)
            logger.exception("The tool %s broke", self.name)
            return _failed(f"The tool {self.name} broke: {error!r}.", teller.output)

    async def _executed(self, teller: _Teller) -> Result:
        equipped = self._allowed.equipped
        steps = equipped.tool.execute(
            self._allowed.arguments,
            options=equipped.options,
            surroundings=self._allowed.surroundings,
        )
        async with aclosing(steps):
            async for step in steps:
                if isinstance(step, Result):
                    return step
                teller.tell(step)
        return _failed(f"The tool {self.name} ended without a result.", teller.output)

    def _answer(self, result: Result) -> ToolResult:
        call, whole = self._allowed.call, _sound(result.text)
        is_long = len(whole) > self._result_characters
        output_id = self._keep_whole(call.name, storable(whole)) if is_long else ""
        return ToolResult(
            call_id=call.call_id,
            name=call.name,
            text=bounded(whole, limit_characters=self._result_characters, handle=output_id),
            is_error=result.is_error,
            output_id=output_id,
        )


def _failed(sentence: str, output: str) -> Result:
    """What had come by then is kept: it may be most of the work."""
    return Result(text="\n\n".join(filter(None, (output, sentence))), is_error=True)


def _sound(text: str) -> str:
    return LONE_SURROGATE.sub("\ufffd", text)
