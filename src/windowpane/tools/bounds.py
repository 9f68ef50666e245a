"""What a model gets of a long result: its beginning, its end, and the handle of the whole."""

from __future__ import annotations

HEAD_PERCENT = 70
# What is stored of one result: more is no text that anybody reads.
WHOLE_LIMIT_CHARACTERS = 2_000_000


def bounded(text: str, *, limit_characters: int, handle: str) -> str:
    """At most so many characters of a text, apart from the note on what is left out."""
    if len(text) <= limit_characters:
        return text
    head = limit_characters * HEAD_PERCENT // 100
    tail = limit_characters - head
    note = (
        f"[{len(text) - limit_characters:,} of {len(text):,} characters are left out here. "
        f'The whole has the handle "{handle}".]'
    )
    return f"{text[:head]}\n\n{note}\n\n{text[-tail:]}"


def storable(text: str) -> str:
    """A whole as it is stored; it says itself if even that was too long."""
    if len(text) <= WHOLE_LIMIT_CHARACTERS:
        return text
    lost = len(text) - WHOLE_LIMIT_CHARACTERS
    return f"{text[:WHOLE_LIMIT_CHARACTERS]}\n\n[{lost:,} more characters were not kept.]"
