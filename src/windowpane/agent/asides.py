"""Requests on the side of a chat: the two ways to ask, and asking in the cheaper of them.

In place the chat's own model reads what it remembers and one instruction more; as a transcript a
cheap model reads about it. Either way the request is planned, paid for and receipted like others.
"""

from __future__ import annotations

from contextlib import aclosing

from msgspec import Struct, structs

from windowpane.accounting import Cause
from windowpane.agent.accounts import Accounts
from windowpane.agent.attempts import Attempts, Errand, Means
from windowpane.agent.listed import ANSWERS_AT_ONCE
from windowpane.agent.outlooks import Outlooks, Prospect
from windowpane.agent.totals import belated
from windowpane.agent.waiting import as_begun
from windowpane.catalog.cheap import cheap_model
from windowpane.choices import CHEAP
from windowpane.context.applied import Applied
from windowpane.context.given import NO_OVERFLOW
from windowpane.context.receipt import of_answers
from windowpane.context.side import SideOffer, aside_message, cached_prefix_tokens, cheaper, offer
from windowpane.errors import ProviderFailed
from windowpane.events import PartDone
from windowpane.messages import Message
from windowpane.parts import Text
from windowpane.projects import Chat
from windowpane.storage.accounts import receipts_of
from windowpane.storage.shelves import TURNS
from windowpane.turns import TurnContent

# What a model may need that thinks before it answers.
MOST_OUTPUT_TOKENS = 1_000


class Aside(Struct, frozen=True, kw_only=True):
    """What is wanted of a turn, and about how long the answer will be.

    ``system`` is what a model is told that only reads about it; ``model`` is a full name, or the
    word for a cheap one of the same provider.
    """

    cause: Cause
    instruction: str
    system: str
    model: str
    output_tokens: int


class Way(Struct, frozen=True, kw_only=True):
    """One way to ask, ready to go; ``marked_at`` is where the last request was marked."""

    offer: SideOffer
    prospect: Prospect
    message: Message
    marked_at: str | None

    @property
    def model(self) -> str:
        return self.prospect.outlook.model


class Asides:
    def __init__(self, means: Means, *, outlooks: Outlooks) -> None:
        self._means = means
        self._vault = means.vault
        self._outlooks = outlooks

    async def way(
        self, aside: Aside, chat: Chat, about: TurnContent, *, settings: Applied
    ) -> Way | None:
        """The cheaper way; None if there is none. ``settings`` are those of the turn's model."""
        ways: list[Way] = []
        if aside.model == about.turn.model or self._is_asked_cheaply(aside, about.turn.model):
            ways += await self._in_place(aside, chat, about, settings=settings)
        model = await self._reader(aside, about.turn.model)
        if model is not None:
            ways.append(
                await self._as_transcript(aside, chat, about, settings=settings, model=model)
            )
        best = cheaper(tuple(way.offer for way in ways))
        return next((way for way in ways if way.offer is best), None)

    async def ask(self, aside: Aside, about: TurnContent, way: Way) -> str:
        """What the model says. What was spent is written down, whatever became of the chat."""
        receipts = await receipts_of(self._vault, about.turn.id)
        accounts = Accounts(self._vault, requests=len(receipts), kept_texts=set())
        try:
            return await self._said(aside, about, way, accounts)
        except ProviderFailed as failed:
            accounts.end("error", failure=failed.failure, at=self._means.clock())
            raise
        finally:
            accounts.end("aborted", failure=None, at=self._means.clock())
            await self._write(about, accounts)

    def _is_asked_cheaply(self, aside: Aside, model: str) -> bool:
        """A model inside this process is not: it would keep its person waiting."""
        definition = self._means.models.definition(model.partition("/")[0])
        return aside.model == CHEAP and definition.family not in ANSWERS_AT_ONCE

    async def _reader(self, aside: Aside, model: str) -> str | None:
        """The model that reads a transcript, if there is one."""
        if aside.model != CHEAP:
            return aside.model
        provider = model.partition("/")[0]
        listed = await self._means.models.listed(provider)
        family = self._means.models.definition(provider).family
        cheap = cheap_model(family, [one.name for one in listed.models] if listed else [])
        return None if cheap is None else f"{provider}/{cheap}"

    async def _in_place(
        self, aside: Aside, chat: Chat, about: TurnContent, *, settings: Applied
    ) -> list[Way]:
        """None, if the turn was not answered by a request of ours."""
        receipts = of_answers(await receipts_of(self._vault, about.turn.id))
        if not receipts:
            return []
        at = self._means.clock()
        prospect = await self._outlooks.of(
            chat, settings=settings, turn_id="", filter_text="", at=at
        )
        outlook = await as_begun(self._vault, prospect.outlook, receipts[-1])
        outlook = structs.replace(outlook, options=structs.replace(outlook.options, prefill=""))
        message = aside_message("in_place", aside.instruction, about)
        ready = await self._means.planner.plan(outlook, [message], overflow=NO_OVERFLOW)
        marks = receipts[-1].contents.marks
        marked_at = marks[-1] if marks else None
        contents = await self._means.planner.contents.of(ready.sent_turn_ids)
        offered = offer(
            "in_place",
            ready,
            price=await self._means.models.price(outlook.model),
            cached_tokens=cached_prefix_tokens(ready, contents, marked_at=marked_at),
            output_tokens=aside.output_tokens,
        )
        prospect = structs.replace(prospect, outlook=outlook)
        return [Way(offer=offered, prospect=prospect, message=message, marked_at=marked_at)]

    async def _as_transcript(
        self, aside: Aside, chat: Chat, about: TurnContent, *, settings: Applied, model: str
    ) -> Way:
        at = self._means.clock()
        prospect = await self._outlooks.of(
            chat,
            settings=_reading(settings, model=model, system=aside.system),
            turn_id="",
            filter_text="",
            at=at,
        )
        message = aside_message("transcript", aside.instruction, about)
        offered = offer(
            "transcript",
            self._means.planner.plan_alone(prospect.outlook, message),
            price=await self._means.models.price(model),
            cached_tokens=0,
            output_tokens=aside.output_tokens,
        )
        return Way(offer=offered, prospect=prospect, message=message, marked_at=None)

    async def _said(self, aside: Aside, about: TurnContent, way: Way, accounts: Accounts) -> str:
        outlook = way.prospect.outlook
        attempts = Attempts(
            self._means,
            turn=about.turn,
            # What is refused for its size is not worth another try.
            outlook=structs.replace(
                outlook, settings=structs.replace(outlook.settings, max_trim_attempts=0)
            ),
            provider=way.prospect.provider,
            accounts=accounts,
            errand=Errand(
                cause=aside.cause,
                form=way.offer.form,
                instruction=aside.instruction,
                marked_at=way.marked_at,
            ),
        )
        said = ""
        async with aclosing(attempts.stream([way.message], way.offer.plan, round=0)) as events:
            async for event in events:
                if isinstance(event, PartDone) and isinstance(event.part, Text):
                    said += event.part.text
        return said

    async def _write(self, about: TurnContent, accounts: Accounts) -> None:
        changes = list(accounts.unwritten)
        if await self._vault.find(TURNS, about.turn.id) is None:
            # Deleted for good: what was said in it must not come back with its receipts.
            changes = [one for one in changes if one.table not in ("receipts", "texts")]
        changes += await belated(self._vault, about.turn, accounts.entries)
        await self._vault.commit(changes)


def _reading(settings: Applied, *, model: str, system: str) -> Applied:
    """For a model that takes no part in the chat: nothing of what was chosen for answers."""
    return structs.replace(
        settings,
        model=model,
        system_prompt=system,
        topic_message="",
        prefill="",
        temperature="model",
        max_output_tokens=MOST_OUTPUT_TOKENS,
        reasoning_effort="model",
        reasoning_budget_tokens="model",
        reasoning_summary="model",
        has_web_search=False,
        cache_mode="all-off",
        tool_mode="all-off",
    )
