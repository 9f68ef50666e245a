"""What strangers write runs nothing, and the page asks nobody but its own server."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.scene import Serve, Witness, expect_ended, say
from tests.workspaces import does
from windowpane.errors import Failure
from windowpane.providers.scripted import Call, Fail, Say, Think

# What a text could bring in; the icons of a turn's own buttons are the page's.
FOREIGN = ":is(script, iframe, img, style, svg):not(.turn-tools *)"
HOSTILE = (
    "</script><script>alert(1)</script>",
    '<img src=x onerror="alert(2)">',
    '$\\text{<img/src="x"onerror="alert(3)">}$',
    "$$\\href{javascript:alert(4)}{x}$$",
    "[link](javascript:alert(5))",
    '<svg onload="alert(6)">',
    "```html\n<script>alert(7)</script>\n```",
    "![picture](https://tracker.example/pixel.png)",
    "</div></article><iframe src='https://tracker.example'></iframe>",
    '"><style>*{display:none}</style>',
)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_runs_nothing_live_or_loaded(hostile: str, page: Page, serve: Serve) -> None:
    answer = does(
        Think(chunks=(hostile,)),
        Say(chunks=tuple(hostile)),
        Fail(failure=Failure(kind="server", message=hostile)),
    )
    page.goto(serve(answer).entrance)
    turn = say(page, hostile)
    for _ in range(2):
        expect_ended(turn, state="error")
        expect(turn.locator(".ask")).to_have_text(hostile)
        expect(turn.locator(".turn-foot")).to_contain_text(hostile)
        assert turn.locator(FOREIGN).count() == 0
        assert page.locator("h1").inner_text() == page.locator("h1").text_content()
        page.reload()


def test_hostile_tool_traffic_and_names_show_as_text(page: Page, serve: Serve) -> None:
    hostile = HOSTILE[1]
    call = Call(call_id="c", name=hostile, arguments=f'{{"path": "{HOSTILE[0]}"}}')
    page.goto(serve(does(call)).entrance)
    turn = say(page, "look")
    expect(turn.locator("summary")).to_contain_text(hostile)
    page.locator(".chat-link").press("F2")
    page.get_by_role("textbox", name="New name").fill(hostile)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(hostile)
    page.reload()
    expect(page.locator(".chat-link")).to_contain_text(hostile)


def test_the_first_page_is_light(page: Page, serve: Serve, witness: Witness) -> None:
    page.goto(serve().entrance)
    expect(page.get_by_role("combobox", name="Model").locator("optgroup")).not_to_have_count(0)
    sizes = [
        request.sizes()["responseBodySize"] for request in witness.requests if done(request.url)
    ]
    assert len(witness.requests) <= 20
    assert sum(sizes) <= 80_000


def done(url: str) -> bool:
    """Not the stream, which has no end."""
    return "/stream" not in url
