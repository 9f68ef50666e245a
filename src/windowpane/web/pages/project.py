"""A project's page: its settings, its topics and its named views."""

from __future__ import annotations

from typing import Annotated

from litestar import get
from litestar.params import Parameter
from litestar.response import Template

from windowpane.choices import Choices, Place
from windowpane.errors import NotFound
from windowpane.projects import Project
from windowpane.topics import ProjectTopic
from windowpane.web.pages.setting_views import (
    ANSWER_KEYS,
    REASONING_KEYS,
    SPECS,
    TOPIC_KEYS,
    above,
    fields,
    raw_text,
    tool_rows,
)
from windowpane.web.pages.sidebar import Here, sidebar_context
from windowpane.web.pages.topic_views import places_for, topic_rows
from windowpane.workspace import Workspace

# From the settings of a project up to the root of the site.
ROOT = "../../"
TIMESTAMPS = {
    "": "no time",
    "timestamp": "local time",
    "timestamp_utc": "time in UTC",
    "timestamp_relative": "seconds since the chat began",
}
BUDGET_ROWS = (("chat", "A chat"), ("project", "The project"), ("day", "A day"))
Id = Annotated[str, Parameter(max_length=100)]


@get("/projects/{project_id:str}/settings", include_in_schema=False)
async def project_page(workspace: Workspace, project_id: str) -> Template:
    project = await workspace.project(project_id)
    here = Here(project_id=project.id, page="project")
    context = {
        "project": project,
        **await _form_context(workspace, project),
        **await sidebar_context(workspace, here=here, root=ROOT, all_of=""),
    }
    return Template(template_name="pages/project.html", context=context)


@get("/projects/{project_id:str}/topics", include_in_schema=False)
async def topics_fragment(workspace: Workspace, project_id: str) -> Template:
    topics = await workspace.topics.of(project_id)
    rows = topic_rows(topics, await workspace.topics.turn_counts(project_id))
    return Template(template_name="parts/_topics.html", context={"topics": rows})


@get("/projects/{project_id:str}/topic", include_in_schema=False)
async def topic_fragment(
    workspace: Workspace, project_id: str, id: Id = "", parent: Id = ""
) -> Template:
    """The form of a topic that is there, or of one that will lie below ``parent``."""
    project = await workspace.project(project_id)
    topics = await workspace.topics.of(project_id)
    topic = _topic(topics, id) if id else None
    places: dict[Place, Choices] = {"project": project.choices}
    inherited = above(places, default_model=await workspace.chosen_model() or "")
    choices = topic.choices if topic else Choices()
    context = {
        "topic": topic,
        "parent_id": (topic.parent_id or "") if topic else parent,
        "places": places_for(topic, topics),
        "fields": fields(TOPIC_KEYS, choices, inherited=inherited),
    }
    return Template(template_name="parts/_topic.html", context=context)


@get("/projects/{project_id:str}/views", include_in_schema=False)
async def views_fragment(workspace: Workspace, project_id: str) -> Template:
    context = {"views": await workspace.views.of(project_id)}
    return Template(template_name="parts/_views.html", context=context)


async def _form_context(workspace: Workspace, project: Project) -> dict[str, object]:
    inherited = above({}, default_model=await workspace.chosen_model() or "")
    choices = project.choices
    metadata = choices.message_metadata or inherited.message_metadata
    return {
        "fields": fields(SPECS, choices, inherited=inherited),
        "answer_keys": ANSWER_KEYS,
        "reasoning_keys": REASONING_KEYS,
        "metadata": metadata,
        "has_metadata": choices.message_metadata is not None,
        "timestamps": TIMESTAMPS,
        "timestamp": next((line for line in metadata if line in TIMESTAMPS), ""),
        "tools": tool_rows(above({"project": choices}, default_model="")),
        "tools_otherwise": raw_text(inherited.tools),
        "approvals_otherwise": raw_text(inherited.tool_approvals),
        "budget_rows": BUDGET_ROWS,
        "choices": choices,
    }


def _topic(topics: list[ProjectTopic], id: str) -> ProjectTopic:
    found = next((topic for topic in topics if topic.id == id), None)
    if found is None:
        raise NotFound("topic", id=id)
    return found


PROJECT_PAGE_HANDLERS = [project_page, topics_fragment, topic_fragment, views_fragment]
