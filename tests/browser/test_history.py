"""Long chats: pages on both sides, the reader's place, and what cannot be opened."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.filling import filled
from tests.browser.scene import Serve, Witness, answer_html, is_at_end, say
from tests.workspaces import does
from windowpane.providers.scripted import End, Say

MOST_TURNS = 300


def top_of(page: Page, text: str) -> float:
    box = page.locator(".turn", has_text=text).first.bounding_box()
    assert box is not None
    return box["y"]


def scroll_to(page: Page, top: int) -> None:
    page.locator("chat-log").evaluate("(it, top) => it.scrollTop = top", top)


def first_depth(page: Page) -> int:
    return int(page.locator(".turn").first.get_attribute("data-depth") or "-1")


def test_a_chat_opens_at_its_newest_turn(page: Page, serve: Serve) -> None:
    server = serve(prepare=filled(turns=60))
    page.goto(server.entrance)
    expect(page.locator(".turn").last).to_contain_text("Question 59")
    expect(page.locator(".turn")).to_have_count(40)
    assert is_at_end(page)


def test_older_turns_come_when_scrolling_up_and_nothing_jumps(page: Page, serve: Serve) -> None:
    server = serve(prepare=filled(turns=100))
    page.goto(server.entrance)
    expect(page.locator(".turn")).to_have_count(40)
    with page.expect_response(lambda response: "/turns?" in response.url):
        scroll_to(page, 850)
        before = top_of(page, "Question 63")
    expect(page.locator(".turn")).to_have_count(80)
    assert abs(top_of(page, "Question 63") - before) < 1
    scroll_to(page, 0)
    expect(page.locator(".turn")).to_have_count(100)
    scroll_to(page, 0)
    expect(page.locator(".turn").first).to_contain_text("Question 0")
    depths = page.locator(".turn").evaluate_all("all => all.map(it => Number(it.dataset.depth))")
    assert depths == list(range(100))


def test_a_thousand_turns_can_be_walked_with_few_of_them_on_the_page(
    page: Page, serve: Serve
) -> None:
    server = serve(prepare=filled(turns=1000))
    page.goto(server.entrance)
    walk_to_first(page)
    assert page.locator(".turn").count() <= MOST_TURNS
    expect(page.locator(".turn").first).to_contain_text("Question 0")
    page.get_by_role("button", name="Newest").click()
    expect(page.locator(".turn").last).to_contain_text("Question 999")
    assert page.locator(".turn").count() <= MOST_TURNS
    assert is_at_end(page)


def walk_to_first(page: Page) -> None:
    while (depth := first_depth(page)) > 0:
        scroll_to(page, 0)
        page.wait_for_function(
            "depth => Number(document.querySelector('.turn').dataset.depth) < depth", arg=depth
        )
        assert page.locator(".turn").count() <= MOST_TURNS


def test_the_way_back_down_loads_the_newer_turns_again(page: Page, serve: Serve) -> None:
    server = serve(prepare=filled(turns=420))
    page.goto(server.entrance)
    walk_to_first(page)
    page.locator("chat-log").focus()
    for _ in range(20):
        page.locator("chat-log").evaluate("it => it.scrollTop = it.scrollHeight")
        page.wait_for_timeout(100)
    expect(page.locator(".turn").last).to_contain_text("Question 419")
    depths = page.locator(".turn").evaluate_all("all => all.map(it => Number(it.dataset.depth))")
    assert depths == list(range(420 - len(depths), 420))


def test_the_newest_turn_is_whole_though_it_was_fetched_while_it_was_written(
    page: Page, serve: Serve, witness: Witness
) -> None:
    text = tuple(f"Sentence {number} goes on. \n\n"[: 22 + number % 3] for number in range(150))
    server = serve(
        does(Say(chunks=text, delay_seconds=0.02), End(finish="stop")), prepare=filled(turns=340)
    )
    page.goto(server.entrance)
    walk_to_first(page)
    other = witness.watch(page.context.new_page())
    other.goto(page.url)
    written = say(other, "go")
    expect(written).to_contain_text("Sentence 20")
    page.get_by_role("button", name="Newest").click()
    fetched = page.locator(".turn", has_text="Sentence 0")
    expect(fetched).to_be_visible()
    expect(fetched).to_have_attribute("data-state", "sending")
    expect(written).to_have_attribute("data-state", "complete")
    expect(fetched).to_have_attribute("data-state", "complete")
    assert answer_html(fetched) == answer_html(written)


def test_a_reader_at_the_end_is_taken_along(page: Page, serve: Serve) -> None:
    server = serve(does(Say(chunks=("A line.\n\n",) * 80, delay_seconds=0.01), End(finish="stop")))
    page.goto(server.entrance)
    turn = say(page, "go")
    expect(turn).to_have_attribute("data-state", "complete")
    assert is_at_end(page)
    expect(page.get_by_role("button", name="Newest")).to_be_hidden()


def test_a_reader_further_up_is_not_moved(page: Page, serve: Serve) -> None:
    server = serve(
        does(Say(chunks=("A line.\n\n",) * 120, delay_seconds=0.02), End(finish="stop")),
        prepare=filled(turns=20),
    )
    page.goto(server.entrance)
    turn = say(page, "go")
    expect(turn.locator("p").nth(12)).to_be_visible()
    page.locator("chat-log").hover()
    page.mouse.wheel(0, -900)
    expect(page.get_by_role("button", name="Newest")).to_be_visible()
    page.wait_for_timeout(150)
    before = page.locator("chat-log").evaluate("it => it.scrollTop")
    expect(turn).to_have_attribute("data-state", "complete")
    assert page.locator("chat-log").evaluate("it => it.scrollTop") == before
    page.get_by_role("button", name="Newest").click()
    assert is_at_end(page)


def test_a_damaged_record_is_named_and_the_rest_is_there(page: Page, serve: Serve) -> None:
    server = serve(prepare=filled(turns=3, damaged_turn=1))
    page.goto(server.entrance)
    expect(page.get_by_role("note")).to_contain_text("1 record could not be opened")
    expect(page.get_by_role("note")).to_contain_text("records/rec_")
    expect(page.locator(".turn")).to_have_count(3)
    expect(page.locator(".turn").nth(0)).to_contain_text("Question 0")
    expect(page.locator(".turn").nth(1)).to_contain_text("could not be opened")
    expect(page.locator(".turn").nth(2)).to_contain_text("Answer 2")
