"""The JSON API: everything the page does, typed, with an OpenAPI description of itself."""

from __future__ import annotations

from windowpane.web.api.accounts import ACCOUNT_HANDLERS
from windowpane.web.api.branches import BRANCH_HANDLERS
from windowpane.web.api.chats import CHAT_HANDLERS
from windowpane.web.api.deletions import DELETION_HANDLERS
from windowpane.web.api.drafts import DRAFT_HANDLERS
from windowpane.web.api.events import follow_events
from windowpane.web.api.models import MODEL_HANDLERS
from windowpane.web.api.projects import PROJECT_HANDLERS
from windowpane.web.api.providers import PROVIDER_HANDLERS
from windowpane.web.api.search import SEARCH_HANDLERS
from windowpane.web.api.settings import SETTINGS_HANDLERS
from windowpane.web.api.tools import list_tools
from windowpane.web.api.turns import TURN_HANDLERS

API_HANDLERS = [
    *PROJECT_HANDLERS,
    *ACCOUNT_HANDLERS,
    *CHAT_HANDLERS,
    *DRAFT_HANDLERS,
    *TURN_HANDLERS,
    *BRANCH_HANDLERS,
    *DELETION_HANDLERS,
    *SEARCH_HANDLERS,
    *MODEL_HANDLERS,
    *PROVIDER_HANDLERS,
    *SETTINGS_HANDLERS,
    list_tools,
    follow_events,
]

__all__ = ["API_HANDLERS"]
