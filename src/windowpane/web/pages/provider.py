"""One provider's page: how it stands, its models, and what was set by hand for them."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, get
from litestar.params import Parameter
from litestar.response import Template

from windowpane.agent.facts import ModelFacts
from windowpane.catalog.compression import compression_defaults
from windowpane.context.budget import Budget, budget_for
from windowpane.definitions import ProviderDefinition
from windowpane.providers.choose import is_ready
from windowpane.settings import ContextSettings
from windowpane.tokens import UNCALIBRATED
from windowpane.web.leaving import unless_left
from windowpane.web.pages.home import FirstSteps
from windowpane.web.pages.model_views import budget_sentence, known_lines, row_of
from windowpane.web.pages.override_views import form_of, override_lines
from windowpane.web.pages.providers import BELOW_LIST, entry, framed
from windowpane.workspace import Workspace

ModelName = Annotated[str, Parameter(max_length=500)]


@get("/providers/{id:str}", include_in_schema=False)
async def provider_page(workspace: Workspace, first_steps: FirstSteps, id: str) -> Template:
    await workspace.models.read()
    definition = workspace.models.definition_with_id(id)
    context = {
        "provider": await entry(workspace, definition),
        "header_names": tuple(definition.headers),
        **await framed(workspace, first_steps, root=BELOW_LIST),
    }
    return Template(template_name="pages/provider.html", context=context)


@get("/providers/{id:str}/head", include_in_schema=False)
async def head_fragment(workspace: Workspace, id: str) -> Template:
    await workspace.models.read()
    definition = workspace.models.definition_with_id(id)
    context = {"root": BELOW_LIST, "provider": await entry(workspace, definition)}
    return Template(template_name="parts/_provider_facts.html", context=context)


@get("/providers/{id:str}/models", include_in_schema=False)
async def models_fragment(
    request: Request[Any, Any, Any], workspace: Workspace, id: str
) -> Template:
    """The table of models. A provider that never told its list is asked for it now."""
    await workspace.models.read()
    definition = workspace.models.definition_with_id(id)
    name, failure = definition.name, None
    if is_ready(definition) and await workspace.models.listed(name) is None:
        failure = (await unless_left(request, workspace.models.refresh(name))).failure
    facts = await workspace.models.all_facts(name)
    overrides = await workspace.models.overrides(name)
    context = {
        "root": BELOW_LIST,
        "provider": await entry(workspace, definition),
        "failure": failure,
        "rows": [row_of(one) for one in facts],
        "overrides": override_lines(overrides, listed=[one.model.name for one in facts]),
    }
    return Template(template_name="parts/_models.html", context=context)


@get("/providers/{id:str}/model", include_in_schema=False)
async def model_fragment(workspace: Workspace, id: str, name: ModelName) -> Template:
    """All that is known of one model, and the form that sets it by hand."""
    await workspace.models.read()
    definition = workspace.models.definition_with_id(id)
    full_name = f"{definition.name}/{name}"
    facts = await workspace.models.facts(full_name)
    form = form_of(
        facts.override.models if facts.override else name,
        override=facts.override,
        plain=await workspace.models.plain_facts(full_name),
        can_be_long=facts.can_be_long,
    )
    context = {
        "title": full_name,
        "is_named": True,
        "label": facts.model.label,
        "sentence": budget_sentence(_budget(facts)),
        "lines": known_lines(facts),
        "form": form,
    }
    return Template(template_name="parts/_model.html", context=context)


@get("/providers/{id:str}/override", include_in_schema=False)
async def override_fragment(workspace: Workspace, id: str, models: ModelName = "") -> Template:
    """The form for a name or pattern that is set already, or for one that is still to be named."""
    await workspace.models.read()
    definition = workspace.models.definition_with_id(id)
    overrides = await workspace.models.overrides(definition.name)
    form = form_of(
        models,
        override=next((one for one in overrides if one.models == models), None),
        plain=None,
        can_be_long=await _can_any_be_long(workspace, definition),
    )
    context = {
        "title": f"{definition.name}/{models}" if models else "Set models by hand",
        "is_named": bool(models),
        "label": "",
        "sentence": "",
        "lines": (),
        "form": form,
    }
    return Template(template_name="parts/_model.html", context=context)


async def _can_any_be_long(workspace: Workspace, definition: ProviderDefinition) -> bool:
    return any(facts.can_be_long for facts in await workspace.models.all_facts(definition.name))


def _budget(facts: ModelFacts) -> Budget:
    """As a plan would have it, in a chat that sets nothing itself."""
    settings = ContextSettings()
    return budget_for(
        facts.limits,
        requested_output_tokens=settings.max_output_tokens,
        allowance_tokens=settings.user_request_allowance_tokens,
        threshold=compression_defaults(facts.model.name, limits=facts.limits).threshold,
        calibration=UNCALIBRATED,
    )


PROVIDER_PAGE_HANDLERS = [
    provider_page,
    head_fragment,
    models_fragment,
    model_fragment,
    override_fragment,
]
