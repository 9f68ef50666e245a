"""A page on one server shows what another one answers, as if it answered itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.scene import Serve, answer_html, expect_ended
from tests.browser.test_answering import RICH, pieces
from tests.http import Client
from tests.server import Server
from tests.workspaces import does
from windowpane.providers.scripted import Call, End, Hang, Say, Think


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Server]:
    """Another server on the same folder, not started yet."""
    server = Server(tmp_path / "data", name="beside")
    yield server
    server.kill()
    assert "Traceback" not in server.complaints(), server.complaints()


def open_on(server: Server, page: Page) -> str:
    """Open the chat there is; gives its id."""
    page.goto(server.entrance)
    return page.url.rpartition("/")[2]


def send_on(server: Server, chat_id: str, text: str) -> None:
    answer = Client.let_in(server.entrance).post(f"/api/chats/{chat_id}/send", {"text": text})
    assert answer.status == 201, answer


def begun_elsewhere(page: Page, serve: Serve, beside: Server) -> Server:
    """Show the beginning of an answer; gives the server that will not end it."""
    answering = serve(does(Say(chunks=("So far.",)), Hang()))
    beside.start()
    chat_id = open_on(beside, page)
    send_on(answering, chat_id, "Go on.")
    expect(page.locator(".turn .answer")).to_have_text("So far.")
    return answering


def test_a_page_shows_the_answer_of_another_server_as_it_is_written(
    page: Page, serve: Serve, beside: Server
) -> None:
    answering = serve(
        does(
            Think(chunks=pieces("First **the key**.\n\nThen the row.", 5)),
            Say(chunks=pieces(RICH, 40), delay_seconds=0.15),
            Call(call_id="c1", name="look", arguments='{"at": "the ledger"}'),
        ),
        does(Say(chunks=("So it is.",)), End(finish="stop")),
    )
    beside.start()
    chat_id = open_on(beside, page)

    send_on(answering, chat_id, "Tell me all.")

    turn = page.locator(".turn")
    expect(turn.locator(".ask")).to_have_text("Tell me all.")
    expect(turn).to_have_attribute("data-state", "sending")
    expect(turn.locator(".answer h1")).to_have_text("Keys")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect_ended(turn)
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    followed = answer_html(turn)
    assert "So it is." in followed
    page.reload()
    assert answer_html(turn) == followed


def test_the_stop_button_stops_another_servers_answer(
    page: Page, serve: Serve, beside: Server
) -> None:
    begun_elsewhere(page, serve, beside)
    turn = page.locator(".turn")
    page.get_by_role("button", name="Stop").click()
    expect_ended(turn, state="aborted")
    expect(turn.locator(".answer")).to_have_text("So far.")


def test_a_page_sees_that_the_server_which_answered_died(
    page: Page, serve: Serve, beside: Server
) -> None:
    answering = begun_elsewhere(page, serve, beside)
    turn = page.locator(".turn")
    answering.kill()
    expect_ended(turn, state="interrupted")
    expect(turn.locator(".answer")).to_have_text("So far.")
    expect(turn.get_by_text("Interrupted")).to_be_visible()
