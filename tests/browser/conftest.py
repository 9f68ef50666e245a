"""A served workspace with a page on it, and a witness who sees what no test asks for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.scene import Serve, Witness, serving


@pytest.fixture
def witness() -> Iterator[Witness]:
    witness = Witness()
    yield witness
    assert witness.seen == []


@pytest.fixture
def page(page: Page, witness: Witness) -> Page:
    return witness.watch(page)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start the server on a vault with one scripted chat, and whatever else is prepared in it."""
    with serving(tmp_path) as serve:
        yield serve
