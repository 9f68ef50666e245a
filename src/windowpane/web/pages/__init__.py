"""The pages of the web face, and the fragments of which they renew themselves."""

from __future__ import annotations

from windowpane.web.pages.chat import CHAT_PAGE_HANDLERS
from windowpane.web.pages.home import HOME_HANDLERS
from windowpane.web.pages.plan import plan_view
from windowpane.web.pages.search import found_fragment

PAGE_HANDLERS = [*HOME_HANDLERS, *CHAT_PAGE_HANDLERS, plan_view, found_fragment]

__all__ = ["PAGE_HANDLERS"]
