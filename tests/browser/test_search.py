"""The search box: what it finds, how it is reached, and where its results lead."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.agent.searching import Histories
from tests.browser.filling import filled
from tests.browser.scene import Serve, Witness, expect_ended, on_a_phone, say
from tests.browser.test_history import MOST_TURNS, first_depth, scroll_to
from tests.browser.test_layout import complaints, overflows
from tests.workspaces import says
from windowpane.projects import Chat
from windowpane.storage.vault import Vault


async def locks(vault: Vault, chat: Chat) -> None:
    """A chat with an answer, a tool's result, and a turn that was left."""
    histories = Histories(vault)
    await histories.turn(chat.id, "Which lock does the journal take?", "The **flushing lock**.")
    await histories.turn(chat.id, "Look", "Done.", tool="opened loop.py\n" * 40 + "the quokka line")
    await histories.turn(chat.id, "About wombats", "They dig.")
    await histories.turn(chat.id, "About kelpies", "They swim.", depth=2)
    await histories.rename(chat.id, "Journals")


def box(page: Page) -> Locator:
    return page.get_by_role("searchbox", name="Search everything")


def results(page: Page) -> Locator:
    return page.locator(".found-link")


def is_in_sight(page: Page, locator: Locator) -> bool:
    inner, outer = locator.bounding_box(), page.locator("chat-log").bounding_box()
    assert inner is not None and outer is not None
    return outer["y"] <= inner["y"] and inner["y"] + inner["height"] <= outer["y"] + outer["height"]


def marked(page: Page) -> list[str]:
    return page.evaluate("[...(CSS.highlights.get('found') ?? [])].map(range => range.toString())")


def test_what_is_typed_is_found_and_escape_brings_the_chats_back(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=locks).entrance)
    box(page).fill("locks")
    expect(results(page)).to_have_count(1)
    expect(results(page).locator("mark")).to_have_text("lock")
    expect(page.locator(".places")).to_be_hidden()
    expect(page.locator("[data-found-count]")).to_have_text("1 result.")
    box(page).press("Escape")
    expect(box(page)).to_have_value("")
    expect(box(page)).to_be_focused()
    expect(page.locator(".chat-link")).to_be_visible()
    expect(page.locator(".found")).to_be_hidden()


def test_typing_fast_asks_seldom(page: Page, serve: Serve, witness: Witness) -> None:
    page.goto(serve(prepare=locks).entrance)
    box(page).press_sequentially("the flushing lock of the journal", delay=15)
    expect(results(page).last.locator("mark").last).to_have_text("journal")
    asked = [request for request in witness.requests if "/found?" in request.url]
    assert len(asked) <= 3
    assert "journal" in asked[-1].url


def test_the_keyboard_leads_to_the_box_through_the_results_and_into_a_turn(
    page: Page, serve: Serve
) -> None:
    page.goto(serve(prepare=locks).entrance)
    page.locator("chat-log").focus()
    page.keyboard.press("/")
    expect(box(page)).to_be_focused()
    expect(page.get_by_text("or a whole question")).to_be_visible()
    page.keyboard.type("dig swim")
    expect(results(page)).to_have_count(2)
    page.keyboard.press("ArrowDown")
    expect(results(page).first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(results(page).last).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(box(page)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("turn=trn_"))
    expect(box(page)).to_have_value("dig swim")
    expect(results(page).first).to_have_attribute("aria-current", "true")


def test_a_slash_in_a_message_is_a_slash(page: Page, serve: Serve) -> None:
    page.goto(serve().entrance)
    message = page.get_by_role("textbox", name="Message")
    message.press_sequentially("and/or")
    expect(message).to_have_value("and/or")


def test_a_result_opens_its_turn_in_the_middle_of_a_long_chat(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=filled(turns=1000)).entrance)
    box(page).fill('"Answer 500"')
    results(page).first.click()
    turn = page.locator(".turn", has=page.get_by_text("Answer 500,"))
    expect(turn).to_be_visible()
    page.wait_for_function("CSS.highlights.get('found')?.size > 0")
    assert is_in_sight(page, turn.locator(".answer"))
    assert marked(page) == ["500", "Answer", "500"]
    assert page.locator(".turn").count() <= MOST_TURNS
    expect(page.get_by_role("button", name="Newest")).to_be_visible()


def test_from_there_it_is_read_on_in_both_directions(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=filled(turns=1000)).entrance)
    box(page).fill('"Answer 500"')
    results(page).first.click()
    expect(page.get_by_role("log").get_by_text("Answer 500,")).to_be_visible()
    for _ in range(12):
        depth = first_depth(page)
        scroll_to(page, 0)
        page.wait_for_function(
            "depth => Number(document.querySelector('.turn').dataset.depth) < depth", arg=depth
        )
        assert page.locator(".turn").count() <= MOST_TURNS
    assert first_depth(page) < 200
    while last_depth(page) < 999:
        depth = last_depth(page)
        page.locator("chat-log").evaluate("it => it.scrollTop = it.scrollHeight")
        page.wait_for_function(
            "depth => Number([...document.querySelectorAll('.turn')].at(-1).dataset.depth) > depth",
            arg=depth,
        )
        assert page.locator(".turn").count() <= MOST_TURNS
    depths = page.locator(".turn").evaluate_all("all => all.map(it => Number(it.dataset.depth))")
    assert depths == list(range(1000 - len(depths), 1000))


def last_depth(page: Page) -> int:
    return int(page.locator(".turn").last.get_attribute("data-depth") or "-1")


def test_a_hit_that_is_folded_away_is_opened(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=locks).entrance)
    box(page).fill("quokka")
    results(page).click()
    page.wait_for_function("CSS.highlights.get('found')?.size > 0")
    expect(page.locator("details[open]")).to_contain_text("the quokka line")
    assert marked(page) == ["quokka"]


def test_a_turn_that_was_left_is_shown_and_can_be_gone_back_to(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=locks).entrance)
    box(page).fill("wombat")
    expect(results(page)).to_contain_text("left")
    results(page).click()
    aside = page.get_by_role("complementary", name="A turn that was left")
    expect(aside).to_contain_text("About wombats")
    expect(page.locator(".turns > .turn")).to_have_count(3)
    aside.get_by_role("button", name="Go back to it").click()
    expect(aside).to_have_count(0)
    expect(page.locator(".turns > .turn").last).to_contain_text("About wombats")


def test_chats_are_found_by_title(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=locks).entrance)
    box(page).fill("journals")
    chats = page.locator(".found-list").first
    expect(chats.get_by_role("link", name="Journals")).to_be_visible()


def test_nothing_found_teaches_and_the_place_can_be_changed(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=locks).entrance)
    page.get_by_role("button", name="New", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
    box(page).fill("flushing")
    expect(results(page)).to_have_count(1)
    page.get_by_role("combobox", name="in", exact=True).select_option("this chat")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    expect(page.locator(".found")).to_contain_text("a search in everything")
    page.get_by_role("combobox", name="in", exact=True).select_option("this project")
    expect(results(page)).to_have_count(1)


def test_results_stay_while_the_list_of_chats_is_drawn_anew(page: Page, serve: Serve) -> None:
    page.goto(serve(says("Yes."), prepare=locks).entrance)
    box(page).fill("flushing")
    expect(results(page)).to_have_count(1)
    expect_ended(say(page, "How about kelpies?"))
    expect(page.locator(".chat-item[data-turns='4']")).to_have_count(1)
    expect(results(page)).to_have_count(1)
    box(page).fill("kelpies")
    expect(results(page)).to_have_count(2)


def test_a_first_reading_tells_how_far_it_is_and_goes_on_by_itself(
    page: Page, serve: Serve
) -> None:
    page.goto(serve(prepare=filled(turns=4500)).entrance)
    box(page).fill("little")
    expect(page.locator(".found-progress")).to_contain_text("of 4,500 turns read so far")
    expect(page.locator(".found-progress")).to_have_count(0, timeout=30_000)
    expect(results(page)).to_have_count(30)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_state(scheme: str, page: Page, serve: Serve) -> None:
    page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
    )
    page.goto(serve(prepare=locks).entrance)
    box(page).focus()
    assert complaints(page) == []
    box(page).fill("When did the journal flush?")
    expect(results(page)).not_to_have_count(0)
    assert complaints(page) == []
    box(page).fill("zyzzyva")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    assert complaints(page) == []
    box(page).fill("wombat")
    results(page).click()
    expect(page.locator(".left-turn")).to_be_visible()
    assert complaints(page) == []


@on_a_phone
def test_on_a_phone_the_search_is_in_the_drawer_and_leads_out_of_it(
    page: Page, serve: Serve
) -> None:
    page.goto(serve(prepare=locks).entrance)
    page.get_by_role("button", name="Chats").tap()
    box(page).tap()
    box(page).fill("flushing")
    expect(results(page)).to_have_count(1)
    assert complaints(page) == []
    assert not overflows(page)
    size = results(page).bounding_box()
    assert size is not None and size["height"] >= 44
    results(page).tap()
    expect(page.locator("#sidebar")).to_be_hidden()
    page.wait_for_function("CSS.highlights.get('found')?.size > 0")
    assert is_in_sight(page, page.locator(".turn", has_text="flushing lock").locator(".answer"))
    assert not overflows(page)
