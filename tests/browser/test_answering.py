"""A message is sent, its answer streams in, and nothing that happens to the tab harms it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.scene import Serve, Witness, answer_html, expect_ended, say
from tests.server import Line
from tests.workspaces import does, says
from windowpane.errors import Failure
from windowpane.providers.scripted import Call, Cut, End, Fail, Hang, Report, Say, Think
from windowpane.usage import TokenUsage

RICH = """# Keys

A key names **one** payment for `thirty days`.

```sql
select result from entries where key = $1;
```

| state | next |
| --- | --- |
| new | captured |

1. First
   - inside

> Exactly once is at least once, plus a memory.

The sum $a^2 + b^2$, and

$$\\int_0^1 x\\,dx$$

Last words with a [link](https://example.org) and a note[^1].

[^1]: The note.
"""


def pieces(text: str, size: int) -> tuple[str, ...]:
    return tuple(text[at : at + size] for at in range(0, len(text), size))


def test_a_first_message_is_answered_as_it_streams(page: Page, serve: Serve) -> None:
    server = serve(does(Say(chunks=("The **first** wo", "rds.\n\nAnd mo")), Hang()))
    page.goto(server.entrance)
    expect(page.get_by_text("The model sees nothing of this chat yet.")).to_be_visible()
    turn = say(page, "Begin, please.")
    expect(turn.locator(".ask")).to_have_text("Begin, please.")
    expect(turn.locator(".answer strong")).to_have_text("first")
    expect(turn.locator(".answer p").last).to_have_text("And mo")
    expect(turn).to_have_attribute("data-state", "sending")
    expect(page.get_by_text("The model sees nothing of this chat yet.")).to_have_count(0)
    expect(page.get_by_role("textbox", name="Message")).to_have_value("")


def test_a_streamed_answer_equals_the_loaded_one(page: Page, serve: Serve) -> None:
    think = "First **the key**.\n\nThen the row."
    server = serve(
        does(
            Think(chunks=pieces(think, 5)),
            Say(chunks=pieces(RICH, 3), delay_seconds=0.002),
            Report(usage=TokenUsage(input_tokens=1410, output_tokens=470)),
            End(finish="stop"),
        )
    )
    page.goto(server.entrance)
    turn = say(page, "Tell me all.")
    expect_ended(turn)
    streamed, foot = answer_html(turn), turn.locator(".turn-foot").inner_html()
    facts = turn.locator(".turn-facts").inner_text()
    assert "1,880" in facts
    page.reload()
    assert answer_html(turn) == streamed
    assert turn.locator(".turn-foot").inner_html() == foot
    assert turn.locator(".turn-facts").inner_text() == facts


def test_a_second_tab_shows_the_same_and_follows(
    page: Page, serve: Serve, witness: Witness
) -> None:
    server = serve(says("One.", when="first"), says(*pieces(RICH, 7), when="second"))
    page.goto(server.entrance)
    expect_ended(say(page, "first"))
    other = witness.watch(page.context.new_page())
    other.goto(page.url)
    expect(other.locator(".turn .answer")).to_have_text("One.")
    turn = say(page, "second")
    expect_ended(turn)
    followed = other.locator(".turn").last
    expect_ended(followed)
    assert answer_html(followed) == answer_html(turn)
    expect(other.locator(".counter")).to_have_text("2 / 2")


def test_a_tab_that_comes_late_sees_what_was_written_before(
    page: Page, serve: Serve, witness: Witness
) -> None:
    server = serve(does(Think(chunks=("Hm.",)), Say(chunks=("Half a sen",)), Hang()))
    page.goto(server.entrance)
    expect(say(page, "go").locator(".answer")).to_contain_text("Half a sen")
    late = witness.watch(page.context.new_page())
    late.goto(page.url)
    turn = late.locator(".turn").last
    expect(turn.locator(".answer .piece")).to_have_count(2)
    expect(turn.locator(".answer")).to_contain_text("Half a sen")
    late.get_by_role("button", name="Stop").click()
    expect_ended(turn, state="aborted")
    expect_ended(page.locator(".turn").last, state="aborted")
    assert answer_html(turn) == answer_html(page.locator(".turn").last)


def test_escape_stops_an_answer_and_keeps_its_text(page: Page, serve: Serve) -> None:
    server = serve(does(Say(chunks=("Kept text",)), Hang(), when="go"), says("Next.", when="again"))
    page.goto(server.entrance)
    turn = say(page, "go")
    expect(turn.locator(".answer")).to_contain_text("Kept text")
    page.keyboard.press("Escape")
    expect_ended(turn, state="aborted")
    expect(turn.locator(".turn-foot")).to_contain_text("Stopped")
    expect(turn.locator(".answer")).to_have_text("Kept text")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect_ended(say(page, "again"))


def test_half_a_tool_call_goes_when_the_answer_is_stopped(page: Page, serve: Serve) -> None:
    server = serve(does(Say(chunks=("Let me see.",)), Hang()))
    page.goto(server.entrance)
    turn = say(page, "go")
    expect(turn.locator(".answer")).to_contain_text("Let me see.")
    page.get_by_role("button", name="Stop").click()
    expect_ended(turn, state="aborted")
    streamed = answer_html(turn)
    page.reload()
    assert answer_html(turn) == streamed


def test_the_box_stays_usable_while_an_answer_is_written(page: Page, serve: Serve) -> None:
    server = serve(does(Say(chunks=("Wait",)), Hang()))
    page.goto(server.entrance)
    turn = say(page, "go")
    box = page.get_by_role("textbox", name="Message")
    box.fill("the next thought")
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    page.get_by_role("button", name="Stop").click()
    expect_ended(turn, state="aborted")
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    expect(box).to_have_value("the next thought")


def test_sending_during_an_answer_is_refused_and_keeps_the_text(
    page: Page, serve: Serve, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    server = serve(does(Say(chunks=("Wait",)), Hang()))
    page.goto(server.entrance)
    say(page, "go")
    box = page.get_by_role("textbox", name="Message")
    box.fill("too early")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("still answering")
    expect(box).to_have_value("too early")
    expect(page.locator(".turn")).to_have_count(1)


def test_a_cut_line_is_mended_and_nothing_is_missing(
    page: Page, serve: Serve, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    server = serve(does(Say(chunks=pieces(RICH, 4), delay_seconds=0.02), End(finish="stop")))
    line = Line(server)
    page.goto(line.entrance)
    turn = say(page, "go")
    for word in ("payment", "entries", "captured"):
        expect(turn.locator(".answer")).to_contain_text(word)
        line.cut()
    expect_ended(turn)
    streamed = answer_html(turn)
    page.reload()
    assert answer_html(turn) == streamed
    expect(page.locator(".turn")).to_have_count(1)
    line.close()


def test_a_hidden_tab_lets_go_of_the_stream_and_comes_back(
    page: Page, serve: Serve, witness: Witness
) -> None:
    server = serve(says("First.", when="one"), says("Second.", when="two"))
    page.goto(server.entrance)
    expect_ended(say(page, "one"))
    with page.expect_event("requestfailed", lambda request: "/stream" in request.url):
        set_hidden(page, True)
    other = witness.watch(page.context.new_page())
    other.goto(page.url)
    expect_ended(say(other, "two"))
    expect(page.locator(".turn")).to_have_count(1)
    set_hidden(page, False)
    expect(page.locator(".turn .answer").last).to_have_text("Second.")


def set_hidden(page: Page, is_hidden: bool) -> None:
    page.evaluate(
        """isHidden => {
            Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        is_hidden,
    )


def test_a_killed_server_leaves_the_text_and_the_page_recovers(
    page: Page, serve: Serve, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    server = serve(
        does(Say(chunks=("Written before the power went.",)), Hang(), when="go"),
        says("Back again.", when="still"),
    )
    page.goto(server.entrance)
    turn = say(page, "go")
    expect(turn.locator(".answer")).to_contain_text("Written before")
    page.get_by_role("textbox", name="Message").fill("my draft")
    # What is older than a second is on disk.
    page.wait_for_timeout(1200)
    server.kill()
    expect(page.locator("[data-connection]")).to_contain_text("Connection lost")
    server.start()
    expect_ended(turn, state="interrupted")
    expect(turn.locator(".turn-foot")).to_contain_text(
        "Interrupted: the server stopped while answering; the text so far is kept"
    )
    expect(turn.locator(".answer")).to_have_text("Written before the power went.")
    expect(page.locator("[data-connection]")).to_be_hidden()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("my draft")
    expect(turn.locator(".turn-foot").get_by_role("button", name="Ask again")).to_be_visible()
    expect_ended(say(page, "are you still there?"))


def test_a_failed_answer_says_what_failed(page: Page, serve: Serve) -> None:
    quota = Failure(kind="quota", message="You exceeded your current quota.")
    server = serve(
        does(Say(chunks=("Half",)), Fail(failure=quota), when="half"),
        does(Fail(failure=quota), when="nothing"),
        does(Say(chunks=("Broken off",)), Cut(), when="cut"),
        does(Say(chunks=("Too long",)), End(finish="length"), when="long"),
    )
    page.goto(server.entrance)
    half = say(page, "half")
    expect_ended(half, state="error")
    expect(half.locator(".ending")).to_have_text("[error: quota] You exceeded your current quota.")
    expect(half.locator(".answer")).to_have_text("Half")
    expect(half).to_have_attribute("data-standing", "sent")
    nothing = say(page, "nothing")
    expect(nothing).to_have_attribute("data-standing", "failed")
    expect(say(page, "cut").locator(".turn-foot")).to_contain_text("[error: net]")
    expect(say(page, "long").locator(".turn-foot")).to_contain_text("Truncated")


def test_a_send_that_is_held_says_until_when_and_can_be_stopped(page: Page, serve: Serve) -> None:
    refused = Failure(kind="quota", message="Too many requests.", retry_after_seconds=300)
    page.goto(serve(does(Fail(failure=refused))).entrance)
    turn = say(page, "Hello")
    held = turn.get_by_role("status")
    expect(held).to_contain_text("The provider's rate limit is reached")
    expect(held).to_contain_text("Too many requests.")
    expect(held.locator("time")).to_have_text(re.compile(r"\d:\d\d:\d\d"))
    page.get_by_role("button", name="Stop Esc").click()
    expect_ended(turn, state="aborted")
    expect(held).to_have_count(0)


def test_reasoning_and_tools_are_folded_with_one_line_of_them(page: Page, serve: Serve) -> None:
    call = Call(call_id="c1", name="read_file", arguments='{"path": "/ledger.py"}')
    server = serve(
        does(Think(chunks=("An upsert needs ", "the conflict arm.")), call, when="look"),
        says("There is no such tool.", when="look"),
    )
    page.goto(server.entrance)
    turn = say(page, "look")
    expect_ended(turn)
    thought, tool = turn.locator("details").all()
    expect(thought.locator("summary")).to_have_text("Thought An upsert needs the conflict arm.")
    expect(thought.locator(".prose")).to_be_hidden()
    expect(tool.locator("summary")).to_contain_text("read_file")
    tool.locator("summary").click()
    expect(tool).to_contain_text('"path": "/ledger.py"')
    expect(tool).to_contain_text("There is no tool called read_file.")
    page.reload()
    expect(turn.locator("details")).to_have_count(2)


def test_what_the_reader_opened_stays_open_while_the_answer_goes_on(
    page: Page, serve: Serve
) -> None:
    server = serve(
        does(
            Think(chunks=("Slowly ", "thinking ") * 20, delay_seconds=0.05),
            Say(chunks=("Done.",)),
            End(finish="stop"),
        )
    )
    page.goto(server.entrance)
    turn = say(page, "think")
    turn.locator("summary").click()
    expect_ended(turn)
    expect(turn.locator("details .prose")).to_be_visible()
    expect(turn.locator("details .prose")).to_contain_text("Slowly thinking Slowly")
