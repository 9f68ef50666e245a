"""The engines that every promise of the store is tested on, and stores opened on them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.databases import POSTGRES, database_of
from windowpane.storage.base import Store
from windowpane.storage.choose import store_from

OpenStore = Callable[[str], Awaitable[Store]]


@pytest.fixture(params=["memory", "sqlite", POSTGRES])
def database(request: pytest.FixtureRequest, data_dir: Path) -> str:
    """What the ``database`` setting says, once for each engine."""
    return database_of(request, data_dir)


@pytest.fixture
async def open_store() -> AsyncIterator[OpenStore]:
    """Opens a store, and closes it when the test has ended."""
    opened: list[Store] = []

    async def open_one(database: str) -> Store:
        store = store_from(database)
        await store.open()
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        await store.close()


@pytest.fixture
async def store(database: str, open_store: OpenStore) -> Store:
    return await open_store(database)
