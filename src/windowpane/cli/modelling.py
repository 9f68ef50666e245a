"""What ``windowpane models`` does with an open workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from windowpane.agent.facts import ModelFacts
from windowpane.agent.models import ModelList, Models
from windowpane.cli.columns import columns
from windowpane.cli.exits import DONE, FAILED
from windowpane.cli.known import KnownModel, known_model, model_text, price_text
from windowpane.cli.models import ModelsOptions
from windowpane.cli.opening import opened_workspace
from windowpane.cli.terminal import complain, show
from windowpane.errors import InvalidInput, UnknownModel
from windowpane.providers.choose import is_ready
from windowpane.settings import Settings

# Prices are decimals, and numbers to whoever reads them.
ENCODER = msgspec.json.Encoder(decimal_format="number")


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints: the models, and the providers that could not say, with why."""

    models: list[KnownModel]
    failures: dict[str, str]


def show_models(settings: Settings, *, options: ModelsOptions) -> int:
    listing = asyncio.run(_listing(settings, options=options))
    show(ENCODER.encode(listing).decode() + "\n" if options.json else _text(listing))
    for provider, reason in listing.failures.items():
        complain(f"{provider}: {reason}")
    return FAILED if listing.failures else DONE


def show_model(settings: Settings, *, name: str, is_json: bool) -> int:
    known = known_model(asyncio.run(_facts(settings, name=name)))
    show((ENCODER.encode(known).decode() if is_json else model_text(known)) + "\n")
    return DONE


async def _listing(settings: Settings, *, options: ModelsOptions) -> Listing:
    async with opened_workspace(settings) as workspace:
        models = workspace.models
        if options.provider is not None:
            _check_ready(models, options.provider)
        listed = await models.choices(is_refreshed=options.refresh)
        listed = _of_provider(listed, options.provider)
        facts = [await models.facts(choice.name) for choice in listed.choices]
    return Listing(models=[known_model(one) for one in facts], failures=listed.failures)


async def _facts(settings: Settings, *, name: str) -> ModelFacts:
    async with opened_workspace(settings) as workspace:
        provider, _, model = name.partition("/")
        names = [definition.name for definition in workspace.models.definitions]
        if not model or provider not in names:
            raise UnknownModel(name, known=[f"{known}/…" for known in names])
        return await workspace.models.facts(name)


def _check_ready(models: Models, name: str) -> None:
    if not is_ready(models.definition(name)):
        raise InvalidInput(f"{name} has no API key yet. Add one: windowpane providers add {name}")


def _of_provider(listed: ModelList, name: str | None) -> ModelList:
    if name is None:
        return listed
    return ModelList(
        choices=tuple(choice for choice in listed.choices if choice.provider == name),
        failures={known: why for known, why in listed.failures.items() if known == name},
    )


def _text(listing: Listing) -> str:
    if not listing.models:
        return ""
    rows = [["model", "window", "in", "out", ""], *map(_row, listing.models)]
    return columns(rows) + "\n"


def _row(known: KnownModel) -> Sequence[str]:
    window = known.limits["context_window_tokens"].value
    notes = [known.label, *(known.abilities or ())]
    return [
        known.name,
        "?" if window is None else f"{window:,}",
        price_text(known.prices, known.prices.input),
        price_text(known.prices, known.prices.output),
        ", ".join(note for note in notes if note),
    ]
