"""The sources that an answer leans on: one number for each, however often it is named.

Also the one place that decides which addresses of strangers become links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from msgspec import Struct

from windowpane.parts import Citation

WEB_SCHEMES = ("http", "https")
HOST_NAME = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+", re.IGNORECASE)


class Source(Struct, frozen=True, kw_only=True):
    """``href`` is empty where the address is none of the web's; ``quotes`` are the words cited.

    ``host`` is empty where the title is an address itself: some providers only pass on by theirs.
    """

    number: int
    title: str
    href: str
    host: str
    quotes: tuple[str, ...]


class Numbering:
    """The numbers of an answer's sources, in the order in which they were first named."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def sources(self, citations: Iterable[Citation]) -> tuple[Source, ...]:
        """The sources of one text, each once."""
        named: dict[str, list[Citation]] = {}
        for citation in citations:
            named.setdefault(citation.url or citation.title, []).append(citation)
        return tuple(self._source(key, cited) for key, cited in named.items())

    def _source(self, key: str, cited: list[Citation]) -> Source:
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        url = cited[0].url
        titles = (citation.title for citation in cited if citation.title.strip())
        quotes = (citation.cited_text.strip() for citation in cited)
        title = next(titles, url)
        return Source(
            number=number,
            title=_without_scheme(title),
            href=web_address(url),
            host="" if _is_address(title) else host_of(url),
            quotes=tuple(dict.fromkeys(quote for quote in quotes if quote)),
        )


def _is_address(title: str) -> bool:
    return bool(host_of(title)) or HOST_NAME.fullmatch(title.strip()) is not None


def _without_scheme(title: str) -> str:
    return title.removeprefix("https://").removeprefix("http://").rstrip("/") or title


def web_address(url: str) -> str:
    """The address if a browser may follow it, else nothing."""
    return url if host_of(url) else ""


def host_of(url: str) -> str:
    """Who would be asked, for an address of the web."""
    try:
        split = urlsplit(url)
        return (split.hostname or "") if split.scheme in WEB_SCHEMES else ""
    except ValueError:
        return ""
