"""What ``windowpane providers`` does with an open workspace."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from msgspec import Struct

from windowpane.cli.opening import opened_workspace
from windowpane.definitions import Family, ProviderDefinition
from windowpane.errors import InvalidInput
from windowpane.ids import new_id
from windowpane.settings import Settings


class ProviderLine(Struct, frozen=True, kw_only=True):
    name: str
    family: Family
    base_url: str
    has_key: bool


def add_provider(settings: Settings, *, name: str, base_url: str, api_key: str) -> None:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInput(
            f"{base_url} is not an address of a server. It begins with http:// or https://."
        )
    definition = ProviderDefinition(
        id=new_id("provider"),
        name=name,
        family="openai_chat",
        base_url=base_url,
        api_key=api_key,
    )

    async def act() -> None:
        async with opened_workspace(settings) as workspace:
            await workspace.models.add(definition)

    asyncio.run(act())


def remove_provider(settings: Settings, *, name: str) -> None:
    async def act() -> None:
        async with opened_workspace(settings) as workspace:
            await workspace.models.remove(name)

    asyncio.run(act())


def listed(settings: Settings) -> list[ProviderLine]:
    async def act() -> list[ProviderLine]:
        async with opened_workspace(settings) as workspace:
            return [_line(definition) for definition in workspace.models.definitions]

    return asyncio.run(act())


def providers_text(providers: list[ProviderLine]) -> str:
    width = max(len(one.name) for one in providers)
    return "\n".join(
        f"{one.name:<{width}}  {one.family:<12}  {'key' if one.has_key else '   '}  {one.base_url}"
        for one in providers
    )


def _line(definition: ProviderDefinition) -> ProviderLine:
    return ProviderLine(
        name=definition.name,
        family=definition.family,
        base_url=definition.base_url,
        has_key=bool(definition.api_key),
    )
