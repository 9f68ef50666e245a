"""The beginning of an answer that the model was given, put before what it went on with.

A provider streams the continuation only; without its beginning an answer would read wrongly, and
the next request would send it back maimed.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from windowpane.events import AttemptEvent, PartDelta, PartDone, PartStarted, StreamEvent
from windowpane.parts import Text

Heard = StreamEvent | AttemptEvent


def begun_with(prefill: str, events: AsyncGenerator[Heard, None]) -> AsyncGenerator[Heard, None]:
    """Not before the model goes on with it: a request that fails has no answer."""
    return _begun(prefill, events) if prefill else events


async def _begun(prefill: str, events: AsyncGenerator[Heard, None]) -> AsyncGenerator[Heard, None]:
    is_told = False
    async with aclosing(events):
        async for event in events:
            if isinstance(event, PartStarted) and not is_told:
                is_told = True
                yield PartStarted(kind="text")
                yield PartDelta(text=prefill)
                yield PartDone(part=Text(text=prefill, is_prefill=True))
            yield event
