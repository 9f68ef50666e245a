"""The requests of one turn: each is tried until the provider takes it or nothing more helps.

Every request leaves a receipt, whatever becomes of it. What is too large is made smaller, what
passes by itself is waited for; ``retry`` decides which is which.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import timedelta
from hashlib import sha256

import msgspec
from msgspec import Struct

from windowpane.accounting import Cause
from windowpane.agent.accounts import Accounts, OpenAccount, cause_of
from windowpane.agent.budgets import Budgets, given_back
from windowpane.agent.clock import Clock
from windowpane.agent.models import Models
from windowpane.agent.planner import Outlook, Planner
from windowpane.agent.retry import Again, RetryPolicy, decision, held_sentence, policy_from
from windowpane.catalog.prices import PriceSnapshot
from windowpane.context.given import NO_OVERFLOW
from windowpane.context.plan import ContextPlan
from windowpane.context.receipt import Aside, Receipt, Sent, Stage, contents_of, sizes_of
from windowpane.context.refusal import after_refusal, sends_the_same
from windowpane.context.request import ModelRequest
from windowpane.context.side import SideForm
from windowpane.errors import BudgetExceeded, Failure, InvalidInput, ProviderFailed
from windowpane.events import (
    AttemptEvent,
    AttemptFailed,
    AttemptStarted,
    HoldReason,
    SendHeld,
    StreamEvent,
)
from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.providers.base import Provider, WireRequest
from windowpane.settings import Settings
from windowpane.storage.accounts import text_id
from windowpane.storage.vault import Vault
from windowpane.turns import Turn

QUOTA_SENTENCE = "Waiting for room in the quota of {model}: {seconds:.0f} s."


class Means(Struct, frozen=True, kw_only=True):
    """What every turn's requests are made with."""

    vault: Vault
    models: Models
    planner: Planner
    budgets: Budgets
    policy: RetryPolicy
    max_iterations: int
    clock: Clock


def means_of(
    vault: Vault,
    models: Models,
    planner: Planner,
    budgets: Budgets,
    *,
    settings: Settings,
    clock: Clock,
) -> Means:
    return Means(
        vault=vault,
        models=models,
        planner=planner,
        budgets=budgets,
        policy=policy_from(settings),
        max_iterations=settings.max_iterations,
        clock=clock,
    )


class Errand(Struct, frozen=True, kw_only=True):
    """A request on the side; ``marked_at`` is where the last request of the chat was marked."""

    cause: Cause
    form: SideForm
    instruction: str
    marked_at: str | None


class _After(Struct, frozen=True, kw_only=True):
    """What a failed request leads to: another plan, the same one after a wait, or the end."""

    failure: Failure
    stage: Stage
    plan: ContextPlan | None = None
    wait_seconds: float | None = None


class Attempts:
    """``overflow`` is what the refusals of this turn have taught; later rounds keep to it.

    A request that is broken off from outside stays open in ``accounts``: who breaks it off ends it.
    """

    def __init__(
        self,
        means: Means,
        *,
        turn: Turn,
        outlook: Outlook,
        provider: Provider,
        accounts: Accounts,
        errand: Errand | None,
    ) -> None:
        self._means = means
        self._errand = errand
        self._turn = turn
        self._outlook = outlook
        self._provider = provider
        self._accounts = accounts
        self._overflow = NO_OVERFLOW
        self._trims = 0
        self._waited_seconds = 0.0

    async def plan(self, messages: Sequence[Message]) -> ContextPlan:
        return await self._means.planner.plan(self._outlook, messages, overflow=self._overflow)

    async def stream(
        self, messages: Sequence[Message], ready: ContextPlan, *, round: int
    ) -> AsyncGenerator[StreamEvent | AttemptEvent, None]:
        """The answer to ``messages``, ``ready`` being their plan."""
        retries = 0
        while True:
            async with aclosing(self._within_quota(ready)) as holds:
                async for hold in holds:
                    yield hold
            account = await self._begin(messages, ready, round=round)
            yield AttemptStarted(
                receipt_id=account.receipt.id,
                number=account.receipt.number,
                tokens=ready.total_tokens,
            )
            try:
                async with aclosing(self._heard(account)) as events:
                    async for event in events:
                        yield event
                return
            except ProviderFailed as failed:
                await account.priced()
                after = await self._after(failed.failure, account, messages, ready, retries)
            yield self._failed(after)
            if after.plan is None:
                raise ProviderFailed(after.failure)
            ready = after.plan
            if after.wait_seconds is not None:
                retries += 1
                message = held_sentence(after.failure, wait_seconds=after.wait_seconds)
                yield self._held("retry", after.wait_seconds, message)
                await self._wait(after.wait_seconds)

    async def _after(
        self,
        failure: Failure,
        account: OpenAccount,
        messages: Sequence[Message],
        ready: ContextPlan,
        retries: int,
    ) -> _After:
        step = decision(
            failure,
            has_begun=account.has_begun,
            seconds=account.seconds,
            retries=retries,
            policy=self._means.policy,
            chance=random.random(),
        )
        if step == "smaller":
            smaller = await self._smaller(messages, ready, failure)
            if smaller is None:
                return _After(failure=_exhausted(failure), stage="overflow_exhausted")
            stage = "overflow_initial" if self._trims == 1 else "overflow_retry"
            return _After(failure=failure, stage=stage, plan=smaller)
        if isinstance(step, Again):
            return _After(
                failure=failure, stage="error", plan=ready, wait_seconds=step.wait_seconds
            )
        return _After(failure=failure, stage="error")

    async def _heard(self, account: OpenAccount) -> AsyncGenerator[StreamEvent, None]:
        async with aclosing(self._provider.stream(self._wire)) as events:
            async for event in events:
                account.hear(event)
                yield event
        await account.priced()
        self._accounts.end("success", failure=None, at=self._means.clock())
        if account.usage is not None:
            learned = self._means.models.learned.from_usage(
                self._outlook.model,
                estimated_tokens=account.receipt.sizes.total_tokens,
                usage=account.usage,
                answer=account.parts,
            )
            self._accounts.unwritten.extend(learned)

    async def _begin(
        self, messages: Sequence[Message], ready: ContextPlan, *, round: int
    ) -> OpenAccount:
        means, errand = self._means, self._errand
        request = await means.planner.request(
            self._outlook, ready, frozen_mark_at=errand.marked_at if errand else None
        )
        self._wire = self._worded(request)
        texts = self._shared_texts(request)
        receipt = await self._receipt(
            ready, request, messages=len(messages), round=round, text_ids=[id for id, _ in texts]
        )
        self._waited_seconds = 0.0
        price = asyncio.ensure_future(means.models.price(receipt.model))
        # Open before money is set aside: whatever breaks off from here on gives it back.
        has_caps = bool(self._outlook.caps)
        account = OpenAccount(
            receipt,
            price=price,
            counter=self._outlook.counter,
            release=given_back(means.vault, self._outlook.place, receipt.id) if has_caps else (),
        )
        self._accounts.begin(account, texts=dict(texts))
        await self._reserve(receipt, price)
        account.goes_out()
        means.models.quotas.note(receipt.model, tokens=ready.total_tokens, at=receipt.started_at)
        return account

    def _shared_texts(self, request: ModelRequest) -> list[tuple[str, str]]:
        """System, tools and, on the side, what is asked for; each behind its address."""
        texts = [request.system, msgspec.json.encode(request.tools).decode()]
        if self._errand is not None:
            texts.append(self._errand.instruction)
        chat_id = self._turn.chat_id
        return [(text_id(self._means.vault, text, chat_id=chat_id), text) for text in texts]

    async def _receipt(
        self,
        ready: ContextPlan,
        request: ModelRequest,
        *,
        messages: int,
        round: int,
        text_ids: Sequence[str],
    ) -> Receipt:
        errand, outlook = self._errand, self._outlook
        contents = contents_of(
            ready,
            request,
            depth_of=await self._means.planner.depths(outlook, ready),
            current_messages=messages,
            system_id=text_ids[0],
            tools_id=text_ids[1],
            aside=Aside(form=errand.form, instruction_id=text_ids[2]) if errand else None,
        )
        return Receipt(
            id=new_id("receipt"),
            project_id=outlook.chat.project_id,
            chat_id=self._turn.chat_id,
            turn_id=self._turn.id,
            number=self._accounts.requests + 1,
            cause=errand.cause if errand else cause_of(round),
            round=round,
            model=outlook.model,
            scope=ready.scope,
            filter_text=ready.filter_text,
            settings=ready.settings,
            budget=ready.budget,
            contents=contents,
            sizes=sizes_of(ready),
            sent=_sent(self._wire),
            started_at=self._means.clock(),
            waited_seconds=self._waited_seconds,
        )

    def _worded(self, request: ModelRequest) -> WireRequest:
        """What cannot be put into the provider's words is a failure like any other."""
        try:
            return self._provider.to_wire(request)
        except InvalidInput as error:
            raise ProviderFailed(Failure(kind="invalid", message=str(error))) from error

    async def _reserve(self, receipt: Receipt, price: asyncio.Future[PriceSnapshot]) -> None:
        caps = self._outlook.caps
        if not caps:
            return
        call = self._outlook.call(
            receipt_id=receipt.id,
            input_tokens=receipt.sizes.total_tokens,
            price=await price,
        )
        try:
            await self._means.budgets.reserve(caps, self._outlook.place, call)
        except BudgetExceeded as error:
            failure = Failure(kind="refused", code=error.code, message=str(error))
            raise ProviderFailed(failure) from error

    def _failed(self, after: _After) -> AttemptFailed:
        receipt = self._accounts.end(after.stage, failure=after.failure, at=self._means.clock())
        assert receipt is not None, "only an open request can fail"
        return AttemptFailed(receipt_id=receipt.id, number=receipt.number, failure=after.failure)

    async def _within_quota(self, ready: ContextPlan) -> AsyncGenerator[SendHeld, None]:
        """Wait until the quotas that are known have room, instead of being refused."""
        model = self._outlook.model
        while True:
            seconds = self._means.models.quotas.wait_seconds(
                model,
                limits=await self._means.models.limits(model),
                tokens=ready.total_tokens,
                now=self._means.clock(),
            )
            if seconds <= 0:
                return
            sentence = QUOTA_SENTENCE.format(model=model, seconds=seconds)
            yield self._held("quota", seconds, sentence)
            await self._wait(seconds)

    def _held(self, reason: HoldReason, seconds: float, message: str) -> SendHeld:
        until_at = self._means.clock() + timedelta(seconds=seconds)
        return SendHeld(reason=reason, until_at=until_at, message=message)

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._waited_seconds += seconds

    async def _smaller(
        self, messages: Sequence[Message], ready: ContextPlan, failure: Failure
    ) -> ContextPlan | None:
        """The next plan after a refusal; None when nothing can leave any more."""
        most_trims = self._outlook.settings.max_trim_attempts
        if self._trims >= most_trims:
            return None
        self._trims += 1
        self._overflow = after_refusal(self._overflow, message=failure.message, plan=ready)
        learned = self._means.models.learned.from_overflow(
            self._outlook.model, message=failure.message
        )
        self._accounts.unwritten.extend(learned)
        smaller = await self.plan(messages)
        is_helpless = smaller.unsendable is not None or sends_the_same(smaller, ready)
        return None if is_helpless else smaller


def _sent(wire: WireRequest) -> Sent:
    return Sent(
        method=wire.method,
        url=wire.url,
        headers=wire.headers,
        body_bytes=len(wire.body),
        body_sha256=sha256(wire.body).hexdigest(),
    )


def _exhausted(said: Failure) -> Failure:
    return Failure(
        kind="overflow",
        code="context_overflow_after_trimming",
        message="The request is too large for this model, and leaving out older turns did not "
        f"help. The provider said: {said.message}",
        http_status=said.http_status,
    )
