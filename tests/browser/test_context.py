"""The edge on the page: where the context begins, on every kind of screen."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.filling import filled
from tests.browser.scene import Serve, Witness
from tests.server import Server

BOUNDARY = ".context-begins"


def set_window(page: Page, server: Server, tokens: int) -> None:
    """As somebody does it by hand for a model whose limits nobody knows."""
    answer = page.request.put(
        f"{server.address}/api/providers/script/overrides",
        data={"models": "scripted", "limits": {"context_window_tokens": tokens}},
    )
    assert answer.ok, answer.text()
    page.reload()


def test_the_context_begins_at_the_oldest_turn_that_fits(page: Page, serve: Serve) -> None:
    server = serve(prepare=filled(turns=12))
    page.goto(server.entrance)
    expect(page.locator(".counter")).to_have_text("12 / 12")
    expect(page.locator(BOUNDARY)).to_have_count(0)
    set_window(page, server, 400)
    first = page.locator('.turn[data-standing="sent"]').first
    expect(first.locator(BOUNDARY)).to_contain_text("Left out:")
    expect(page.locator('.turn[data-standing="over_budget"]').first).to_be_attached()


def test_where_nothing_fits_the_context_begins_behind_the_last_turn(
    page: Page, serve: Serve
) -> None:
    server = serve(prepare=filled(turns=2))
    page.goto(server.entrance)
    set_window(page, server, 220)
    expect(page.locator(".counter")).to_have_text("0 / 2")
    expect(page.locator(f".turn:last-of-type + {BOUNDARY}")).to_contain_text("2 turns over budget")
    expect(page.locator(BOUNDARY)).to_be_in_viewport()


def test_the_counter_tells_its_numbers_and_leads_to_the_boundary(page: Page, serve: Serve) -> None:
    server = serve(prepare=filled(turns=60))
    page.goto(server.entrance)
    set_window(page, server, 2000)
    counter = page.locator(".counter")
    expect(counter).to_have_attribute("title", re.compile("^Left out"))
    counter.focus()
    page.keyboard.press("Enter")
    told = page.get_by_role("dialog", name="What the model sees")
    expect(told).to_contain_text("over budget")
    expect(told).to_contain_text("Allowance")
    way = told.get_by_role("link", name="Where the context begins")
    way.click()
    expect(page.locator(BOUNDARY)).to_be_in_viewport()
    set_window(page, server, 1000)
    page.get_by_role("button", name="Newest").click()
    expect(page.locator(BOUNDARY)).not_to_be_in_viewport()
    counter.click()
    way.click()
    expect(page.locator(BOUNDARY)).to_be_in_viewport()


def test_on_a_phone_the_boundary_stays_within_the_column(
    browser: Browser, serve: Serve, witness: Witness
) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
    )
    page = witness.watch(context.new_page())
    server = serve(prepare=filled(turns=12))
    page.goto(server.entrance)
    set_window(page, server, 400)
    expect(page.locator(f"{BOUNDARY} strong")).to_be_visible()
    edge = page.locator('.turn[data-standing="sent"]').first.bounding_box()
    line = page.locator(BOUNDARY).bounding_box()
    name = page.locator(f"{BOUNDARY} strong").bounding_box()
    assert edge and line and name
    assert line["x"] == edge["x"], "the line begins at the edge"
    assert name["height"] < 24, "its name stands in one line"
    context.close()


def test_on_a_phone_an_empty_chat_shows_the_edge_that_it_speaks_of(
    browser: Browser, serve: Serve, witness: Witness
) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
    )
    page = witness.watch(context.new_page())
    page.goto(serve().entrance)
    sample = page.get_by_text("A line like this one").bounding_box()
    assert sample is not None and sample["x"] >= 0
    context.close()
