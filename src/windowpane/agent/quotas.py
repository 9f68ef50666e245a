"""What this process sent to each model lately, for the quotas that are counted here."""

from __future__ import annotations

from datetime import datetime

from windowpane.catalog.limits import Limits
from windowpane.catalog.quotas import NOTHING_SENT, QuotaUse, noted, wait_seconds


class Quotas:
    def __init__(self) -> None:
        self._uses: dict[str, QuotaUse] = {}

    def wait_seconds(self, name: str, *, limits: Limits, tokens: int, now: datetime) -> float:
        return wait_seconds(self._uses.get(name, NOTHING_SENT), limits, tokens=tokens, now=now)

    def note(self, name: str, *, tokens: int, at: datetime) -> None:
        self._uses[name] = noted(self._uses.get(name, NOTHING_SENT), tokens=tokens, at=at)
