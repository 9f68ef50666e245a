"""Models over HTTP: what can be picked, and what is known of each."""

from __future__ import annotations

from typing import Annotated

from litestar import delete, get, put
from litestar.params import Parameter

from windowpane.agent.facts import ModelFacts
from windowpane.agent.models import ModelList
from windowpane.catalog.overrides import ModelOverride
from windowpane.workspace import Workspace

Named = Annotated[str, Parameter(min_length=3, description="the model's full name: provider/model")]


@get("/api/models")
async def list_models(workspace: Workspace, refresh: bool = False) -> ModelList:
    """Lists are kept until somebody wants them anew with ``refresh``."""
    await workspace.models.read()
    return await workspace.models.choices(is_refreshed=refresh)


@get("/api/models/facts")
async def model_facts(workspace: Workspace, name: Named) -> ModelFacts:
    """Limits and prices of one model, each with its source."""
    return await workspace.models.facts(name)


@get("/api/providers/{provider:str}/models")
async def all_facts(workspace: Workspace, provider: str) -> tuple[ModelFacts, ...]:
    """Limits and prices of every model in the provider's list; nobody is asked for it."""
    return await workspace.models.all_facts(provider)


@get("/api/providers/{provider:str}/overrides")
async def list_overrides(workspace: Workspace, provider: str) -> tuple[ModelOverride, ...]:
    return await workspace.models.overrides(provider)


@put("/api/providers/{provider:str}/overrides")
async def set_override(workspace: Workspace, provider: str, data: ModelOverride) -> ModelOverride:
    """In the place of what was said of the same models before."""
    await workspace.models.set_override(provider, data)
    return data


@delete("/api/providers/{provider:str}/overrides")
async def remove_override(workspace: Workspace, provider: str, models: str) -> None:
    """``models`` as it was written: a name, or a pattern with one ``*``."""
    await workspace.models.remove_override(provider, models)


MODEL_HANDLERS = [
    list_models,
    model_facts,
    all_facts,
    list_overrides,
    set_override,
    remove_override,
]
