"""Every turn with tools is tried on each engine that more than one process can use."""

import pytest

from windowpane.storage.base import Store
from windowpane.storage.choose import store_from


@pytest.fixture
def store(shared_database: str) -> Store:
    return store_from(shared_database)
