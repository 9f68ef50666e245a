"""Models as their pages show them: a line in a table, and all that is known of one.

Every number comes with the word for where it is known from; what nobody knows is said.
"""

from __future__ import annotations

from msgspec import Struct

from windowpane.agent.facts import ModelFacts
from windowpane.catalog.limits import Limit, Limits
from windowpane.catalog.prices import PriceSnapshot, PriceValues, Rate, usd_text
from windowpane.context.budget import Budget
from windowpane.definitions import Ability

ABILITY_WORDS: dict[Ability, str] = {
    "images": "images",
    "reasoning": "reasoning",
    "tools": "tools",
    "web_search": "web search",
}
LIMIT_WORDS: dict[str, str] = {
    "context_window_tokens": "Context window",
    "input_tokens": "Most input",
    "output_tokens": "Most output",
    "tokens_per_minute": "Tokens a minute",
    "requests_per_minute": "Requests a minute",
    "tokens_per_day": "Tokens a day",
}
RATE_WORDS: dict[str, str] = {
    "input": "Price in",
    "output": "Price out",
    "cache_read": "Cache read",
    "cache_write": "Cache written",
    "reasoning": "Reasoning",
}
UNKNOWN = "unknown"
FREE = "free"


class Cell(Struct, frozen=True, kw_only=True):
    """A value and its source; an unknown one has no source to name."""

    text: str
    source: str
    is_manual: bool = False


class ModelRow(Struct, frozen=True, kw_only=True):
    """``sought`` is what a search looks into: name, abilities, and where things are known from."""

    name: str
    label: str
    window: Cell
    output: Cell
    input_price: Cell
    output_price: Cell
    abilities: Cell
    sought: str


class KnownLine(Struct, frozen=True, kw_only=True):
    what: str
    cell: Cell


def row_of(facts: ModelFacts) -> ModelRow:
    cells = {
        "window": limit_cell(facts.limits.context_window_tokens),
        "output": limit_cell(facts.limits.output_tokens),
        "input_price": rate_cell(facts, "input", is_short=True),
        "output_price": rate_cell(facts, "output", is_short=True),
        "abilities": _abilities(facts),
    }
    sources = " ".join(sorted({cell.source for cell in cells.values()}))
    sought = f"{facts.model.name} {facts.model.label} {cells['abilities'].text} {sources}"
    return ModelRow(name=facts.model.name, label=facts.model.label, sought=sought.lower(), **cells)


def known_lines(facts: ModelFacts) -> list[KnownLine]:
    """The window, the prices and abilities always, everything else where it is known."""
    limits = [
        KnownLine(what=LIMIT_WORDS[name], cell=limit_cell(limit))
        for name, limit in listed_limits(facts.limits)
        if limit.value is not None or name in ("context_window_tokens", "output_tokens")
    ]
    rates = [
        KnownLine(what=words, cell=rate_cell(facts, name, is_short=False))
        for name, words in RATE_WORDS.items()
        if rate_of(facts.price, name) is not None or name in ("input", "output")
    ]
    return [*limits, *rates, KnownLine(what="Able to use", cell=_abilities(facts))]


def budget_sentence(budget: Budget) -> str:
    if budget.usable_tokens is None:
        return (
            "Nobody says how much it takes, so no boundary is drawn. "
            "A refusal teaches the limit, or set it below."
        )
    if budget.window_tokens is None:
        return f"Of what you send it sees up to {budget.usable_tokens:,} tokens."
    return (
        f"Of {budget.window_tokens:,} tokens, {budget.usable_tokens:,} are for what is sent: "
        f"{budget.reserve_tokens:,} are kept for the answer and {budget.margin_tokens:,} "
        "against miscounting."
    )


def limit_cell(limit: Limit) -> Cell:
    if limit.value is None:
        return Cell(text=UNKNOWN, source="")
    return Cell(text=f"{limit.value:,}", source=limit.source, is_manual=limit.source == "manual")


def rate_cell(facts: ModelFacts, name: str, *, is_short: bool) -> Cell:
    """A price that is only that of a similar model, or of its maker, says so."""
    rate = rate_of(facts.price, name)
    if rate is None:
        return Cell(text=UNKNOWN, source="")
    text = _short_rate(rate) if is_short else _whole_rate(rate)
    if facts.override and rate_of(facts.override.prices, name) is not None:
        return Cell(text=text, source="manual", is_manual=True)
    source = facts.told_price_source
    if facts.price.is_unreliable:
        return Cell(text=f"≈ {text}", source=f"{source}, unreliable")
    return Cell(text=text, source=source)


def _short_rate(rate: Rate) -> str:
    return f"from {_usd(rate)}" if rate.tiers else _usd(rate)


def _whole_rate(rate: Rate) -> str:
    tiers = [
        f"{usd_text(tier.usd_per_million)} above {tier.above_input_tokens:,} tokens"
        for tier in rate.tiers
    ]
    return ", ".join([_usd(rate), *tiers])


def _usd(rate: Rate) -> str:
    return usd_text(rate.usd_per_million) if rate.usd_per_million else FREE


def _abilities(facts: ModelFacts) -> Cell:
    if facts.model.abilities is None:
        return Cell(text=UNKNOWN, source="")
    able = ", ".join(ABILITY_WORDS[one] for one in facts.model.abilities)
    return Cell(text=able or "text only", source="provider")


def listed_limits(limits: Limits) -> list[tuple[str, Limit]]:
    return [(name, getattr(limits, name)) for name in LIMIT_WORDS]


def rate_of(prices: PriceSnapshot | PriceValues, name: str) -> Rate | None:
    return getattr(prices, name)
