"""Topics and named views: how a project's turns are ordered and looked at.

A topic is a node in its project's tree; a view is a filter with a name.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

from windowpane.choices import NOTHING_CHOSEN, Choices

ViewScope = Literal["chat", "project", "everything"]


class ProjectTopic(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``parent_id`` None: at the top of the project's tree.

    ``system_message`` is added to the system prompt, and ``choices`` act, for turns of the topic.
    """

    id: str
    project_id: str
    name: str
    created_at: datetime
    parent_id: str | None = None
    system_message: str = ""
    choices: Choices = NOTHING_CHOSEN


class NamedView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``filter_text`` as it was typed; ``has_summary``: whether the summary's card is on."""

    id: str
    project_id: str
    name: str
    filter_text: str
    created_at: datetime
    scope: ViewScope = "chat"
    has_summary: bool = False
