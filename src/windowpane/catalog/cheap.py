"""The model that a provider is asked for small things: titles, and what is read on the side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from windowpane.definitions import Family

OPENAI = ("gpt-4.1-nano", "gpt-4o-mini")
CLAUDE = ("claude-haiku-4-5", "claude-3-5-haiku")
GEMINI = ("gemini-2.5-flash-lite", "gemini-2.5-flash")
# By a part of its name, the first that is there: gateways and clouds write something before it,
# makers a date behind it. None of them thinks unless it is told to.
CHEAP: Mapping[Family, tuple[str, ...]] = {
    "openai_chat": (*OPENAI, *GEMINI, *CLAUDE, "mistral-small"),
    "openai_responses": OPENAI,
    "anthropic": CLAUDE,
    "bedrock": ("nova-micro", *CLAUDE),
    "google": GEMINI,
    "local": (),
    "scripted": (),
}


def cheap_model(family: Family, listed: Iterable[str]) -> str | None:
    """None if the provider lists none that is known to be cheap."""
    names = sorted(listed, key=len)
    return next((name for part in CHEAP[family] for name in names if part in name), None)
