"""The page on a phone, in both themes, for the keyboard and for those who cannot see it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.filling import filled
from tests.browser.scene import Serve, Witness, expect_ended, on_a_phone, say
from tests.browser.test_answering import RICH
from tests.workspaces import does, says
from windowpane.providers.scripted import End, Hang, Say, Think

AXE = Path(__file__).parents[2] / "frontend/node_modules/axe-core/axe.min.js"
RULES = """async () => {
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations.map(it => `${it.id}: ${it.nodes.map(node => node.html).join(" ")}`);
}"""


def complaints(page: Page) -> list[str]:
    page.evaluate(AXE.read_text())
    return page.evaluate(RULES)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(scheme: str, page: Page, serve: Serve) -> None:
    rich = does(Think(chunks=("Hm.",)), Say(chunks=(RICH,)), End(finish="length"), when="rich")
    server = serve(rich, does(Say(chunks=("Wait",)), Hang(), when="wait"))
    page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
    )
    page.goto(server.entrance)
    assert complaints(page) == []
    turn = say(page, "rich")
    expect_ended(turn)
    turn.locator("summary").click()
    assert complaints(page) == []
    expect(say(page, "wait").locator(".answer")).to_contain_text("Wait")
    assert complaints(page) == []
    page.get_by_role("button", name="More for Home").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert complaints(page) == []


def test_a_page_that_is_not_there_says_so(page: Page, serve: Serve, witness: Witness) -> None:
    witness.expects_failed_loads = True
    server = serve()
    page.goto(server.entrance)
    page.goto(f"{server.address}/chats/cht_none")
    expect(page.get_by_text("There is no chat cht_none. It may have been deleted.")).to_be_visible()
    assert complaints(page) == []
    page.get_by_role("link", name="Back to your chats").click()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()


def test_a_password_lets_in_and_a_wrong_one_says_so(
    page: Page, serve: Serve, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    server = serve(password="correct horse")
    page.goto(server.address)
    assert complaints(page) == []
    box = page.get_by_label("Password of this server")
    expect(box).to_be_focused()
    box.fill("battery staple")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("That is not the password. Try again.")
    assert complaints(page) == []
    box.fill("correct horse")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()


def test_a_browser_that_is_not_let_in_is_told_the_way(
    page: Page, serve: Serve, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    page.goto(f"{serve().address}/providers/new")
    expect(page.get_by_role("heading")).to_have_text("This browser is not let in yet")
    expect(page.locator(".brand svg")).to_be_visible()
    assert complaints(page) == []
    page.goto(page.url + "?token=long-gone")
    expect(page.get_by_role("heading")).to_have_text("This address was used already")


@on_a_phone
def test_a_phone_has_one_column_and_a_drawer(page: Page, serve: Serve) -> None:
    server = serve(says(RICH + "averyverylongword" * 30), prepare=filled(turns=2))
    page.goto(server.entrance)
    expect_ended(say(page, "and a long unbroken " + "word" * 80))
    sidebar = page.locator("#sidebar")
    expect(sidebar).to_be_hidden()
    assert not overflows(page)
    page.get_by_role("button", name="Chats").tap()
    expect(sidebar.get_by_role("link", name="Question 0")).to_be_visible()
    expect(page.locator("main.chat")).to_have_attribute("inert", "")
    assert complaints(page) == []
    assert small_targets(page) == []
    page.keyboard.press("Escape")
    expect(sidebar).to_be_hidden()
    expect(page.get_by_role("button", name="Chats")).to_be_focused()
    assert small_targets(page) == []
    assert complaints(page) == []


def overflows(page: Page) -> bool:
    return page.evaluate(
        """() => {
            const log = document.querySelector("chat-log");
            const wide = [...document.querySelectorAll(".turn, .prose > *, .composer button, h1")]
                .filter(it => it.getBoundingClientRect().right > innerWidth);
            return log.scrollWidth > log.clientWidth || wide.length > 0;
        }"""
    )


def small_targets(page: Page) -> list[str]:
    """Buttons and boxes that a thumb would miss. Links in running text are exempt."""
    return page.evaluate(
        """() => [...document.querySelectorAll("button, select, textarea, summary, .chat-link")]
            .filter(it => it.checkVisibility({ visibilityProperty: true }) && it.tabIndex >= 0)
            .filter(it => it.getBoundingClientRect().height < 44)
            .map(it => it.outerHTML)"""
    )


def test_the_theme_is_remembered_and_drawn_by_the_server(page: Page, serve: Serve) -> None:
    page.goto(serve().entrance)
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "system")
    button = page.get_by_role("button", name="Theme")
    button.click()
    button.click()
    expect(button).to_have_text("Theme: dark")
    dark = page.evaluate("() => getComputedStyle(document.body.parentElement).backgroundColor")
    response = page.reload()
    assert response is not None and 'data-theme="dark"' in response.text()
    assert dark == page.evaluate(
        "() => getComputedStyle(document.body.parentElement).backgroundColor"
    )


def test_code_is_copied_with_one_click(page: Page, serve: Serve) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(serve(says(RICH)).entrance)
    expect_ended(say(page, "code"))
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.rstrip("\n") == "select result from entries where key = $1;"


def test_finished_blocks_are_read_out_and_words_are_not(page: Page, serve: Serve) -> None:
    server = serve(does(Say(chunks=("First block.\n\n", "Second, not yet fin")), Hang()))
    page.goto(server.entrance)
    turn = say(page, "go")
    expect(turn.locator(".answer")).to_contain_text("Second, not yet fin")
    announcer = page.locator("[data-announcer]")
    expect(announcer).to_have_text("First block.")
    expect(page.get_by_role("log")).to_have_attribute("aria-live", "off")
    page.keyboard.press("Escape")
    expect(announcer).to_contain_text("Second, not yet fin")
