"""What a chat has cost so far: its last accounting record, and every request since.

The requests of a turn are in its receipts, and those stay whatever becomes of the turn. Before a
turn leaves the path a record is made of all that was spent by then, so only the path behind the
last record is ever read.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct, structs

from windowpane.accounting import (
    ChatTotals,
    HistoryEntry,
    UsageEntry,
    accounting_record,
    cumulative,
)
from windowpane.ids import new_id
from windowpane.projects import Chat
from windowpane.records import SWAPPED, Accounting, Place
from windowpane.storage.base import Change
from windowpane.storage.branches import tail_ids
from windowpane.storage.shelves import CHATS, RECEIPTS, TURNS
from windowpane.storage.specials import last_accounting, put_special
from windowpane.storage.vault import Vault
from windowpane.turns import Turn

# A long chat is read the first time something leaves it, and others must not wait for that.
BATCH_TURNS = 500


class Spent(Struct, frozen=True, kw_only=True):
    """The last accounting record, and the requests of the path since."""

    last: Accounting | None
    since: tuple[UsageEntry, ...]

    @property
    def history(self) -> list[HistoryEntry]:
        return [*([self.last.account] if self.last else []), *self.since]


class Leaving(Struct, frozen=True, kw_only=True):
    """What is about to happen: so many turns leave, the next one will come at a depth."""

    place: Place
    reason: str
    turns: int
    next_depth: int


async def spent(vault: Vault, chat: Chat) -> Spent:
    last = await last_accounting(vault, chat)
    ids = await tail_ids(vault, chat.id, last.next_depth if last else 0)
    since: list[UsageEntry] = []
    for start in range(0, len(ids), BATCH_TURNS):
        since += await _entries(vault, ids[start : start + BATCH_TURNS])
    return Spent(last=last, since=tuple(since))


async def _entries(vault: Vault, turn_ids: Sequence[str]) -> list[UsageEntry]:
    """What the requests of some turns used, turn by turn."""
    by_turn: dict[str, list[UsageEntry]] = {id: [] for id in turn_ids}
    for receipt in (await vault.all_children(RECEIPTS, turn_ids)).values:
        if receipt.entry is not None:
            by_turn[receipt.turn_id].append(receipt.entry)
    return [entry for id in turn_ids for entry in by_turn[id]]


async def chat_totals(vault: Vault, chat: Chat) -> ChatTotals:
    return cumulative((await spent(vault, chat)).history)


async def account_of(vault: Vault, chat: Chat, leaving: Leaving, *, at: datetime) -> Accounting:
    """The record of what a chat has cost before something leaves it."""
    known = await spent(vault, chat)
    return Accounting(
        id=_same(known, leaving) or new_id("record"),
        place=leaving.place,
        account=accounting_record(
            known.history, reason=leaving.reason, left_turns=leaving.turns, created_at=at
        ),
        next_depth=leaving.next_depth,
    )


async def belated(vault: Vault, turn: Turn, entries: Sequence[UsageEntry]) -> list[Change]:
    """What a chat's last record needs when a turn that it tells of has spent once more."""
    chat = await vault.find(CHATS, turn.chat_id)
    last = None if chat is None else await last_accounting(vault, chat.value)
    if not entries or last is None:
        return []
    stored = await vault.find(TURNS, turn.id)
    is_on_path = stored is not None and stored.parent_id == turn.chat_id
    if is_on_path and turn.depth >= last.next_depth:
        return []
    account = last.account
    added = accounting_record(
        [account, *entries],
        reason=account.reason,
        left_turns=account.left_turns,
        created_at=account.created_at,
    )
    return [put_special(vault, structs.replace(last, account=added), chat_id=turn.chat_id)]


def _same(known: Spent, leaving: Leaving) -> str | None:
    """Going to and fro between answers is one record, not many: nothing was spent meanwhile."""
    last = known.last
    if last is None or known.since or last.place != leaving.place:
        return None
    return last.id if last.account.reason == leaving.reason == SWAPPED else None
