"""What ``windowpane providers`` does with an open workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from windowpane.agent.checking import Checked
from windowpane.cli.columns import columns
from windowpane.cli.exits import DONE, FAILED
from windowpane.cli.offered import definition_for
from windowpane.cli.opening import opened_workspace
from windowpane.cli.providers import AddOptions
from windowpane.cli.terminal import complain, show
from windowpane.definitions import Family, ProviderDefinition
from windowpane.providers.choose import is_ready
from windowpane.providers.presets import PRESETS, Preset
from windowpane.settings import Settings

if TYPE_CHECKING:
    from windowpane.providers.nearby import Found

# So many of a provider's models are named when it is added.
NAMED_MODELS = 3


class ProviderLine(Struct, frozen=True, kw_only=True):
    """What is shown of a provider: neither its key nor what its headers hold."""

    name: str
    family: Family
    base_url: str
    has_key: bool
    header_names: tuple[str, ...]
    is_local: bool
    is_ready: bool
    icon: str
    models_endpoint: str


def add_provider(settings: Settings, *, options: AddOptions) -> int:
    definition = definition_for(options)

    async def act() -> Checked:
        async with opened_workspace(settings) as workspace:
            checked = Checked()
            if not options.no_check:
                checked = await workspace.models.check(definition)
            if checked.failure is None:
                await workspace.models.add(definition)
            return checked

    checked = asyncio.run(act())
    if checked.failure is not None:
        complain(f"{_refusal(checked)} Nothing was stored; with --no-check it would be.")
        return FAILED
    print(f"Added {definition.name}. {_models_text(definition.name, checked)}")
    return DONE


def check_provider(settings: Settings, *, name: str) -> int:
    async def act() -> Checked:
        async with opened_workspace(settings) as workspace:
            return await workspace.models.check(workspace.models.definition(name))

    checked = asyncio.run(act())
    if checked.failure is not None:
        complain(_refusal(checked))
        return FAILED
    print(f"{name} answers. {_models_text(name, checked)}")
    return DONE


def remove_provider(settings: Settings, *, name: str) -> int:
    async def act() -> None:
        async with opened_workspace(settings) as workspace:
            await workspace.models.remove(name)

    asyncio.run(act())
    print(f"Removed {name}.")
    return DONE


def show_providers(settings: Settings, *, is_json: bool) -> int:
    async def act() -> list[ProviderLine]:
        async with opened_workspace(settings) as workspace:
            return [_line(definition) for definition in workspace.models.definitions]

    lines = asyncio.run(act())
    show((msgspec.json.encode(lines).decode() if is_json else _providers_text(lines)) + "\n")
    return DONE


def show_presets(settings: Settings) -> int:
    async def act() -> Sequence[Found]:
        async with opened_workspace(settings) as workspace:
            return await workspace.models.nearby()

    nearby = asyncio.run(act())
    show(f"{_presets_text(PRESETS)}\n\n{_nearby_text(nearby)}\n")
    return DONE


def _refusal(checked: Checked) -> str:
    """Why it failed and what to mend, unless the failure says so itself."""
    message = checked.failure.message if checked.failure else ""
    is_said = checked.advice.removeprefix("Check ").rstrip(".") in message
    return message if is_said else f"{message} {checked.advice}"


def _models_text(name: str, checked: Checked) -> str:
    """How its models are called, by the first of them."""
    if not checked.models:
        return f"Its models: windowpane send --model {name}/MODEL …"
    named = ", ".join(f"{name}/{model.name}" for model in checked.models[:NAMED_MODELS])
    count = len(checked.models)
    return f"{count} models, such as {named}." if count > NAMED_MODELS else f"Its models: {named}."


def _providers_text(lines: Sequence[ProviderLine]) -> str:
    return columns([[one.name, one.family, _state(one), one.base_url] for one in lines])


def _state(line: ProviderLine) -> str:
    if not line.is_ready:
        return "no key yet"
    return "key" if line.has_key else ""


def _presets_text(presets: Sequence[Preset]) -> str:
    rows = [[one.id, one.name, one.family, one.base_url or one.base_url_hint] for one in presets]
    return f"Presets, for windowpane providers add PRESET:\n{columns(rows)}"


def _nearby_text(nearby: Sequence[Found]) -> str:
    if not nearby:
        return "No other model server answers on the usual ports of this machine."
    rows = [[one.preset.id, one.base_url, f"{len(one.models)} models"] for one in nearby]
    return f"Running on this machine:\n{columns(rows)}"


def _line(definition: ProviderDefinition) -> ProviderLine:
    return ProviderLine(
        name=definition.name,
        family=definition.family,
        base_url=definition.base_url,
        has_key=bool(definition.api_key),
        header_names=tuple(definition.headers),
        is_local=definition.is_local,
        is_ready=is_ready(definition),
        icon=definition.icon,
        models_endpoint=definition.models_endpoint,
    )
