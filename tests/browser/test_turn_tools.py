"""What a reader does with a turn: by mouse, by keyboard, by touch."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.filling import filled
from tests.browser.scene import Serve, Witness, expect_ended, on_a_phone, say
from tests.browser.test_layout import complaints, overflows, small_targets
from tests.workspaces import does, says
from windowpane.errors import Failure
from windowpane.providers.scripted import End, Fail, Hang, Report, Say
from windowpane.usage import TokenUsage


def turn_of(page: Page, text: str) -> Locator:
    return page.locator(".turn", has=page.locator(".ask", has_text=re.compile(f"^{text}$")))


def menu_of(turn: Locator) -> Locator:
    turn.hover()
    turn.get_by_role("button", name="More for turn").click()
    return turn.page.locator("#turn-menu")


def asks(page: Page) -> Locator:
    return page.locator(".turn > .ask")


def test_a_message_is_edited_in_its_place_and_the_tail_is_left(page: Page, serve: Serve) -> None:
    used = Report(usage=TokenUsage(input_tokens=1200, output_tokens=300))
    replies = [does(Say(chunks=(word,)), used, End(finish="stop")) for word in ("A", "B", "C", "D")]
    page.goto(serve(*replies).entrance)
    for text in ("one", "two", "three"):
        expect_ended(say(page, text))
    turn = turn_of(page, "two")
    turn.hover()
    turn.get_by_role("button", name="Edit the message").click()
    box = page.get_by_role("textbox", name="Message, edited")
    expect(box).to_be_focused()
    expect(box).to_have_value("two")
    box.fill("two, but better")
    # Another tab or a mark may draw the turns anew meanwhile.
    turn_of(page, "one").focus()
    page.keyboard.press("2")
    expect(turn_of(page, "one").locator(".stars")).to_have_text("★★☆")
    expect(box).to_have_value("two, but better")
    box.press("Enter")
    expect(asks(page)).to_have_text(["one", "two, but better"])
    expect_ended(page.locator(".turn").last)
    expect(page.locator(".turn").last.locator(".answer")).to_have_text("D")
    expect(page.locator(".turn-places")).to_have_text("2 of 2")
    expect(page.locator(".special")).to_have_text(
        re.compile(r"Message edited · 2 turns\s+so far 3,600 in, 900 out, \$0\.00")
    )
    expect(page.locator(".counter")).to_have_text("2 / 2")


def test_escape_gives_an_edit_up_and_keeps_the_original(page: Page, serve: Serve) -> None:
    page.goto(serve(says("A")).entrance)
    turn = say(page, "one")
    expect_ended(turn)
    turn.hover()
    turn.get_by_role("button", name="Edit the message").click()
    page.get_by_role("textbox", name="Message, edited").fill("something else")
    page.keyboard.press("Escape")
    expect(page.get_by_role("textbox", name="Message, edited")).to_have_count(0)
    expect(asks(page)).to_have_text(["one"])


def test_answers_of_a_place_are_swapped_with_arrows_and_with_a_key(
    page: Page, serve: Serve
) -> None:
    page.goto(serve(says("first"), says("second"), says("after")).entrance)
    turn = say(page, "which")
    expect_ended(turn)
    turn.hover()
    turn.get_by_role("button", name="Ask again").click()
    answers = page.locator(".turn .answer")
    expect(answers).to_have_text(["second"])
    expect_ended(say(page, "and then"))
    page.get_by_role("button", name="Previous answer").click()
    expect(answers).to_have_text(["first"])
    expect(page.locator(".turn-places")).to_have_text("1 of 2")
    expect(page.get_by_role("button", name="Previous answer")).to_be_focused()
    page.keyboard.press("Shift+E")
    expect(answers).to_have_text(["second", "after"])
    expect(page.locator(".special")).to_have_count(1)


def test_a_failed_turn_is_asked_again_with_one_key(page: Page, serve: Serve) -> None:
    busy = Failure(kind="auth", message="No such key.")
    page.goto(serve(does(Fail(failure=busy)), says("Now it works.")).entrance)
    turn = say(page, "hello")
    expect_ended(turn, state="error")
    turn.focus()
    page.keyboard.press("e")
    expect(page.locator(".turn .answer")).to_have_text("Now it works.")
    expect(page.locator(".special")).to_contain_text("Retry after error")
    expect(page.locator(".turn-places")).to_have_text("2 of 2")


def test_another_model_is_asked_from_the_menu(page: Page, serve: Serve) -> None:
    page.goto(serve(says("one"), says("two")).entrance)
    turn = say(page, "which")
    expect_ended(turn)
    menu_of(turn).get_by_role("button", name="Ask another model…").click()
    dialog = page.get_by_role("dialog", name="Ask another model")
    expect(dialog.get_by_label("Model")).to_be_focused()
    dialog.get_by_role("button", name="Ask").click()
    expect(page.locator(".turn .answer")).to_have_text("two")
    expect(page.locator(".turn-places")).to_have_text("2 of 2")


def test_a_deleted_turn_goes_at_once_and_undo_brings_it_back(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=filled(turns=3)).entrance)
    menu_of(turn_of(page, "Question 1")).get_by_role("button", name="Delete").click()
    expect(asks(page)).to_have_text(["Question 0", "Question 2"])
    expect(page.locator(".turn-name").last).to_have_text("Turn 3")
    expect(page.locator(".special")).to_contain_text("Deleted · 1 turn")
    expect(page.locator(".counter")).to_have_text("2 / 2")
    expect(page.locator(".chat-item .count")).to_have_text("2")
    page.reload()
    notices = page.get_by_role("region", name="Notices")
    expect(notices).to_contain_text("1 turn deleted.")
    notices.get_by_role("button", name="Undo").click()
    expect(asks(page)).to_have_text(["Question 0", "Question 1", "Question 2"])
    expect(page.locator(".special")).to_have_count(0)
    expect(page.locator(".counter")).to_have_text("3 / 3")


@on_a_phone
def test_a_notice_leaves_the_message_box_free(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=filled(turns=3)).entrance)
    page.get_by_role("textbox", name="Message").fill("Several\nlines\nof a\ndraft")
    turn_of(page, "Question 2").get_by_role("button", name="More for turn").tap()
    page.locator("#turn-menu").get_by_role("button", name="Delete").tap()
    expect(page.locator(".toast")).to_be_visible()
    toast, composer = (page.locator(it).bounding_box() for it in (".toast", "chat-composer"))
    assert toast and composer and toast["y"] + toast["height"] <= composer["y"]


def test_what_stood_where_a_turn_was_deleted_can_be_found(page: Page, serve: Serve) -> None:
    page.goto(serve(says("first"), says("second")).entrance)
    turn = say(page, "which")
    expect_ended(turn)
    turn.hover()
    turn.get_by_role("button", name="Ask again").click()
    expect(page.locator(".turn .answer")).to_have_text("second")
    expect_ended(page.locator(".turn").last)
    menu_of(page.locator(".turn")).get_by_role("button", name="Delete").click()
    expect(page.locator(".turn")).to_have_count(0)
    page.get_by_role("button", name="Show the other answer of this place").click()
    expect(page.locator(".turn .answer")).to_have_text("first")


def test_the_edge_follows_a_skip_and_a_pin_at_once(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=filled(turns=3)).entrance)
    turn = turn_of(page, "Question 1")
    expect(page.locator(".counter")).to_have_text("3 / 3")
    menu_of(turn).get_by_role("button", name="Skip", exact=True).click()
    expect(turn).to_have_attribute("data-standing", "skipped")
    expect(turn.locator(".badge.is-standing")).to_have_text("off · skipped")
    expect(page.locator(".counter")).to_have_text("2 / 3")
    menu_of(turn).get_by_role("button", name="No longer skip").click()
    expect(page.locator(".counter")).to_have_text("3 / 3")
    menu_of(turn).get_by_role("button", name="Pin", exact=True).click()
    expect(turn.locator(".badge.is-standing")).to_have_text("pinned")


def test_stars_flags_and_topics_are_set_and_seen_in_other_tabs(
    page: Page, serve: Serve, witness: Witness
) -> None:
    page.goto(serve(prepare=filled(turns=2)).entrance)
    other = witness.watch(page.context.new_page())
    other.goto(page.url)
    # A page in the background is drawn about once a second, and every click waits for that.
    page.bring_to_front()
    turn = turn_of(page, "Question 0")
    turn.focus()
    page.keyboard.press("3")
    expect(turn.locator(".stars")).to_have_text("★★★")
    expect(turn).to_be_focused()
    page.keyboard.press("*")
    expect(turn.locator(".stars")).to_have_count(0)
    page.keyboard.press("1")
    page.keyboard.press("a")
    expect(turn.locator(".flag")).to_have_attribute("data-flag", "grey")
    menu_of(turn).get_by_role("button", name="Topic…").click()
    page.get_by_role("dialog").get_by_label("Or a new one").fill("Retries")
    page.keyboard.press("Enter")
    expect(turn.locator(".turn-topic")).to_have_text("Retries")
    there = turn_of(other, "Question 0")
    expect(there.locator(".stars")).to_have_text("★☆☆")
    expect(there.locator(".turn-topic")).to_have_text("Retries")
    menu_of(turn_of(page, "Question 1")).get_by_role("button", name="Topic…").click()
    page.get_by_role("dialog").get_by_label("Topic", exact=True).select_option(label="Retries")
    page.get_by_role("dialog").get_by_role("button", name="Set").click()
    expect(page.locator(".turn-topic")).to_have_text(["Retries", "Retries"])


def test_a_turn_is_forked_into_a_chat_of_its_own(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=filled(turns=3)).entrance)
    here = page.url
    menu_of(turn_of(page, "Question 1")).get_by_role("button", name="Fork from here").click()
    expect(asks(page)).to_have_text(["Question 0", "Question 1"])
    assert page.url != here
    expect(page.locator(".chat-item")).to_have_count(2)


def test_an_answer_is_copied_as_it_was_written(page: Page, serve: Serve) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(serve(says("A **bold** answer.")).entrance)
    turn = say(page, "go")
    expect_ended(turn)
    turn.hover()
    turn.get_by_role("button", name="Copy the answer").click()
    expect(page.get_by_role("region", name="Notices")).to_contain_text("Copied.")
    assert page.evaluate("() => navigator.clipboard.readText()") == "A **bold** answer."
    menu_of(turn).get_by_role("button", name="Copy the message").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()) === 'go'")


def test_one_tab_stop_leads_to_all_of_a_turns_buttons(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=filled(turns=2)).entrance)
    first = page.locator(".turn").first
    first.locator(".turn-name a").focus()
    page.keyboard.press("Tab")
    expect(first.get_by_role("button", name="More for turn")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(first.get_by_role("button", name="Ask again")).to_be_focused()
    page.keyboard.press("Tab")
    expect(first.get_by_role("button", name="More for turn")).to_be_focused()
    page.keyboard.press("Enter")
    menu = page.locator("#turn-menu")
    expect(menu.get_by_role("button", name="Copy the answer")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(menu.get_by_role("button", name="Delete")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()


def test_the_path_is_not_touched_while_an_answer_is_written(
    page: Page, serve: Serve, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    page.goto(
        serve(says("A", when="one"), does(Say(chunks=("Slow",)), Hang(), when="two")).entrance
    )
    expect_ended(say(page, "one"))
    expect(say(page, "two").locator(".answer")).to_contain_text("Slow")
    menu_of(turn_of(page, "one")).get_by_role("button", name="Delete").click()
    expect(page.locator("[data-connection]")).to_contain_text("still answering")
    expect(asks(page)).to_have_text(["one", "two"])
    turn_of(page, "one").focus()
    page.keyboard.press("1")
    expect(turn_of(page, "one").locator(".stars")).to_have_text("★☆☆")
    expect(turn_of(page, "two").locator(".answer")).to_contain_text("Slow")
    page.get_by_role("button", name="Stop").click()
    expect_ended(turn_of(page, "two"), state="aborted")


def test_a_chat_with_gaps_is_walked_like_any_other(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=filled(turns=130)).entrance)
    log = page.locator("chat-log")
    menu_of(turn_of(page, "Question 120")).get_by_role("button", name="Delete").click()
    expect(turn_of(page, "Question 120")).to_have_count(0)
    for _ in range(8):
        log.evaluate("it => it.scrollTop = 0")
        page.wait_for_timeout(50)
    expect(turn_of(page, "Question 0")).to_be_visible()
    depths = page.locator(".turn").evaluate_all("all => all.map(it => Number(it.dataset.depth))")
    assert depths == [depth for depth in range(130) if depth != 120]
    expect(page.locator(".special")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_tools_menus_and_notices(
    scheme: str, page: Page, serve: Serve
) -> None:
    page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
    )
    refused = does(Fail(failure=Failure(kind="auth", message="No such key.")))
    page.goto(serve(says("A"), says("B"), refused).entrance)
    turn = say(page, "one")
    expect_ended(turn)
    turn.focus()
    page.keyboard.press("2")
    # The turn is drawn anew with its stars, and a click must not fall in between.
    expect(turn.locator(".stars")).to_be_visible()
    turn.get_by_role("button", name="Ask again").click()
    expect(page.locator(".turn-places")).to_have_text("2 of 2")
    expect_ended(page.locator(".turn").last)
    expect_ended(say(page, "two"), state="error")
    assert complaints(page) == []
    menu_of(turn_of(page, "one"))
    assert complaints(page) == []
    page.locator("#turn-menu").get_by_role("button", name="Edit the message").click()
    assert complaints(page) == []
    page.keyboard.press("Escape")
    menu_of(turn_of(page, "two")).get_by_role("button", name="Topic…").click()
    assert complaints(page) == []
    page.keyboard.press("Escape")
    menu_of(turn_of(page, "two")).get_by_role("button", name="Delete").click()
    expect(page.get_by_role("region", name="Notices")).to_contain_text("1 turn deleted.")
    assert complaints(page) == []


@on_a_phone
def test_on_a_phone_the_head_of_a_turn_is_one_line(page: Page, serve: Serve) -> None:
    page.goto(serve(says("A")).entrance)
    turn = say(page, "one")
    expect_ended(turn)
    plain = turn.locator(".turn-head").bounding_box()
    for act in ("3 stars", "Pin"):
        turn.get_by_role("button", name="More for turn").tap()
        page.locator("#turn-menu").get_by_role("button", name=act, exact=True).tap()
    expect(turn.locator(".badge")).to_have_text("pinned")
    expect(turn.locator(".stars")).to_be_visible()
    marked = turn.locator(".turn-head").bounding_box()
    assert plain and marked and marked["height"] == plain["height"]


@on_a_phone
def test_by_touch_one_button_opens_the_menu(page: Page, serve: Serve) -> None:
    page.goto(serve(says("A"), says("B")).entrance)
    turn = say(page, "one")
    expect_ended(turn)
    expect(turn.get_by_role("button", name="Edit the message")).to_be_hidden()
    turn.get_by_role("button", name="More for turn").tap()
    menu = page.locator("#turn-menu")
    assert small_targets(page) == []
    menu.get_by_role("button", name="Ask again").tap()
    expect(page.locator(".turn-places")).to_have_text("2 of 2")
    expect_ended(page.locator(".turn").last)
    assert not overflows(page)
    assert small_targets(page) == []
    assert complaints(page) == []
