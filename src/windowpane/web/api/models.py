"""Models and provider definitions over HTTP. Keys go in and never come out."""

from __future__ import annotations

from litestar import delete, get, post
from msgspec import Struct

from windowpane.agent.models import ModelList
from windowpane.definitions import Family, ProviderDefinition
from windowpane.ids import new_id
from windowpane.workspace import Workspace


class ProviderView(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    family: Family
    base_url: str
    has_key: bool


class NewProvider(Struct, frozen=True, kw_only=True):
    name: str
    family: Family
    base_url: str = ""
    api_key: str = ""


@get("/api/models")
async def list_models(workspace: Workspace) -> ModelList:
    return await workspace.model_list()


@get("/api/providers")
async def list_providers(workspace: Workspace) -> list[ProviderView]:
    return [_view(definition) for definition in workspace.models.definitions]


@post("/api/providers")
async def add_provider(workspace: Workspace, data: NewProvider) -> ProviderView:
    definition = ProviderDefinition(
        id=new_id("provider"),
        name=data.name,
        family=data.family,
        base_url=data.base_url,
        api_key=data.api_key,
    )
    await workspace.models.add(definition)
    return _view(definition)


@delete("/api/providers/{name:str}")
async def remove_provider(workspace: Workspace, name: str) -> None:
    await workspace.models.remove(name)


def _view(definition: ProviderDefinition) -> ProviderView:
    return ProviderView(
        id=definition.id,
        name=definition.name,
        family=definition.family,
        base_url=definition.base_url,
        has_key=bool(definition.api_key),
    )


MODEL_HANDLERS = [list_models, list_providers, add_provider, remove_provider]
