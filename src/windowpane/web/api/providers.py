"""Provider definitions over HTTP. Keys and header values go in and never come out."""

from __future__ import annotations

from litestar import delete, get, post, put
from msgspec import Struct, structs

from windowpane.agent.checking import Checked
from windowpane.definitions import Family, ModelInfo, ProviderDefinition
from windowpane.errors import NotFound
from windowpane.ids import new_id
from windowpane.providers.choose import is_ready
from windowpane.providers.presets import PRESETS, Preset
from windowpane.workspace import Workspace


class ProviderView(Struct, frozen=True, kw_only=True):
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


class ProviderInput(Struct, frozen=True, kw_only=True):
    """A key or headers that are left out stay as they are stored."""

    name: str
    family: Family
    base_url: str = ""
    api_key: str | None = None
    is_local: bool = False
    icon: str = ""
    models_endpoint: str = ""
    headers: dict[str, str] | None = None


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
    await workspace.models.refresh()
    return [view_of(definition) for definition in workspace.models.definitions]


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
    definition = _definition(data, known=None)
    await workspace.models.add(definition)
    return view_of(workspace.models.definition(definition.name))


@post("/api/providers/check", status_code=200)
async def check_provider(workspace: Workspace, data: ProviderInput) -> Checked:
    """Ask the provider for its models; nothing is stored."""
    await workspace.models.refresh()
    return await workspace.models.check(_definition(data, known=_known(workspace, data.name)))


@put("/api/providers/{name:str}")
async def change_provider(workspace: Workspace, name: str, data: ProviderInput) -> ProviderView:
    await workspace.models.refresh()
    known = workspace.models.definition(name)
    await workspace.models.replace(name, _definition(data, known=known))
    return view_of(workspace.models.definition(name))


@delete("/api/providers/{name:str}")
async def remove_provider(workspace: Workspace, name: str) -> None:
    await workspace.models.remove(name)


def view_of(definition: ProviderDefinition) -> ProviderView:
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
        is_local=data.is_local,
        icon=data.icon,
        models_endpoint=data.models_endpoint,
        headers=data.headers or {},
    )
    if known is None:
        return made
    return structs.replace(
        made,
        api_key=known.api_key if data.api_key is None else data.api_key,
        headers=known.headers if data.headers is None else data.headers,
    )


PROVIDER_HANDLERS = [
    list_presets,
    list_providers,
    list_nearby,
    add_provider,
    check_provider,
    change_provider,
    remove_provider,
]
