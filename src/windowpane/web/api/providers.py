"""Provider definitions over HTTP. Keys and header values go in and never come out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from litestar import Request, delete, get, post, put
from msgspec import Struct, structs

from windowpane.agent.checking import Checked, unusable
from windowpane.definitions import Family, ModelInfo, ProviderDefinition
from windowpane.errors import InvalidInput, NotFound
from windowpane.ids import new_id
from windowpane.providers.choose import is_ready
from windowpane.providers.presets import PRESETS, Preset
from windowpane.web.leaving import unless_left
from windowpane.workspace import Workspace


class ProviderView(Struct, frozen=True, kw_only=True):
    """``model_count`` is None as long as the provider has told no list."""

    id: str
    name: str
    family: Family
    base_url: str
    icon: str
    is_local: bool
    models_endpoint: str
    header_names: tuple[str, ...]
    has_key: bool
    is_ready: bool
    model_count: int | None
    listed_at: datetime | None


class ProviderInput(Struct, frozen=True, kw_only=True):
    """A key or headers that are left out stay as they are stored.

    So does the value of a header that is null; headers that are not named are taken away.
    """

    name: str
    family: Family
    base_url: str = ""
    api_key: str | None = None
    is_local: bool = False
    icon: str = ""
    models_endpoint: str = ""
    headers: dict[str, str | None] | None = None


class NearbyServer(Struct, frozen=True, kw_only=True):
    preset: str
    name: str
    base_url: str
    models: tuple[ModelInfo, ...]


@get("/api/presets")
async def list_presets() -> tuple[Preset, ...]:
    """Services to begin with."""
    return PRESETS


@get("/api/providers")
async def list_providers(workspace: Workspace) -> list[ProviderView]:
    await workspace.models.read()
    return [await provider_view(workspace, known) for known in workspace.models.definitions]


@get("/api/providers/nearby")
async def list_nearby(workspace: Workspace) -> list[NearbyServer]:
    """Model servers on the usual ports of this machine that are not defined yet."""
    return [
        NearbyServer(
            preset=found.preset.id,
            name=found.preset.name,
            base_url=found.base_url,
            models=found.models,
        )
        for found in await workspace.models.nearby()
    ]


@post("/api/providers")
async def add_provider(workspace: Workspace, data: ProviderInput) -> ProviderView:
    await workspace.models.read()
    name = workspace.models.new_name(data.name)
    await workspace.models.add(_definition(data, known=None))
    return await provider_view(workspace, workspace.models.definition(name))


@post("/api/providers/check", status_code=200)
async def check_provider(
    request: Request[Any, Any, Any],
    workspace: Workspace,
    data: ProviderInput,
    is_new: bool = False,
) -> Checked:
    """Ask the provider for its models; nothing is stored.

    With ``is_new`` it is also said whether another provider has the name already.
    """
    models = workspace.models
    await models.read()
    if is_new:
        try:
            models.new_name(data.name)
        except InvalidInput as error:
            return unusable(str(error), field="name")
    known = None if is_new else _known(workspace, data.name)
    return await unless_left(request, models.check(_definition(data, known=known)))


@post("/api/providers/{name:str}/check", status_code=200)
async def check_stored(request: Request[Any, Any, Any], workspace: Workspace, name: str) -> Checked:
    """Ask the provider for its models, with what is stored of it."""
    await workspace.models.read()
    definition = workspace.models.definition(name)
    return await unless_left(request, workspace.models.check(definition))


@post("/api/providers/{name:str}/refresh", status_code=200)
async def refresh_models(
    request: Request[Any, Any, Any], workspace: Workspace, name: str
) -> Checked:
    """Ask the provider for its models, and keep the list; given up if the caller leaves."""
    return await unless_left(request, workspace.models.refresh(name))


@put("/api/providers/{name:str}")
async def change_provider(workspace: Workspace, name: str, data: ProviderInput) -> ProviderView:
    await workspace.models.read()
    known = workspace.models.definition(name)
    await workspace.models.replace(name, _definition(data, known=known))
    return await provider_view(workspace, workspace.models.definition(name))


@delete("/api/providers/{name:str}")
async def remove_provider(workspace: Workspace, name: str) -> None:
    await workspace.models.remove(name)


async def provider_view(workspace: Workspace, definition: ProviderDefinition) -> ProviderView:
    listed = await workspace.models.listed(definition.name)
    return ProviderView(
        id=definition.id,
        name=definition.name,
        family=definition.family,
        base_url=definition.base_url,
        icon=definition.icon,
        is_local=definition.is_local,
        models_endpoint=definition.models_endpoint,
        header_names=tuple(definition.headers),
        has_key=bool(definition.api_key),
        is_ready=is_ready(definition),
        model_count=len(listed.models) if listed else None,
        listed_at=listed.fetched_at if listed else None,
    )


def _known(workspace: Workspace, name: str) -> ProviderDefinition | None:
    try:
        return workspace.models.definition(name)
    except NotFound:
        return None


def _definition(data: ProviderInput, *, known: ProviderDefinition | None) -> ProviderDefinition:
    made = ProviderDefinition(
        id=new_id("provider"),
        name=data.name,
        family=data.family,
        base_url=data.base_url,
        api_key=data.api_key or "",
        is_local=data.is_local or data.family == "local",
        icon=data.icon,
        models_endpoint=data.models_endpoint,
        headers=_headers(data, stored=known.headers if known else {}),
    )
    if known is None or data.api_key is not None:
        return made
    return structs.replace(made, api_key=known.api_key)


def _headers(data: ProviderInput, *, stored: dict[str, str]) -> dict[str, str]:
    if data.headers is None:
        return stored
    if unknown := [
        name for name, value in data.headers.items() if value is None and name not in stored
    ]:
        raise InvalidInput(f"The extra header {unknown[0]} has no value yet. Write one.")
    return {name: stored[name] if value is None else value for name, value in data.headers.items()}


PROVIDER_HANDLERS = [
    list_presets,
    list_providers,
    list_nearby,
    add_provider,
    check_provider,
    check_stored,
    refresh_models,
    change_provider,
    remove_provider,
]
