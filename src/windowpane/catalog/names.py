"""Finding a model by the name a provider gives it, and saying how sure the find is.

Dated releases, host prefixes and tags name the model they are made of; any other ending is some
other model, and the find is a catch-all: good enough to show, never reliable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

MatchMode = Literal["exact", "fuzzy", "catch_all", "none"]

# "-preview-05-06", "-20250929", "-2024-08-06", "-0613", "@20250929", "-latest", "-v1:0", ":free".
# A date before "-preview" is not among them: gpt-4-1106-preview was another model than gpt-4.
_RELEASE = re.compile(
    r"(-(latest|preview|exp|beta))?"
    r"([-@](\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{8}|\d{6}|\d{3,4}))?"
    r"(-v\d+(:\d+)?)?"
    r"(:[a-z0-9.-]+)?"
)
# "us.anthropic.", "global.anthropic.", "meta."
_HOST = re.compile(r"([a-z0-9-]+\.)*")


class Match(Struct, frozen=True):
    """``known`` is the name that was found in the list searched."""

    known: str
    mode: MatchMode

    @property
    def is_reliable(self) -> bool:
        return self.mode in ("exact", "fuzzy")


def find(name: str, known: Iterable[str]) -> Match | None:
    """The best match, with the name as given, then without what stands before its slashes."""
    return find_listed(name, plainly_listed(known))


def plainly_listed(known: Iterable[str]) -> dict[str, str]:
    """Names in the form in which they are compared: for those who search one list often."""
    return {_plain(entry): entry for entry in known}


def find_listed(name: str, listed: Mapping[str, str]) -> Match | None:
    for candidate in without_hosts(_plain(name)):
        if candidate in listed:
            return Match(listed[candidate], "exact")
        if match := _best(candidate, listed):
            return match
    return None


def without_hosts(name: str) -> Iterator[str]:
    """The name as it is, then without ``provider/``, as often as there is one."""
    while name:
        yield name
        name = name.partition("/")[2]


def mode_of(name: str, known: str) -> MatchMode:
    """How ``name`` stands to one known name."""
    return _mode(_plain(name), _plain(known))


def _mode(name: str, known: str) -> MatchMode:
    if name == known:
        return "exact"
    before, found, after = name.partition(known)
    if not found or not _HOST.fullmatch(before):
        return "none"
    if _RELEASE.fullmatch(after):
        return "fuzzy"
    return "catch_all" if after[0] in "-.:@" else "none"


def _best(name: str, listed: Mapping[str, str]) -> Match | None:
    """A reliable find before a catch-all, and then the longest name, which says most."""
    matches = [
        (mode != "catch_all", len(plain), Match(entry, mode))
        for plain, entry in listed.items()
        # Most names are not even part of the other, and a list has hundreds.
        if plain in name and (mode := _mode(name, plain)) != "none"
    ]
    best = max(matches, key=lambda found: found[:2], default=None)
    return best[2] if best else None


def _plain(name: str) -> str:
    """Makers write 4-5 where resellers write 4.5."""
    return re.sub(r"(?<=\d)\.(?=\d)", "-", name.lower())
