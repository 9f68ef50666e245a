"""The requests of one turn: each is tried until the provider takes it or nothing can leave.

Only an overflow is tried again here, and only before the first word of an answer: what was said
cannot be unsaid.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from windowpane.agent.planner import Outlook, Planner
from windowpane.context.given import NO_OVERFLOW
from windowpane.context.plan import ContextPlan
from windowpane.context.refusal import after_refusal, has_more_to_trim
from windowpane.errors import Failure, ProviderFailed
from windowpane.events import StreamEvent
from windowpane.messages import Message
from windowpane.providers.base import Provider


class Attempts:
    """``overflow`` is what the refusals of this turn have taught; later rounds keep to it."""

    def __init__(self, planner: Planner, outlook: Outlook, provider: Provider) -> None:
        self._planner = planner
        self._outlook = outlook
        self._provider = provider
        self._overflow = NO_OVERFLOW

    async def plan(self, messages: Sequence[Message]) -> ContextPlan:
        return await self._planner.plan(self._outlook, messages, overflow=self._overflow)

    async def stream(
        self, messages: Sequence[Message], ready: ContextPlan
    ) -> AsyncGenerator[StreamEvent, None]:
        attempts_left = self._outlook.settings.max_trim_attempts
        while True:
            has_begun = False
            try:
                async with aclosing(await self._opened(ready)) as events:
                    async for event in events:
                        has_begun = True
                        yield event
                return
            except ProviderFailed as failed:
                if has_begun or failed.failure.kind != "overflow":
                    raise
                ready = await self._smaller(messages, ready, failed, attempts_left=attempts_left)
                attempts_left -= 1

    async def _opened(self, ready: ContextPlan) -> AsyncGenerator[StreamEvent, None]:
        return self._provider.stream(await self._planner.request(self._outlook, ready))

    async def _smaller(
        self,
        messages: Sequence[Message],
        ready: ContextPlan,
        failed: ProviderFailed,
        *,
        attempts_left: int,
    ) -> ContextPlan:
        said = failed.failure
        if attempts_left == 0 or not has_more_to_trim(ready):
            raise ProviderFailed(_exhausted(said)) from failed
        self._overflow = after_refusal(self._overflow, message=said.message, plan=ready)
        smaller = await self.plan(messages)
        if smaller.unsendable is not None:
            raise ProviderFailed(_exhausted(said)) from failed
        return smaller


def _exhausted(said: Failure) -> Failure:
    return Failure(
        kind="overflow",
        message="The request is too large for this model, and leaving out older turns did not "
        f"help. The provider said: {said.message}",
        http_status=said.http_status,
    )
