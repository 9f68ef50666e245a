"""What applies in a chat, and the form in which it chooses otherwise."""

from __future__ import annotations

from litestar import get
from litestar.response import Template

from windowpane.choices import NOTHING_CHOSEN, Choices, Place
from windowpane.web.pages.setting_views import (
    CHAT_KEYS,
    SPECS,
    above,
    applied_rows,
    fields,
)
from windowpane.web.pages.topic_views import places_for
from windowpane.workspace import Workspace

# The composer has the model; what else is not in the form is told.
TOLD_KEYS = tuple(key for key in SPECS if key not in (*CHAT_KEYS, "message_template"))
ROOT = "../"


@get("/chats/{chat_id:str}/settings", include_in_schema=False)
async def chat_settings_fragment(workspace: Workspace, chat_id: str) -> Template:
    chat = await workspace.chat(chat_id)
    project = await workspace.project(chat.project_id)
    topic = await workspace.topics.current(chat)
    default_model = await workspace.chosen_model() or ""
    farther: dict[Place, Choices] = {
        "topic": topic.choices if topic else NOTHING_CHOSEN,
        "project": project.choices,
    }
    inherited = above(farther, default_model=default_model)
    settings = above({"chat": chat.choices, **farther}, default_model=default_model)
    context = {
        "root": ROOT,
        "project": project,
        "chat": chat,
        "topic": topic,
        "places": places_for(None, await workspace.topics.of(project.id)),
        "fields": fields(CHAT_KEYS, chat.choices, inherited=inherited),
        "rows": applied_rows(settings, TOLD_KEYS),
    }
    return Template(template_name="parts/_chat_settings.html", context=context)
