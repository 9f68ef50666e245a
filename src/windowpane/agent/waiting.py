"""Turns that wait for a person's word on tool calls: decided upon, rejected or stopped.

No process holds a waiting turn, so any may take it up, also after a restart. Every change expects
the turn as it was read: whoever comes second is told so, and nothing runs twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec
from msgspec import Struct, structs

from windowpane.agent.digest import digest_of
from windowpane.agent.planner import Outlook
from windowpane.agent.results import open_calls, refusal, results_message, with_message
from windowpane.context.receipt import Receipt
from windowpane.context.request import ToolDefinition
from windowpane.errors import InvalidInput, NotFound, NotWaiting, VersionConflict
from windowpane.ids import new_id
from windowpane.messages import Finish, Message
from windowpane.projects import Chat
from windowpane.storage.accounts import receipts_of
from windowpane.storage.base import Change
from windowpane.storage.history import put_message, put_turn
from windowpane.storage.shelves import RECORDS, TEXTS, TURNS
from windowpane.storage.vault import Stored, Vault
from windowpane.tokens import Counter
from windowpane.turns import Decision, PendingCall, Turn, TurnContent, TurnState

DECIDED_ALREADY = "This was decided already, perhaps in another tab."


class WaitingTurn(Struct, frozen=True, kw_only=True):
    """A waiting turn as it was read, with the results it has, if any, in its last message."""

    stored: Stored[Turn]
    messages: tuple[Message, ...]

    @property
    def turn(self) -> Turn:
        return self.stored.value


async def waiting_turn(vault: Vault, turn_id: str) -> WaitingTurn:
    stored = await vault.get(TURNS, turn_id)
    if stored.value.state != "waiting":
        raise NotWaiting(DECIDED_ALREADY)
    messages = (await vault.all_children(RECORDS, [turn_id])).values
    return WaitingTurn(stored=stored, messages=tuple(messages))


async def waiting_head(vault: Vault, chat: Chat) -> WaitingTurn | None:
    """The turn for which a chat waits; only its newest can be one."""
    head = None if chat.head_id is None else await vault.find(TURNS, chat.head_id)
    if head is None or head.value.state != "waiting":
        return None
    return await waiting_turn(vault, head.id)


def decided(turn: Turn, decisions: Mapping[str, Decision]) -> Turn:
    """The turn with some of its calls decided upon."""
    known = [call.call_id for call in turn.pending_calls]
    unknown = [call_id for call_id in decisions if call_id not in known]
    if unknown or not decisions:
        listed = ", ".join(known)
        raise InvalidInput(f"Say accept or reject for one or more of these calls: {listed}.")
    if any(call.call_id in decisions and call.decision for call in turn.pending_calls):
        raise NotWaiting(DECIDED_ALREADY)
    calls = tuple(_with_decision(call, decisions) for call in turn.pending_calls)
    return structs.replace(turn, pending_calls=calls)


def _with_decision(call: PendingCall, decisions: Mapping[str, Decision]) -> PendingCall:
    return structs.replace(call, decision=decisions.get(call.call_id, call.decision))


def is_decided(turn: Turn) -> bool:
    return all(call.decision is not None for call in turn.pending_calls)


def rest_accepted(turn: Turn) -> dict[str, Decision]:
    """To accept whatever nobody has decided upon."""
    return {call.call_id: "accept" for call in turn.pending_calls if call.decision is None}


def ended_waiting(
    waiting: WaitingTurn,
    *,
    state: TurnState,
    finish: Finish,
    sentence: str,
    at: datetime,
    counter: Counter,
) -> TurnContent:
    """The turn as it ends without its calls: each gets a sentence for its result."""
    refused = [refusal(call, sentence) for call in open_calls(waiting.messages)]
    results = results_message(waiting.messages, refused, images=(), id=new_id("record"), at=at)
    turn = structs.replace(waiting.turn, state=state, finish=finish, ended_at=at, pending_calls=())
    messages = tuple(with_message(waiting.messages, results))
    content = TurnContent(turn=turn, messages=messages)
    digest = digest_of(content, counter=counter)
    return TurnContent(turn=structs.replace(turn, digest=digest), messages=messages)


async def store_ended(vault: Vault, waiting: WaitingTurn, ended: TurnContent) -> None:
    position = len(ended.messages) - 1
    results = put_message(vault, ended.messages[-1], turn_id=waiting.turn.id, position=position)
    await store_change(vault, waiting, ended.turn, [results])


async def store_change(
    vault: Vault, waiting: WaitingTurn, turn: Turn, others: list[Change]
) -> Stored[Turn]:
    """Write a waiting turn anew, unless somebody was faster."""
    try:
        await vault.commit([put_turn(vault, waiting.stored, turn), *others])
    except VersionConflict as conflict:
        raise NotWaiting(DECIDED_ALREADY) from conflict
    return structs.replace(waiting.stored, value=turn, version=waiting.stored.version + 1)


async def last_receipt(vault: Vault, turn: Turn) -> Receipt:
    receipts = await receipts_of(vault, turn.id)
    if not receipts:
        raise NotFound("receipt of the turn", id=turn.id)
    return receipts[-1]


async def as_begun(vault: Vault, outlook: Outlook, receipt: Receipt) -> Outlook:
    """An outlook of now with what the model was told when the turn began.

    That is in the receipt of its last request: the system text, the tools, what is kept of older
    turns. So what was chosen meanwhile holds from the next turn on.
    """
    contents, rules = receipt.contents, receipt.settings
    system = await vault.get(TEXTS, contents.system_id)
    tools = await vault.get(TEXTS, contents.tools_id)
    definitions = msgspec.json.decode(tools.value.text, type=tuple[ToolDefinition, ...])
    return structs.replace(
        outlook,
        system=system.value.text,
        settings=structs.replace(
            outlook.settings,
            reasoning_turns=rules.reasoning_turns,
            tool_turns=rules.tool_turns,
            cache_mode=rules.cache_mode,
        ),
        max_output_tokens=contents.max_output_tokens,
        options=contents.options,
        toolset=structs.replace(
            outlook.toolset, definitions=definitions, spells_calls=rules.spells_calls
        ),
    )
