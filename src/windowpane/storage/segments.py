"""Segments of the search index as rows: a cache below each project, sealed like everything else.

A segment is written once and never changed; one that grows gets a new id, and the note of which
segments there are moves on in the same batch. Deleting all of them changes no answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.storage.base import Change
from windowpane.storage.vault import Shelf, Stored, Vault


class SegmentTurns(Struct, frozen=True, kw_only=True):
    """The turns of a segment by columns, in the order of their numbers.

    ``chats`` names each chat once; ``chat`` says by its place which one a turn belongs to. A turn's
    parent is a number where it lies in the same segment, else an id, and "" where there is none.
    """

    ids: list[str]
    chats: list[str]
    chat: list[int]
    parents: list[int | str]
    at_micros: list[int]
    lengths: dict[str, list[int]]


class Segment(Struct, frozen=True, kw_only=True):
    """``index`` is the serialised database of the turns' words."""

    recipe: int
    turns: SegmentTurns
    index: bytes


class SegmentNote(Struct, frozen=True, kw_only=True):
    id: str
    turns: int


class SyncedChat(Struct, frozen=True, kw_only=True):
    """A chat as it was when its turns were compared with the index.

    ``open_ids``: turns that were still being answered. ``gone_ids``: turns that were deleted and
    are still in a segment. Version 0 is that of no row: the chat has turns that are not in yet.
    """

    version: int
    revision: int
    turn_count: int
    open_ids: tuple[str, ...] = ()
    gone_ids: tuple[str, ...] = ()


class IndexNote(Struct, frozen=True, kw_only=True):
    """Which segments a project has, and how far its chats are in them."""

    recipe: int
    segments: tuple[SegmentNote, ...] = ()
    chats: dict[str, SyncedChat] = {}


SEGMENTS = Shelf("segments", holds=Segment, noun="search segment")
INDEX_NOTES = Shelf("segments", holds=IndexNote, noun="search index")


def note_id(project_id: str) -> str:
    return f"{project_id}:index"


async def find_note(vault: Vault, project_id: str) -> Stored[IndexNote] | None:
    return await vault.find(INDEX_NOTES, note_id(project_id))


def put_note(
    vault: Vault, note: IndexNote, *, project_id: str, expected_version: int | None
) -> Change:
    return vault.put(
        INDEX_NOTES,
        note,
        id=note_id(project_id),
        parent_id=project_id,
        position=0,
        expected_version=expected_version,
    )


def put_segment(vault: Vault, segment: Segment, *, id: str, project_id: str) -> Change:
    return vault.put(
        SEGMENTS,
        segment,
        id=id,
        parent_id=project_id,
        position=len(segment.turns.ids),
        expected_version=0,
    )


def drop_segments(vault: Vault, ids: Sequence[str]) -> list[Change]:
    return [vault.delete(SEGMENTS, id) for id in ids]
