"""A segment of the search index made of turns, new or grown from an older one. No waiting here."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.search import COLUMNS, RECIPE, Fields, fields_of, grown
from windowpane.storage.segments import Segment, SegmentTurns
from windowpane.storage.shelves import micros
from windowpane.turns import TurnContent

NO_TURNS = SegmentTurns(
    ids=[], chats=[], chat=[], parents=[], at_micros=[], lengths={name: [] for name in COLUMNS}
)


class Document(Struct, frozen=True, kw_only=True):
    turn_id: str
    chat_id: str
    parent_id: str
    at_micros: int
    fields: Fields


def document_of(content: TurnContent) -> Document:
    turn = content.turn
    return Document(
        turn_id=turn.id,
        chat_id=turn.chat_id,
        parent_id=turn.parent_id or "",
        at_micros=micros(turn.created_at),
        fields=fields_of(content),
    )


def wordless(turn_id: str, *, chat_id: str) -> Document:
    """A turn that cannot be opened: known to the index, so that it is not tried again."""
    return Document(
        turn_id=turn_id, chat_id=chat_id, parent_id="", at_micros=0, fields=("", "", "", "")
    )


def segment_of(documents: Sequence[Document], *, base: Segment | None) -> Segment:
    """The base with more turns in it; the base itself stays as it is."""
    first = len(base.turns.ids) if base else 0
    made = grown(
        base.index if base else None,
        first=first,
        turns=[document.fields for document in documents],
    )
    return Segment(
        recipe=RECIPE,
        turns=_turns(documents, before=base.turns if base else NO_TURNS, lengths=made.lengths),
        index=made.index,
    )


def _turns(
    documents: Sequence[Document], *, before: SegmentTurns, lengths: list[tuple[int, ...]]
) -> SegmentTurns:
    ids = [*before.ids, *(document.turn_id for document in documents)]
    numbers = {id: number for number, id in enumerate(ids)}
    chats = list(dict.fromkeys([*before.chats, *(document.chat_id for document in documents)]))
    places = {id: place for place, id in enumerate(chats)}
    parents = [document.parent_id for document in documents]
    return SegmentTurns(
        ids=ids,
        chats=chats,
        chat=[*before.chat, *(places[document.chat_id] for document in documents)],
        parents=[numbers.get(str(id), id) for id in (*before.parents, *parents)],
        at_micros=[*before.at_micros, *(document.at_micros for document in documents)],
        lengths={
            name: [*before.lengths[name], *(sizes[column] for sizes in lengths)]
            for column, name in enumerate(COLUMNS)
        },
    )
