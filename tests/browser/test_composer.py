"""The box a message is written in: what it sends, what it refuses, and that it loses nothing."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.scene import Serve, Witness, expect_ended, say
from tests.workspaces import MODEL, says


def test_shift_enter_begins_a_line_and_enter_sends(page: Page, serve: Serve) -> None:
    page.goto(serve(says("Two lines.")).entrance)
    box = page.get_by_role("textbox", name="Message")
    box.press_sequentially("one")
    box.press("Shift+Enter")
    box.press_sequentially("two")
    expect(box).to_have_value("one\ntwo")
    box.press("Enter")
    expect(page.locator(".ask")).to_have_text("one\ntwo")


def test_the_box_grows_with_the_text_to_a_bound(page: Page, serve: Serve) -> None:
    page.goto(serve().entrance)
    box = page.get_by_role("textbox", name="Message")
    heights: list[float] = []
    for lines in (1, 4, 200):
        box.fill("a line\n" * lines)
        shape = box.bounding_box()
        assert shape is not None
        heights.append(shape["height"])
    assert heights[0] < heights[1] < heights[2] <= 330


def test_a_message_of_spaces_is_refused_and_kept(
    page: Page, serve: Serve, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    page.goto(serve().entrance)
    box = page.get_by_role("textbox", name="Message")
    box.fill("   ")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(
        "The message is empty. Write something, then send."
    )
    expect(box).to_have_value("   ")
    expect(page.locator(".turn")).to_have_count(0)


def test_a_message_of_two_megabytes_is_refused_and_kept(
    page: Page, serve: Serve, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    page.goto(serve(says("Fine.")).entrance)
    box = page.get_by_role("textbox", name="Message")
    text = "word " * 400_000
    box.fill(text)
    box.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The message has 2,000,000 bytes")
    assert box.input_value() == text
    box.fill("shorter")
    box.press("Enter")
    expect_ended(page.locator(".turn").last)
    expect(page.get_by_role("alert")).to_be_hidden()


def test_a_draft_survives_a_reload_and_belongs_to_its_chat(page: Page, serve: Serve) -> None:
    page.goto(serve(says("Yes.")).entrance)
    expect_ended(say(page, "first"))
    box = page.get_by_role("textbox", name="Message")
    box.fill("not yet sent")
    page.reload()
    expect(box).to_have_value("not yet sent")
    page.get_by_role("button", name="New", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
    expect(box).to_have_value("")
    page.locator(".chat-link", has_text="first").click()
    expect(box).to_have_value("not yet sent")


def test_a_draft_is_found_in_another_browser(page: Page, serve: Serve, browser: Browser) -> None:
    page.goto(serve(says("Yes.")).entrance)
    expect_ended(say(page, "first"))
    box = page.get_by_role("textbox", name="Message")
    with page.expect_response(lambda response: "/api/drafts/" in response.url):
        box.press_sequentially("begun here")
    elsewhere = browser.new_context(storage_state=page.context.storage_state())
    other = elsewhere.new_page()
    other.goto(page.url)
    expect(other.get_by_role("textbox", name="Message")).to_have_value("begun here")
    elsewhere.close()


def test_a_server_that_is_gone_costs_no_text(page: Page, serve: Serve, witness: Witness) -> None:
    witness.expects_failed_loads = True
    server = serve(says("Back."))
    page.goto(server.entrance)
    server.kill()
    box = page.get_by_role("textbox", name="Message")
    box.fill("precious")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    expect(box).to_have_value("precious")
    server.start()
    box.press("Enter")
    expect_ended(page.locator(".turn").last)
    expect(box).to_have_value("")


def test_a_long_message_is_folded_and_unfolds(page: Page, serve: Serve) -> None:
    page.goto(serve(says("Read.")).entrance)
    turn = say(page, "\n".join(f"line {number}" for number in range(200)))
    expect_ended(turn)
    ask = turn.locator(".ask")
    folded = ask.bounding_box()
    turn.get_by_role("button", name="Show all").click()
    unfolded = ask.bounding_box()
    assert folded is not None and unfolded is not None
    assert unfolded["height"] > 5 * folded["height"]


def test_a_stale_tab_does_not_send_blindly(page: Page, serve: Serve, witness: Witness) -> None:
    witness.expects_failed_loads = True
    page.goto(serve(says("One.", when="one"), says("Two.", when="two")).entrance)
    # A tab that cannot follow: its stream is refused.
    stale = witness.watch(page.context.new_page())
    stale.route(re.compile(r"/stream\?"), lambda route: route.abort())
    stale.goto(page.url)
    expect_ended(say(page, "one"))
    box = stale.get_by_role("textbox", name="Message")
    box.fill("two")
    box.press("Enter")
    expect(stale.get_by_role("alert")).to_contain_text("This chat went on elsewhere")
    expect(box).to_have_value("two")
    expect(stale.locator(".turn .answer")).to_have_text("One.")
    box.press("Enter")
    expect(page.locator(".turn .answer").last).to_have_text("Two.")


def test_the_chosen_model_is_kept(page: Page, serve: Serve) -> None:
    page.goto(serve().entrance)
    picker = page.get_by_role("combobox", name="Model")
    expect(picker).to_have_value(MODEL)
    demo = picker.locator("option", has_text="demo model")
    picker.select_option(demo.first.get_attribute("value"))
    expect(page.get_by_role("link", name="Add a real one")).to_be_visible()
    with page.expect_response(lambda response: MODEL in (response.request.post_data or "")):
        picker.select_option(MODEL)
    expect(page.get_by_role("link", name="Add a real one")).to_be_hidden()
    page.reload()
    expect(picker).to_have_value(MODEL)
