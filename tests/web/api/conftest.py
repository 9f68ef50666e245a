"""A server with nothing in its vault but the defaults, and a program that was let in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_provider import FakeProvider, fake_provider
from tests.http import Client
from tests.server import Server


@pytest.fixture
def client(data_dir: Path) -> Iterator[Client]:
    server = Server(data_dir)
    server.start()
    yield Client.let_in(server.entrance)
    server.kill()
    assert "Traceback" not in server.complaints(), server.complaints()


@pytest.fixture
def lab() -> Iterator[FakeProvider]:
    with fake_provider() as provider:
        yield provider
