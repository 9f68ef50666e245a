"""What the mappers of all families do alike: read on while all is well, and end an answer.

A family brings what cuts its bytes into payloads, and reads each payload in its own words.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from windowpane.errors import ProviderFailed
from windowpane.events import Finished, StreamEvent, UsageReported
from windowpane.messages import Finish
from windowpane.providers.assembly import Assembly
from windowpane.providers.base import StreamMapper
from windowpane.providers.classify import CUT, complaint_from, failure_from
from windowpane.usage import TokenUsage

Payload = TypeVar("Payload")
Counts = TypeVar("Counts", bound=Struct)


class AnswerMapper(StreamMapper, Generic[Payload]):
    """An answer of any family; ``cut`` makes payloads of the bytes that came in."""

    def __init__(
        self, cut: Callable[[bytes], Iterable[Payload]], *, secrets: Sequence[str]
    ) -> None:
        self._cut = cut
        self._secrets = secrets
        self._assembly = Assembly()
        self.failure = None
        self.is_done = False

    def feed(self, block: bytes) -> list[StreamEvent]:
        """The events of one block, its text joined into one delta."""
        # As ``_read_all`` does, without its call: this is done for every block that comes in.
        try:
            for payload in self._cut(block):
                if self.failure is None and not self.is_done:
                    self._read(payload)
        except ProviderFailed as failed:
            self.failure = self.failure or failed.failure
        return self._assembly.take()

    def end(self) -> list[StreamEvent]:
        """The body is over: what is open closes, and the answer is complete or cut."""
        self._read_all(self._last_payloads())
        if self.failure is None and not self._is_complete():
            self.failure = CUT
        events = self._last_parts()
        usage = self._told_usage()
        if usage is not None:
            events.append(UsageReported(usage=usage))
        if self.failure is None:
            events.append(Finished(finish=self._finish()))
        return events

    @abstractmethod
    def _read(self, payload: Payload, /) -> None: ...

    @abstractmethod
    def _told_usage(self) -> TokenUsage | None: ...

    @abstractmethod
    def _finish(self) -> Finish:
        """How an answer that is complete came to its end."""

    def _last_payloads(self) -> Iterable[Payload]:
        """What nothing closed and yet can be read."""
        return ()

    def _is_complete(self) -> bool:
        return self.is_done

    def _last_parts(self) -> list[StreamEvent]:
        return self._assembly.close()

    def _read_all(self, payloads: Iterable[Payload]) -> None:
        """All of them are taken, also after the last word: damage may come behind it."""
        for payload in payloads:
            if self.failure is None and not self.is_done:
                self._read(payload)

    def _fail(self, body: bytes) -> None:
        """The provider says in the middle of an answer that there will be no more of it."""
        complaint = complaint_from(body, http_status=None)
        self.failure = failure_from(complaint, secrets=self._secrets, retry_after_seconds=None)


def last_counts(known: Counts | None, told: Counts) -> Counts:
    """Counts are cumulative, and the last word on each is the right one."""
    if known is None:
        return told
    for name in told.__struct_fields__:
        value = getattr(told, name)
        if value is not None:
            setattr(known, name, value)
    return known
