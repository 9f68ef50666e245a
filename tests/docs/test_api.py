"""The pages for programs: every request that the server takes is on one of them, and no other."""

from __future__ import annotations

import re

from tests.docs.pages import page
from windowpane.web.api import API_HANDLERS

PLACE = re.compile(r"\{[^}]*\}")
REQUEST = re.compile(r"`(GET|POST|PUT|PATCH|DELETE) (/api/[^`?]*)`")


def served() -> set[str]:
    return {
        f"{method} {PLACE.sub('{}', path)}"
        for handler in API_HANDLERS
        for path in handler.paths
        for method in handler.http_methods
    }


def told() -> set[str]:
    rows = page("api.md") + page("chats.md")
    return {f"{method} {PLACE.sub('{}', path)}" for method, path in REQUEST.findall(rows)}


def test_every_request_is_on_a_page_and_no_other() -> None:
    assert served() - told() == set()
    assert told() - served() == set()
