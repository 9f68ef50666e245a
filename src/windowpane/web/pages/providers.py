"""The page of providers: what is defined, what runs nearby, what can be added."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from litestar import Request, get
from litestar.response import Template

from windowpane.definitions import ProviderDefinition
from windowpane.providers.choose import is_ready
from windowpane.providers.presets import PRESETS, preset_called
from windowpane.web.leaving import unless_left
from windowpane.web.pages.home import FirstSteps
from windowpane.web.pages.provider_views import (
    ProviderEntry,
    draft_from_definition,
    draft_from_preset,
    entry_of,
    family_choices,
)
from windowpane.web.pages.sidebar import Here, sidebar_context
from windowpane.workspace import Workspace

SERVICES = tuple(preset for preset in PRESETS if not preset.is_local)
SERVERS = tuple(preset for preset in PRESETS if preset.is_local)
# The way up to the root of the site from the list, from below it, and from below one provider.
AT_LIST, BELOW_LIST, BELOW_PROVIDER = "", "../", "../../"


@get("/providers", include_in_schema=False)
async def providers_page(workspace: Workspace, first_steps: FirstSteps) -> Template:
    await workspace.models.read()
    context = {
        **await _entries(workspace),
        "services": SERVICES,
        "servers": SERVERS,
        **await framed(workspace, first_steps, root=AT_LIST),
    }
    return Template(template_name="pages/providers.html", context=context)


@get("/providers/entries", include_in_schema=False)
async def entries_fragment(workspace: Workspace) -> Template:
    """The list alone, for the page that has it already."""
    await workspace.models.read()
    context = {"root": AT_LIST, **await _entries(workspace)}
    return Template(template_name="parts/_providers.html", context=context)


@get("/providers/nearby", include_in_schema=False)
async def nearby_fragment(request: Request[Any, Any, Any], workspace: Workspace) -> Template:
    found = await unless_left(request, workspace.models.nearby())
    taken = _taken(workspace)
    context = {
        "root": AT_LIST,
        "found": [(one, draft_from_preset(one.preset, taken=taken).name) for one in found],
        "names": [preset.name for preset in SERVERS],
    }
    return Template(template_name="parts/_nearby.html", context=context)


@get("/providers/new", include_in_schema=False)
async def new_provider_page(
    workspace: Workspace, first_steps: FirstSteps, preset: str = "custom"
) -> Template:
    await workspace.models.read()
    draft = draft_from_preset(preset_called(preset), taken=_taken(workspace))
    context = {
        "draft": draft,
        "families": family_choices(draft.family),
        **await framed(workspace, first_steps, root=BELOW_LIST),
    }
    return Template(template_name="pages/provider_form.html", context=context)


@get("/providers/{id:str}/edit", include_in_schema=False)
async def edit_provider_page(workspace: Workspace, first_steps: FirstSteps, id: str) -> Template:
    await workspace.models.read()
    draft = draft_from_definition(workspace.models.definition_with_id(id))
    context = {
        "draft": draft,
        "families": family_choices(draft.family),
        **await framed(workspace, first_steps, root=BELOW_PROVIDER),
    }
    return Template(template_name="pages/provider_form.html", context=context)


async def framed(workspace: Workspace, first_steps: FirstSteps, *, root: str) -> dict[str, object]:
    """What the sidebar around a page of providers wants."""
    here = Here(project_id=(await first_steps.latest_chat()).project_id, page="providers")
    return await sidebar_context(workspace, here=here, root=root, all_of="")


async def entry(workspace: Workspace, definition: ProviderDefinition) -> ProviderEntry:
    listed = await workspace.models.listed(definition.name)
    return entry_of(definition, listed=listed, now=datetime.now(UTC))


async def _entries(workspace: Workspace) -> dict[str, object]:
    entries = [await entry(workspace, known) for known in workspace.models.definitions]
    return {
        "ready": [one for one in entries if one.is_ready],
        "waiting": [one for one in entries if not one.is_ready],
    }


def _taken(workspace: Workspace) -> frozenset[str]:
    """Names that a new provider cannot have."""
    return frozenset(known.name for known in workspace.models.definitions if is_ready(known))


PROVIDERS_PAGE_HANDLERS = [
    providers_page,
    entries_fragment,
    nearby_fragment,
    new_provider_page,
    edit_provider_page,
]
