"""``recall``: find and read what the chat holds and the model may not have in front of it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator

import msgspec
from msgspec import Struct

from windowpane.toolbox import ToolOptions
from windowpane.tools.base import (
    Arguments,
    Description,
    Result,
    Schema,
    Step,
    Surroundings,
    ToolFace,
)
from windowpane.tools.drawing import Drawing, json_drawing, text_drawing
from windowpane.tools.history import Hit, Hits

MOST_HITS = 20
# What one call reads of a long text; the next one goes on where it ended.
READ_CHARACTERS = 12_000

DESCRIPTION = f"""\
Search the whole history of this chat, or read a part of it in full. Use it when you need \
something that was said or found earlier and is not in front of you: older turns may have left \
your context, be summarised or shortened, or belong to a branch that was abandoned.

To search, give `query`: words or "a phrase". You get turns with excerpts, each with a handle. \
To read, give `handle`: that of a turn, or the one named where a tool result was cut. At most \
{READ_CHARACTERS:,} characters come at a time; go on with `offset`."""

SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1, "description": "what to look for"},
        "handle": {"type": "string", "minLength": 1, "description": "what to read in full"},
        "offset": {
            "type": "integer",
            "minimum": 0,
            "description": "with handle: the character to begin at",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_HITS,
            "description": "with query: the most turns to give, 8 by default",
        },
    },
    "additionalProperties": False,
}
FACE = ToolFace(
    name="recall",
    label="Recall",
    icon="recall",
    approval="always",
    is_simple=True,
    timeout_seconds=120.0,
)


class Wanted(Struct, frozen=True, kw_only=True):
    query: str | None = None
    handle: str | None = None
    offset: int = 0
    limit: int = 8


class RecallTool:
    face = FACE

    def description(self, options: ToolOptions) -> Description:
        return Description(text=DESCRIPTION, schema=SCHEMA)

    async def prompt(self, options: ToolOptions, *, surroundings: Surroundings) -> str:
        return ""

    async def execute(
        self, arguments: Arguments, *, options: ToolOptions, surroundings: Surroundings
    ) -> AsyncGenerator[Step, None]:
        wanted = msgspec.convert(arguments, Wanted)
        history = surroundings.history
        if wanted.query is not None and wanted.handle is None:
            hits = await history.search(wanted.query, limit=wanted.limit)
            yield Result(text=_hits_text(hits, wanted.query))
        elif wanted.handle is not None and wanted.query is None:
            yield _page(await history.read(wanted.handle), wanted)
        else:
            yield Result(text="Give either query or handle.", is_error=True)

    def input_drawing(self, arguments: str) -> Drawing:
        return json_drawing(arguments)

    def output_drawing(self, text: str) -> Drawing:
        return text_drawing(text)


def _hits_text(hits: Hits, query: str) -> str:
    asked = json.dumps(query, ensure_ascii=False)
    if not hits.best:
        return f"Nothing in this chat fits {asked}. Try other or fewer words."
    count = len(hits.best)
    turns = f"{count} turn{'' if count == 1 else 's'} of this chat for {asked}"
    lines = [f"The best {turns}; there are more:" if hits.has_more else f"{turns}:"]
    for hit in hits.best:
        lines += _hit_lines(hit)
    return "\n".join(lines)


def _hit_lines(hit: Hit) -> Iterator[str]:
    left = ", on a branch that was left" if hit.is_left else ""
    yield f"\nTurn {hit.number:,}, {hit.at:%Y-%m-%d %H:%M} UTC{left}, handle {hit.handle}"
    for excerpt in hit.excerpts:
        yield f"  {excerpt.role}: {excerpt.text}"


def _page(whole: str | None, wanted: Wanted) -> Result:
    if whole is None:
        sentence = f"This chat has nothing with the handle {wanted.handle}. Search for it first."
        return Result(text=sentence, is_error=True)
    if wanted.offset >= len(whole) > 0:
        sentence = f"The text ends at character {len(whole):,}; offset must be less than that."
        return Result(text=sentence, is_error=True)
    end = wanted.offset + READ_CHARACTERS
    page = whole[wanted.offset : end]
    if end < len(whole):
        page += (
            f"\n\n[Characters {wanted.offset:,} to {end:,} of {len(whole):,}. "
            f"Go on with offset {end}.]"
        )
    return Result(text=page)


RECALL = RecallTool()
