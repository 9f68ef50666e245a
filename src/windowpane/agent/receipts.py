"""Receipts read back: the request again, its numbers, and what differs from one to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from hashlib import sha256

import msgspec
from msgspec import Struct

from windowpane.accounting import cost_of
from windowpane.agent.contents import Contents
from windowpane.agent.models import Models
from windowpane.context.diff import PlanDiff, PrefixDiff, plan_diff, prefix_diff, remembered
from windowpane.context.diff_words import Rewritten, diff_sentences, prefix_sentence
from windowpane.context.outline import Outline, outline_from
from windowpane.context.receipt import Receipt, of_answers
from windowpane.context.replay import Replayed, Sources, replayed, sent_depths
from windowpane.context.request import ModelRequest, ToolDefinition
from windowpane.context.side import aside_message
from windowpane.context.telemetry import KnownTurn, Telemetry, telemetry_of
from windowpane.errors import InvalidInput, NotFound, PartMissing
from windowpane.messages import Message
from windowpane.providers.base import WireRequest
from windowpane.settings import ContextSettings
from windowpane.storage.accounts import receipts_of
from windowpane.storage.history import contents_of
from windowpane.storage.paths import path_before, steps_back
from windowpane.storage.shelves import RECEIPTS, TEXTS, TURNS
from windowpane.storage.vault import Vault
from windowpane.tokens import Counter
from windowpane.turns import Turn, TurnContent
from windowpane.usage import TokenUsage

_tools = msgspec.json.Decoder(tuple[ToolDefinition, ...])


class Reproduced(Struct, frozen=True, kw_only=True):
    """A request as it went out. ``is_same``: its bytes have the hash that the receipt noted.

    Without a ``wire`` something was deleted, or the provider is gone: ``missing`` says what.
    """

    receipt: Receipt
    wire: WireRequest | None
    is_same: bool
    missing: tuple[str, ...]


class Why(Struct, frozen=True, kw_only=True):
    """What changed from one request to the next, as values and in words."""

    before: Receipt
    after: Receipt
    diff: PlanDiff
    prefix: PrefixDiff | None
    rewritten: Rewritten | None
    sentences: tuple[str, ...]


class Receipts:
    def __init__(
        self,
        vault: Vault,
        *,
        models: Models,
        contents: Contents,
        counter: Callable[[str], Counter],
    ) -> None:
        self._vault = vault
        self._models = models
        self._contents = contents
        self._counter = counter

    async def get(self, receipt_id: str) -> Receipt:
        return (await self._vault.get(RECEIPTS, receipt_id)).value

    async def of(self, turn_id: str) -> list[Receipt]:
        """Every request of a turn, in order."""
        return await receipts_of(self._vault, turn_id)

    async def of_answers(self, turn_id: str) -> list[Receipt]:
        """Without what was asked on the side."""
        return of_answers(await self.of(turn_id))

    async def reproduce(self, receipt_id: str) -> Reproduced:
        receipt = await self.get(receipt_id)
        again = await self._replayed(receipt)
        if again.request is None:
            return Reproduced(receipt=receipt, wire=None, is_same=False, missing=again.missing)
        await self._models.read()
        try:
            provider, _ = self._models.resolve(receipt.model)
        except (InvalidInput, PartMissing) as unusable:  # removed, or it has no key any more
            return Reproduced(receipt=receipt, wire=None, is_same=False, missing=(str(unusable),))
        wire = provider.to_wire(again.request)
        is_same = sha256(wire.body).hexdigest() == receipt.sent.body_sha256
        return Reproduced(receipt=receipt, wire=wire, is_same=is_same, missing=())

    async def telemetry(self, turn_id: str) -> list[Telemetry]:
        receipts = await self.of_answers(turn_id)
        if not receipts:
            return []
        turns = await self._known_turns(receipts)
        chars_per_token = ContextSettings().chars_per_token
        return [telemetry_of(one, turns=turns, chars_per_token=chars_per_token) for one in receipts]

    async def why(self, turn_id: str) -> Why | None:
        """What the last request of a turn has and lacks against the one before it.

        None for the first request of a chat: there is nothing to compare it with.
        """
        after = await self._last(turn_id)
        before = await self._last_before(turn_id)
        return None if before is None else await self._compared(before, after)

    async def _last_before(self, turn_id: str) -> Receipt | None:
        """Of the newest turn before one that has any; copies in a fork have none."""
        async with aclosing(steps_back(self._vault, turn_id)) as steps:
            async for turns in steps:
                ids = [turn.id for turn in turns]
                found = of_answers((await self._vault.all_children(RECEIPTS, ids)).values)
                last = {receipt.turn_id: receipt for receipt in found}
                if last:
                    return next(last[id] for id in ids if id in last)
        return None

    async def _last(self, turn_id: str) -> Receipt:
        receipts = await self.of_answers(turn_id)
        if not receipts:
            raise NotFound("receipt of the turn", id=turn_id)
        return receipts[-1]

    async def _compared(self, before: Receipt, after: Receipt) -> Why:
        old, new = await self._outline(before), await self._outline(after)
        diff = plan_diff(
            old,
            new,
            whereabouts_before=remembered(old, index_of=_places(old, new)),
            whereabouts_after=remembered(new, index_of=_places(old, new)),
        )
        first, second = await self._replayed(before), await self._replayed(after)
        prefix = rewritten = None
        sentences = diff_sentences(diff)
        if first.request is not None and second.request is not None:
            prefix = prefix_diff(first.request, second.request)
            rewritten = self._rewritten(first.request, before, after, prefix)
            sentences.append(prefix_sentence(prefix, rewritten=rewritten))
        return Why(
            before=before,
            after=after,
            diff=diff,
            prefix=prefix,
            rewritten=rewritten,
            sentences=tuple(sentences),
        )

    async def _outline(self, receipt: Receipt) -> Outline:
        return outline_from(receipt, turns=await self._known_turns([receipt]))

    async def _known_turns(self, receipts: Sequence[Receipt]) -> dict[int, KnownTurn]:
        """The turns that requests of one turn may name, as far as they are still there."""
        depths = [run.first_depth for one in receipts for run in one.contents.items]
        path = await self._path(receipts[0], depths)
        return {depth: _known(one) for depth, one in path.items()}

    async def _path(self, receipt: Receipt, depths: Sequence[int]) -> dict[int, Turn]:
        if not depths:
            return {}
        return await path_before(self._vault, receipt.turn_id, from_depth=min(depths))

    async def _replayed(self, receipt: Receipt) -> Replayed:
        depths = sent_depths(receipt)
        path = await self._path(receipt, depths)
        contents = await self._contents.of([path[one].id for one in depths if one in path])
        stored = await self._vault.find(TURNS, receipt.turn_id)
        own = (await contents_of(self._vault, [stored.value])).turns if stored else ()
        texts = receipt.contents
        sources = Sources(
            system=await self._text(texts.system_id),
            tools=await self._tools(texts.tools_id),
            turns={one.turn.depth: one.messages for one in (*contents.values(), *own)},
            current=await self._current(receipt, own[0]) if own else (),
        )
        return replayed(receipt, sources)

    async def _current(self, receipt: Receipt, own: TurnContent) -> Sequence[Message]:
        aside = receipt.contents.aside
        if aside is None:
            return own.messages
        instruction = await self._text(aside.instruction_id)
        if instruction is None:
            return ()
        return (aside_message(aside.form, instruction, own),)

    async def _text(self, id: str) -> str | None:
        stored = await self._vault.find(TEXTS, id)
        return None if stored is None else stored.value.text

    async def _tools(self, id: str) -> tuple[ToolDefinition, ...] | None:
        text = await self._text(id)
        return None if text is None else _tools.decode(text)

    def _rewritten(
        self, request: ModelRequest, before: Receipt, after: Receipt, prefix: PrefixDiff
    ) -> Rewritten | None:
        """What both requests hold behind the break: a cache could have spared it."""
        if prefix.broke_at is None or after.entry is None:
            return None
        counter = self._counter(after.model)
        kept_tokens = 0
        if prefix.broke_at not in ("model", "tools", "system"):
            fixed = before.sizes.fixed
            kept_tokens = fixed.system_tokens + fixed.tools_tokens + fixed.summary_tokens
            shared = request.messages[: prefix.shared_messages]
            kept_tokens += sum(counter.message(one, sent=one.parts) for one in shared)
        tokens = max(0, min(before.sizes.total_tokens, after.sizes.total_tokens) - kept_tokens)
        return Rewritten(
            tokens=tokens,
            cost=cost_of(TokenUsage(cache_write_tokens=tokens), after.entry.price),
        )


def _known(turn: Turn) -> KnownTurn:
    return KnownTurn(
        turn_id=turn.id, model=turn.model, tokens=turn.digest.raw_tokens if turn.digest else 0
    )


def _places(*outlines: Outline) -> Callable[[str], int | None]:
    """Where turns lie that any of the outlines names."""
    return {turn.turn_id: turn.index for one in outlines for turn in one.turns}.get
