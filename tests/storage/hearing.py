"""An ear for what a store tells of other processes."""

import asyncio
from collections.abc import Callable

from windowpane.storage.base import Notice, Store

PATIENCE_SECONDS = 30


class Ear:
    """What a store has told so far. ``None`` among it stands for anything at all."""

    def __init__(self) -> None:
        self.heard: list[Notice | None] = []
        self._news = asyncio.Event()

    def __call__(self, notice: Notice | None) -> None:
        self.heard.append(notice)
        self._news.set()

    async def until(self, is_enough: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not is_enough():
                self._news.clear()
                await self._news.wait()

    async def until_told(self, notice: Notice) -> None:
        await self.until(lambda: notice in self.heard or None in self.heard)


async def listening(store: Store) -> Ear:
    ear = Ear()
    await store.listen(ear)
    return ear
