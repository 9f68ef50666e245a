"""What an answer leans on: sources below it, and the words cited when one is looked at."""

from __future__ import annotations

from msgspec import structs
from playwright.sync_api import Page, expect

from tests.browser.filling import BEGAN_AT
from tests.browser.scene import Serve, on_a_phone
from tests.browser.test_layout import complaints
from tests.workspaces import MODEL
from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.parts import Citation, Native, Part, ServerTool, Text
from windowpane.projects import Chat
from windowpane.storage.history import put_chat, put_message, put_new_turn
from windowpane.storage.vault import Vault
from windowpane.turns import Turn

SEARCH = ServerTool(
    name="web_search",
    arguments='{"query": "weather in Ulm"}',
    native=Native(family="openai_chat", block='{"output": "Sunny in Ulm, 21 degrees."}'),
)
ANSWER = Text(
    text="It will be sunny.",
    citations=(
        Citation(
            url="https://weather.example/ulm",
            title="Weather in Ulm today, tomorrow and in the next two weeks, hour by hour",
            cited_text="Sunny all day.",
        ),
        Citation(url="https://rain.example/a-long-address", cited_text="No rain is expected."),
    ),
)


async def prepare(vault: Vault, chat: Chat) -> None:
    turn = Turn(
        id=new_id("turn"),
        chat_id=chat.id,
        parent_id=None,
        depth=0,
        model=MODEL,
        state="complete",
        created_at=BEGAN_AT,
        ended_at=BEGAN_AT,
        finish="stop",
    )
    asked = _message("user", Text(text="What will the weather be?"))
    answered = _message("assistant", SEARCH, ANSWER)
    grown = structs.replace(chat, head_id=turn.id, turn_count=1)
    await vault.commit(
        [
            put_new_turn(vault, turn),
            put_message(vault, asked, turn_id=turn.id, position=0),
            put_message(vault, answered, turn_id=turn.id, position=1),
            put_chat(vault, grown, expected_version=None),
        ]
    )


def _message(role: str, *parts: Part) -> Message:
    kind = "user" if role == "user" else "assistant"
    return Message(id=new_id("record"), role=kind, parts=parts, created_at=BEGAN_AT)


def test_the_words_cited_show_on_hover_and_on_focus(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=prepare).entrance)
    first, second = page.locator(".source").all()
    words = first.locator(".source-quotes")
    expect(words).to_have_text("Sunny all day.")
    expect(words).to_have_css("opacity", "0")
    first.hover()
    expect(words).to_have_css("opacity", "1")
    page.mouse.move(0, 0)
    expect(words).to_have_css("opacity", "0")
    second.get_by_role("link").focus()
    expect(second.locator(".source-quotes")).to_have_css("opacity", "1")
    expect(second.locator(".source-quotes")).to_have_text("No rain is expected.")
    assert complaints(page) == []


def test_words_that_would_leave_the_window_stand_above_their_source(
    page: Page, serve: Serve
) -> None:
    page.set_viewport_size({"width": 900, "height": 360})
    page.goto(serve(prepare=prepare).entrance)
    source = page.locator(".source").last
    source.hover()
    words = source.locator(".source-quotes")
    expect(words).to_have_css("opacity", "1")
    box = words.bounding_box()
    assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 360


def test_a_search_of_the_provider_shows_what_it_asked_and_found(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=prepare).entrance)
    folded = page.locator(".aside")
    expect(folded.locator("summary")).to_have_text("Searched the web weather in Ulm")
    folded.locator("summary").click()
    expect(folded).to_contain_text("Sunny in Ulm, 21 degrees.")


@on_a_phone
def test_on_a_phone_the_words_stand_below_and_nothing_is_cut_off(page: Page, serve: Serve) -> None:
    page.goto(serve(prepare=prepare).entrance)
    expect(page.get_by_text("Sunny all day.")).to_be_visible()
    widths = page.locator("chat-log").evaluate("it => [it.scrollWidth, it.clientWidth]")
    assert widths[0] == widths[1]
