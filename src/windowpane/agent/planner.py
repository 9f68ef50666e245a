"""From a stored chat to a plan and a request: gathers what the pure engine is given.

Opens only the pages that the engine asks for, and only the contents that are sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import compress
from typing import TypeVar

import msgspec
from msgspec import Struct, msgpack, structs

from windowpane.agent.budgets import Call, Cap, Place, caps_of
from windowpane.agent.contents import Contents
from windowpane.agent.index import TurnIndex
from windowpane.agent.models import Models
from windowpane.agent.weighing import Digests, Weigher
from windowpane.agent.wishes import wish_of
from windowpane.catalog.compression import compression_defaults
from windowpane.catalog.limits import Limits
from windowpane.catalog.prices import PriceSnapshot
from windowpane.context.applied import Applied, context_settings
from windowpane.context.assemble import assemble
from windowpane.context.budget import Budget, budget_for
from windowpane.context.given import NO_OVERFLOW, WHOLE_CHAT, Overflow, PlanInput, PlanSettings
from windowpane.context.plan import ContextPlan, plan
from windowpane.context.prelude import system_prelude
from windowpane.context.request import ModelRequest
from windowpane.context.scope import PageMissing, PageTotals, Scope, page_totals
from windowpane.context.showing import shown_turns
from windowpane.context.states import PlannedTurn
from windowpane.context.toolset import USED_TURNS, Toolset, called_names
from windowpane.context.view import FilteredInput, TextsWanted, begin_view
from windowpane.context.weights import TurnWeight
from windowpane.errors import PromptTooLarge
from windowpane.filters import Everything, Filter, Selection, Viewpoint, WhichContain, fold
from windowpane.messages import Message
from windowpane.options import RequestOptions
from windowpane.projects import Chat, ContextFloor
from windowpane.providers.heeding import Wish, heeded_prefill
from windowpane.providers.room import room_for
from windowpane.settings import ContextSettings
from windowpane.storage.turn_pages import is_stand_in, read_turns
from windowpane.storage.vault import Vault
from windowpane.tokens import Counter, TokenCache, counter_for
from windowpane.turns import TurnContent

Seen = TypeVar("Seen")


class LookedAt(Struct, frozen=True, kw_only=True):
    """What the user looks at: the filter, and where "now" and "current" are in it."""

    tree: Filter
    viewpoint: Viewpoint


class Outlook(Struct, frozen=True, kw_only=True):
    """What stays the same through one send: the chat as it was, the model, what was chosen.

    ``max_output_tokens`` is what its requests say of the longest answer, thought included.
    """

    chat: Chat
    model: str
    provider_model: str
    limits: Limits
    counter: Counter
    budget: Budget
    settings: ContextSettings
    options: RequestOptions
    max_output_tokens: int | None
    system: str
    view: LookedAt
    toolset: Toolset
    caps: tuple[Cap, ...]
    place: Place

    @property
    def most_output_tokens(self) -> int | None:
        """How long an answer can be: as long as the request says, or as the model can."""
        return self.max_output_tokens or self.limits.output_tokens.value

    def call(self, *, receipt_id: str, input_tokens: int, price: PriceSnapshot) -> Call:
        """A request of this send as budgets see it."""
        return Call(
            receipt_id=receipt_id,
            model=self.model,
            input_tokens=input_tokens,
            most_output_tokens=self.most_output_tokens,
            has_web_search=self.options.has_web_search,
            price=price,
        )

    @property
    def basis(self) -> str:
        """What the boundary depends on beside the turns: another basis, another boundary."""
        tools = msgspec.json.encode(self.toolset.definitions)
        parts = (self.model, self.budget, self.settings, self.system, self.options.prefill, tools)
        return sha256(msgpack.encode(parts)).hexdigest()[:16]


class Sight(Struct, frozen=True, kw_only=True):
    """A plan, and some turns by name for the screen."""

    plan: ContextPlan
    shown: tuple[PlannedTurn, ...]


class Planner:
    def __init__(self, vault: Vault, *, models: Models, cache: TokenCache) -> None:
        self._vault = vault
        self._models = models
        self._cache = cache
        self._index = TurnIndex(vault)
        self._digests = Digests()
        self.contents = Contents(vault)

    def counter(self, model: str) -> Counter:
        return counter_for(model, cache=self._cache)

    async def outlook(
        self,
        chat: Chat,
        *,
        applied: Applied,
        view: LookedAt,
        toolset: Toolset,
        day_began_at: datetime,
    ) -> Outlook:
        model, settings = applied.model, context_settings(applied)
        provider_model = model.partition("/")[2]
        limits = await self._models.limits(model)
        wish = await self._wish(applied, toolset)
        room = room_for(wish, limits=limits)
        budget = budget_for(
            limits,
            requested_output_tokens=room.requested_tokens,
            allowance_tokens=settings.user_request_allowance_tokens,
            threshold=compression_defaults(provider_model, limits=limits).threshold,
            calibration=await self._models.calibration(model),
        )
        return Outlook(
            chat=chat,
            model=model,
            provider_model=provider_model,
            limits=limits,
            counter=self.counter(model),
            budget=budget,
            settings=settings,
            options=_heeded(wish, max_output_tokens=room.told_tokens),
            max_output_tokens=room.told_tokens,
            system=system_prelude(
                project_prompt=applied.system_prompt,
                topic_message=applied.topic_message,
                tool_prompts=[prompt.text for prompt in toolset.prompts],
            ),
            view=view,
            toolset=toolset,
            caps=caps_of(applied),
            place=Place(project_id=chat.project_id, chat_id=chat.id, day_began_at=day_began_at),
        )

    async def used_names(self, chat_id: str, *, end_depth: int) -> frozenset[str]:
        """The tools that were called in the last turns of a chat before a depth."""
        first = max(0, end_depth - USED_TURNS)
        turns = await read_turns(self._vault, chat_id, first, end_depth)
        contents = await self.contents.of([turn.id for turn in turns])
        used = (called_names(content.messages) for content in contents.values())
        return frozenset[str]().union(*used)

    async def _wish(self, applied: Applied, toolset: Toolset) -> Wish:
        decided = await self._models.options(applied.model)
        return wish_of(
            applied,
            definition=self._models.definition(applied.model.partition("/")[0]),
            tools=toolset.definitions,
            uses_long_context=decided.uses_long_context,
        )

    async def plan(
        self, outlook: Outlook, current: Sequence[Message], *, overflow: Overflow
    ) -> ContextPlan:
        """The plan of a send, after what its refusals so far have taught.

        Pages may still name turns that cannot be opened any more: those are read anew.
        """
        while True:
            ready = (await self._sight(outlook, current, overflow=overflow, first=0, end=0)).plan
            found = await self.contents.of(ready.sent_turn_ids)
            lost = [id for id in ready.sent_turn_ids if id not in found]
            if not lost:
                return ready
            depth_of = await self.depths(outlook, ready)
            await self._index.forget(outlook.chat, [depth_of(id) for id in lost])

    def plan_alone(self, outlook: Outlook, message: Message) -> ContextPlan:
        """The plan of a request that holds one message, and nothing of the chat."""
        given = _given(outlook, [message], scope=Scope.of([]), overflow=NO_OVERFLOW)
        return plan(structs.replace(given, floor_index=None))

    async def sight(
        self, outlook: Outlook, current: Sequence[Message], *, first: int, end: int
    ) -> Sight:
        """A plan, and where the turns between two depths of the chat stand in it."""
        return await self._sight(outlook, current, overflow=NO_OVERFLOW, first=first, end=end)

    async def _sight(
        self,
        outlook: Outlook,
        current: Sequence[Message],
        *,
        overflow: Overflow,
        first: int,
        end: int,
    ) -> Sight:
        totals = await self._index.totals(outlook.chat, self._weigher(outlook))
        begin = await self._index.index_at(outlook.chat, first, totals=totals)
        stop = await self._index.index_at(outlook.chat, end, totals=totals)

        async def look(given: PlanInput) -> Sight:
            is_filtered = not isinstance(outlook.view.tree, Everything)
            viewed = (await self._filtered(outlook, given)).given if is_filtered else given
            ready = plan(viewed)
            return Sight(plan=ready, shown=shown_turns(viewed, ready, first=begin, end=stop))

        return await self._with_pages(outlook, current, look, totals=totals, overflow=overflow)

    async def chosen(self, outlook: Outlook) -> Selection:
        """The turns that the filter chooses; those that cannot be opened are not among them."""
        totals = await self._index.totals(outlook.chat, self._weigher(outlook))

        async def look(given: PlanInput) -> Selection:
            return (await self._filtered(outlook, given)).selection

        found = await self._with_pages(outlook, (), look, totals=totals, overflow=NO_OVERFLOW)
        return Selection(
            turn_ids=tuple(id for id in found.turn_ids if not is_stand_in(id)),
            base_turn_ids=tuple(id for id in found.base_turn_ids if not is_stand_in(id)),
        )

    async def _with_pages(
        self,
        outlook: Outlook,
        current: Sequence[Message],
        look: Callable[[PlanInput], Awaitable[Seen]],
        *,
        totals: list[PageTotals],
        overflow: Overflow,
    ) -> Seen:
        """Look at the chat; pages that the engine asks for are opened meanwhile."""
        weigher = self._weigher(outlook)
        pages: dict[int, Sequence[TurnWeight]] = {}
        while True:
            given = _given(outlook, current, scope=Scope(totals, pages), overflow=overflow)
            try:
                return await look(given)
            except PageMissing as missing:
                page = await self._index.weighed(outlook.chat, missing.number, weigher)
                weights = await weigher.exact(
                    page.turns, page.weights, room_tokens=outlook.budget.usable_tokens
                )
                is_known = weights is page.weights
                pages[missing.number] = weights
                totals[missing.number] = page.totals if is_known else page_totals(weights)

    async def _filtered(self, outlook: Outlook, given: PlanInput) -> FilteredInput:
        """The input with the view that the filter makes, and what it chose."""
        history = await self._index.history(outlook.chat)
        result = begin_view(
            outlook.view.tree, given=given, history=history, viewpoint=outlook.view.viewpoint
        )
        while isinstance(result, TextsWanted):
            result = result.answered(await self._containing(result.question))
        return result

    async def _containing(self, question: WhichContain) -> list[str]:
        contents = await self.contents.of(question.turn_ids)
        texts = [
            fold(_text(contents[id])) if id in contents else fold("") for id in question.turn_ids
        ]
        return list(compress(question.turn_ids, question.text.found_in(texts)))

    async def request(
        self, outlook: Outlook, ready: ContextPlan, *, frozen_mark_at: str | None
    ) -> ModelRequest:
        """``frozen_mark_at`` is where an earlier request was marked, for one on the side."""
        if ready.unsendable is not None:
            raise PromptTooLarge(ready.unsendable.message)
        return assemble(
            ready,
            await self.contents.of(ready.sent_turn_ids),
            max_output_tokens=outlook.max_output_tokens,
            options=outlook.options,
            frozen_mark_at=frozen_mark_at,
        )

    async def depths(self, outlook: Outlook, ready: ContextPlan) -> Callable[[str], int]:
        """Where the turns that a plan names lie on the path."""
        if not outlook.chat.deleted_turns:
            return {turn.turn_id: turn.index for turn in ready.turns}.__getitem__
        totals = await self._index.totals(outlook.chat, self._weigher(outlook))
        indexes = [turn.index for turn in ready.turns]
        return (await self._index.depths(outlook.chat, indexes, totals=totals)).__getitem__

    def _weigher(self, outlook: Outlook) -> Weigher:
        return Weigher(
            self._vault,
            counter=outlook.counter,
            digests=self._digests,
            spells_calls=outlook.toolset.spells_calls,
        )


def _heeded(wish: Wish, *, max_output_tokens: int | None) -> RequestOptions:
    """A beginning that the model would not be given is none: it must not be counted either."""
    asked = structs.replace(wish, max_output_tokens=max_output_tokens)
    return structs.replace(wish.options, prefill=heeded_prefill(asked))


def _given(
    outlook: Outlook, current: Sequence[Message], *, scope: Scope, overflow: Overflow
) -> PlanInput:
    return PlanInput(
        model=outlook.provider_model,
        counter=outlook.counter,
        budget=outlook.budget,
        settings=PlanSettings(
            reasoning_turns=outlook.settings.reasoning_turns,
            tool_turns=outlook.settings.tool_turns,
            cache_mode=outlook.settings.cache_mode,
            when_full="slide",
            spells_calls=outlook.toolset.spells_calls,
        ),
        scope=scope,
        view=WHOLE_CHAT,
        system=outlook.system,
        tools=outlook.toolset.definitions,
        summary=None,
        current=tuple(current),
        floor_index=_floor(outlook),
        overflow=overflow,
        # An answer begins once: when tools have run, it has begun.
        prefill=outlook.options.prefill if len(current) <= 1 else "",
        tool_prompts=outlook.toolset.prompts,
    )


def _floor(outlook: Outlook) -> int | None:
    """The boundary of the last send, if nothing but replies came since."""
    floor = outlook.chat.floor
    if not isinstance(outlook.view.tree, Everything):
        return None
    if floor is None or floor.basis != outlook.basis or floor.revision != outlook.chat.revision:
        return None
    return floor.index


def floor_after(outlook: Outlook, ready: ContextPlan) -> ContextFloor | None:
    """A filter's boundary is its own: it does not become the chat's."""
    if not isinstance(outlook.view.tree, Everything):
        return outlook.chat.floor
    return ContextFloor(
        index=ready.floor_index, basis=outlook.basis, revision=outlook.chat.revision
    )


def _text(content: TurnContent) -> str:
    """What a filter searches: what the user wrote, a line break, what was answered."""
    asked = "".join(message.text for message in content.messages if message.role == "user")
    answered = "".join(one.text for one in content.messages if one.role == "assistant")
    return f"{asked}\n{answered}"
