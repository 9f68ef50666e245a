"""What the browser tests have in common: the server they start, what they do on the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pytest
from playwright.sync_api import ConsoleMessage, Dialog, Error, Locator, Page, Request, expect

from tests.server import Server, in_vault, in_workspace, scripted_chat
from windowpane.projects import Chat
from windowpane.providers.scripted import Reply
from windowpane.storage.vault import Vault
from windowpane.tools.scripted import ToolScript

Prepare = Callable[[Vault, Chat], Awaitable[None]]
on_a_phone = pytest.mark.browser_context_args(
    viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
)


class Serve(Protocol):
    def __call__(
        self,
        *replies: Reply,
        prepare: Prepare | None = None,
        password: str = "",
        tools: Sequence[ToolScript] = (),
    ) -> Server: ...


class Witness:
    """Notes what must not happen on any page: errors, dialogs, requests to other hosts."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.requests: list[Request] = []
        # A refusal or a lost connection is an error to the console, and some tests cause them.
        self.expects_failed_loads = False

    def watch(self, page: Page) -> Page:
        page.on("console", self._console)
        page.on("pageerror", self._page_error)
        page.on("dialog", self._dialog)
        page.on("request", self._request)
        return page

    def _console(self, message: ConsoleMessage) -> None:
        is_expected = self.expects_failed_loads and "Failed to load resource" in message.text
        if message.type in ("error", "warning") and not is_expected:
            self.seen.append(f"console: {message.text}")

    def _page_error(self, error: Error) -> None:
        self.seen.append(f"script: {error}")

    def _dialog(self, dialog: Dialog) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        self.requests.append(request)
        if not request.url.startswith(("http://127.0.0.1:", "data:image/svg+xml,")):
            self.seen.append(f"foreign request: {request.url}")


@contextmanager
def serving(folder: Path) -> Generator[Serve]:
    servers: list[Server] = []

    def serve(
        *replies: Reply,
        prepare: Prepare | None = None,
        password: str = "",
        tools: Sequence[ToolScript] = (),
    ) -> Server:
        data = folder / "data"
        chat = in_workspace(
            data, lambda it: scripted_chat(it, folder=folder, replies=replies, tools=tools)
        )
        if prepare is not None:
            in_vault(data, lambda it: prepare(it, chat))
        server = Server(data, {"WINDOWPANE_PASSWORD": password})
        servers.append(server)
        server.start()
        return server

    yield serve
    for server in servers:
        server.kill()
        assert "Traceback" not in server.complaints(), server.complaints()


def say(page: Page, text: str) -> Locator:
    """Send a message by keyboard; gives the turn that it begins."""
    count = page.locator(".turn").count()
    box = page.get_by_role("textbox", name="Message")
    box.fill(text)
    box.press("Enter")
    expect(page.locator(".turn")).to_have_count(count + 1)
    return page.locator(".turn").last


def expect_ended(turn: Locator, *, state: str = "complete") -> None:
    expect(turn).to_have_attribute("data-state", state)


def answer_html(turn: Locator) -> str:
    return turn.locator(".answer").inner_html()


def is_at_end(page: Page) -> bool:
    return bool(
        page.locator("chat-log").evaluate(
            "it => it.scrollHeight - it.clientHeight - it.scrollTop < 3"
        )
    )
