"""The pages of the web face, and the fragments of which they renew themselves."""

from __future__ import annotations

from windowpane.web.pages.chat import CHAT_PAGE_HANDLERS
from windowpane.web.pages.chat_settings import chat_settings_fragment
from windowpane.web.pages.home import HOME_HANDLERS
from windowpane.web.pages.plan import plan_view
from windowpane.web.pages.project import PROJECT_PAGE_HANDLERS
from windowpane.web.pages.provider import PROVIDER_PAGE_HANDLERS
from windowpane.web.pages.providers import PROVIDERS_PAGE_HANDLERS
from windowpane.web.pages.search import found_fragment
from windowpane.web.pages.sidebar import sidebar_fragment

PAGE_HANDLERS = [
    *HOME_HANDLERS,
    *CHAT_PAGE_HANDLERS,
    chat_settings_fragment,
    plan_view,
    found_fragment,
    *PROJECT_PAGE_HANDLERS,
    *PROVIDERS_PAGE_HANDLERS,
    *PROVIDER_PAGE_HANDLERS,
    sidebar_fragment,
]

__all__ = ["PAGE_HANDLERS"]
