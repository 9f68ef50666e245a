"""Special records as HTML: one quiet line each, between the turns where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from markupsafe import Markup
from msgspec import Struct

from windowpane.accounting import Cost, Totals
from windowpane.records import (
    FORKED,
    Accounting,
    RecordKind,
    SpecialRecord,
    Summary,
    SummaryRequest,
    Title,
    TitleRequest,
)
from windowpane.web.html import drawn

ICONS: dict[RecordKind, str] = {
    "system-title": "\N{MEMO}",
    "title": "",
    "system-summary": "\N{CLIPBOARD}",
    "summary": "\N{PUSHPIN}",
    "accounting": "\N{MONEY BAG}",
}


class DrawnRecord(Struct, frozen=True, kw_only=True):
    """``depth`` is that of the turn before which it stands."""

    depth: int
    html: Markup


class Line(Struct, frozen=True, kw_only=True):
    """What a record says in one line; ``text`` is folded away behind it."""

    kind: RecordKind
    name: str
    detail: str
    text: str


def records_html(
    records: Sequence[SpecialRecord], others: Mapping[str, Sequence[str]]
) -> list[DrawnRecord]:
    """Accounts of the same place are one line, the newest, with the earlier ones folded away."""
    shown = [one for one in records if not (isinstance(one, Accounting) and one.is_undone)]
    return [
        DrawnRecord(
            depth=group[-1].place.depth,
            html=drawn(
                "parts/_special.html",
                id=group[-1].id,
                icon=ICONS[_line(group[-1]).kind],
                line=_line(group[-1]),
                earlier=[_line(one) for one in reversed(group[:-1])],
                other_ids=[id for one in group for id in others.get(one.id, ())],
            ),
        )
        for group in _groups(shown)
    ]


def _groups(records: Sequence[SpecialRecord]) -> Iterator[list[SpecialRecord]]:
    for _, same in groupby(records, key=lambda one: (one.place.depth, type(one))):
        group = list(same)
        if isinstance(group[0], Accounting):
            yield group
        else:
            yield from ([one] for one in group)


def _line(record: SpecialRecord) -> Line:
    match record:
        case TitleRequest(text=text):
            return Line(kind="system-title", name="Asked for a title", detail="", text=text)
        case Title(text=text, model=model):
            return Line(kind="title", name=text, detail=_short(model), text="")
        case SummaryRequest(text=text):
            return Line(kind="system-summary", name="Asked for a summary", detail="", text=text)
        case Summary(text=text, first_depth=first, last_depth=last):
            detail = f"turns {first + 1:,}–{last + 1:,}"
            return Line(kind="summary", name="Conversation summary", detail=detail, text=text)
        case Accounting():
            return Line(kind="accounting", name=_reason(record), detail=_spent(record), text="")


def _reason(record: Accounting) -> str:
    account = record.account
    if account.reason == FORKED:
        return "Forked; spent in the origin"
    turns = f"{account.left_turns:,} turn{'' if account.left_turns == 1 else 's'}"
    return f"{account.reason} · {turns}"


def _spent(record: Accounting) -> str:
    """What the chat had cost by then; the turns that the reason counts are only a part of it."""
    counts = ", ".join(_counts(record.account.totals.shown))
    return counts if record.account.reason == FORKED else f"so far {counts}"


def _counts(totals: Totals) -> Iterator[str]:
    usage = totals.usage
    yield f"{usage.input_tokens:,} in"
    yield f"{usage.output_tokens:,} out"
    if usage.cache_read_tokens:
        yield f"{usage.cache_read_tokens:,} from the cache"
    if usage.cache_write_tokens:
        yield f"{usage.cache_write_tokens:,} to the cache"
    yield _price(totals.cost)


def _price(cost: Cost) -> str:
    if cost.is_unknown:
        return "cost unknown"
    dollars = f"${cost.known_usd:.4f}".rstrip("0")
    dollars += "0" * (2 - len(dollars.partition(".")[2]))
    return f"at least {dollars}" if cost.is_unreliable else dollars


def _short(model: str) -> str:
    return model.partition("/")[2] or model
