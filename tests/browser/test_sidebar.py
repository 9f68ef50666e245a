"""Projects and chats in the sidebar: made, renamed and deleted in place."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.filling import filled
from tests.browser.scene import Serve, Witness, expect_ended, say
from tests.workspaces import says


def line(page: Page, name: str) -> Locator:
    return page.locator(".chat-item", has_text=name)


def test_a_first_start_has_a_chat_to_type_into(page: Page, serve: Serve) -> None:
    page.goto(serve().entrance)
    expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()


def test_the_first_message_names_the_chat_in_every_tab(
    page: Page, serve: Serve, witness: Witness
) -> None:
    page.goto(serve(says("Yes.")).entrance)
    other = witness.watch(page.context.new_page())
    other.goto(page.url)
    expect_ended(say(page, "How does the pear tree want to be pruned?"))
    for tab in (page, other):
        expect(tab.get_by_role("heading", level=1)).to_have_text(
            "How does the pear tree want to be pruned?"
        )
        expect(line(tab, "How does the pear tree")).to_be_visible()
        expect(tab).to_have_title("How does the pear tree want to be pruned? · Windowpane")


def test_a_chat_is_renamed_by_its_menu(page: Page, serve: Serve) -> None:
    page.goto(serve().entrance)
    line(page, "New chat").hover()
    page.get_by_role("button", name="More for New chat").click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="New name").fill("Pruning the old pear")
    page.keyboard.press("Enter")
    expect(line(page, "Pruning the old pear")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pruning the old pear")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pruning the old pear")


def test_a_chat_is_renamed_by_keyboard_and_escape_gives_up(page: Page, serve: Serve) -> None:
    page.goto(serve().entrance)
    link = page.get_by_role("link", name="New chat")
    link.press("F2")
    page.get_by_role("textbox", name="New name").fill("Not this")
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="New chat")).to_be_focused()
    page.keyboard.press("F2")
    page.get_by_role("textbox", name="New name").fill("But this")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="But this")).to_be_visible()


def test_a_deleted_chat_is_gone_at_once_and_comes_back_with_undo(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=filled(turns=3)).entrance)
    # A plan that is asked for while the chat goes would find it gone.
    expect(page.locator(".counter")).to_have_text("3 / 3")
    here = page.url
    page.locator(".chat-link").press("Delete")
    expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
    assert page.url != here
    expect(line(page, "Question 0")).to_have_count(0)
    notices = page.get_by_role("region", name="Notices")
    expect(notices).to_contain_text("Chat “Question 0” deleted.")
    notices.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Question 0")
    assert page.url == here
    expect(page.locator(".turn")).to_have_count(3)
    expect(notices.get_by_role("button", name="Undo")).to_have_count(0)


def test_a_chat_elsewhere_is_deleted_without_leaving_this_one(page: Page, serve: Serve) -> None:
    page.goto(serve(says("Yes.")).entrance)
    expect_ended(say(page, "keep me"))
    page.get_by_role("button", name="New", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
    here = page.url
    line(page, "keep me").locator(".chat-link").press("Delete")
    expect(line(page, "keep me")).to_have_count(0)
    assert page.url == here
    page.get_by_role("region", name="Notices").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("keep me")


def test_a_chat_is_forked_and_moved_by_its_menu(page: Page, serve: Serve) -> None:
    page.goto(serve(says("Yes.")).entrance)
    expect_ended(say(page, "origin"))
    page.get_by_role("button", name="New project").click()
    page.get_by_role("textbox", name="Name of the new project").fill("Garden")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Garden")).to_be_visible()
    origin = page.url
    line(page, "origin").hover()
    page.get_by_role("button", name="More for origin").click()
    page.get_by_role("button", name="Fork").click()
    expect(page.locator(".special")).to_contain_text("Forked")
    expect(page.locator(".turn")).to_have_count(1)
    assert page.url != origin
    line(page, "origin").first.hover()
    page.get_by_role("button", name="More for origin").first.click()
    page.get_by_role("button", name="Move to…").click()
    dialog = page.get_by_role("dialog", name="Move the chat")
    dialog.get_by_label("Project").select_option(label="Garden")
    dialog.get_by_role("button", name="Move").click()
    expect(page.get_by_role("region", name="Notices")).to_contain_text("The chat was moved.")
    expect(page.locator(".place", has_text="Garden").locator(".chat-item")).to_have_count(1)


def test_projects_are_made_renamed_and_deleted(page: Page, serve: Serve) -> None:
    page.goto(serve().entrance)
    page.get_by_role("button", name="New project").click()
    page.get_by_role("textbox", name="Name of the new project").fill("Garden")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Garden")).to_be_visible()
    page.get_by_role("button", name="New chat in Garden").click()
    expect(page.locator(".chat-place")).to_have_text("Garden")
    page.get_by_role("button", name="More for Garden").click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="New name").fill("Orchard")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Orchard")).to_be_visible()
    page.get_by_role("button", name="More for Orchard").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text(
        "1 chat with 0 turns will be deleted. For a minute this can be undone."
    )
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".chat-place")).to_have_text("Home")
    expect(page.get_by_role("heading", name="Orchard")).to_have_count(0)
    page.get_by_role("region", name="Notices").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="Orchard")).to_be_visible()


def test_an_empty_name_changes_nothing(page: Page, serve: Serve) -> None:
    page.goto(serve().entrance)
    page.get_by_role("link", name="New chat").press("F2")
    page.get_by_role("textbox", name="New name").fill("   ")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="New chat")).to_be_visible()


def test_a_new_chat_reuses_the_one_that_is_still_empty(page: Page, serve: Serve) -> None:
    page.goto(serve(says("Yes.")).entrance)
    expect_ended(say(page, "first"))
    page.get_by_role("button", name="New", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
    empty = page.url
    page.get_by_role("button", name="New", exact=True).click()
    expect(page.locator(".chat-item")).to_have_count(2)
    assert page.url == empty
