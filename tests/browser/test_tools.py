"""Tool calls on the page: how they stand, how a person decides on them, and that it lasts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.scene import Serve, Witness, answer_html, expect_ended, say
from tests.workspaces import does, says
from windowpane.providers.scripted import Call, Say
from windowpane.tools.scripted import Answer, Give, Hang, Tell, ToolScript

LOOK = ToolScript(name="look", steps=(Answer(text="An open door."),))
WRITE = ToolScript(name="write", steps=(Answer(text="written"),), approval="ask")
BROKEN = ToolScript(name="broken", steps=(Answer(text="No.", is_error=True),))
HANGING = ToolScript(
    name="hanging",
    steps=(Tell(message="reading page 3", fraction=0.4), Give(text="page one\npage two"), Hang()),
)


def call(name: str, arguments: str = "{}", call_id: str = "") -> Call:
    return Call(call_id=call_id or name, name=name, arguments=arguments)


def tool(turn: Locator, name: str) -> Locator:
    return turn.locator(".tool").filter(has=turn.page.locator(".aside-name", has_text=name))


def test_calls_and_results_are_drawn_alike_live_and_loaded(page: Page, serve: Serve) -> None:
    server = serve(
        does(
            Say(chunks=("I look.",)),
            call("look", '{"at": "door"}'),
            call("broken"),
            call("recall", '{"query": "doors"}'),
        ),
        says("It is open."),
        tools=(LOOK, BROKEN),
    )
    page.goto(server.entrance)
    turn = say(page, "Is it open?")
    expect_ended(turn)
    expect(turn.locator(".tool")).to_have_count(3)
    expect(tool(turn, "look").locator(".aside-preview")).to_have_text("An open door.")
    expect(tool(turn, "broken")).to_have_class("piece aside tool is-done is-failed")
    expect(tool(turn, "Recall").locator(".aside-preview")).to_contain_text("Nothing in this chat")
    tool(turn, "look").locator("summary").click()
    expect(tool(turn, "look").locator("code")).to_have_text('{\n  "at": "door"\n}')
    streamed = answer_html(turn).replace(' open=""', "")
    page.reload()
    assert answer_html(turn) == streamed


def test_a_running_tool_tells_how_far_it_is_also_to_a_late_tab(
    page: Page, serve: Serve, witness: Witness
) -> None:
    server = serve(does(call("look"), call("hanging")), says("Next."), tools=(LOOK, HANGING))
    page.goto(server.entrance)
    turn = say(page, "go")
    expect(tool(turn, "hanging").locator(".tool-state")).to_have_text("running 40 %")
    expect(tool(turn, "hanging").locator(".aside-preview")).to_have_text("reading page 3")
    expect(tool(turn, "look").locator(".aside-preview")).to_have_text("An open door.")
    late = witness.watch(page.context.new_page())
    late.goto(page.url)
    other = late.locator(".turn").last
    tool(other, "hanging").locator("summary").click()
    expect(tool(other, "hanging").locator("progress")).to_have_attribute("value", "40")
    expect(tool(other, "hanging").locator("pre.plain")).to_have_text("page one\npage two")
    late.get_by_role("button", name="Stop Esc").click()
    expect_ended(turn, state="aborted")
    expect(tool(turn, "hanging").locator(".aside-preview")).to_contain_text("page one page two")
    expect(tool(turn, "hanging").locator(".aside-preview")).to_contain_text("The user stopped")
    assert answer_html(turn) == answer_html(other).replace(' open=""', "")


def test_a_turn_can_be_stopped_after_the_step_it_is_at(page: Page, serve: Serve) -> None:
    server = serve(does(call("look"), call("hanging")), tools=(LOOK, HANGING))
    page.goto(server.entrance)
    expect(page.get_by_role("button", name="Stop after this step")).to_be_hidden()
    turn = say(page, "go")
    expect(tool(turn, "hanging").locator(".tool-state")).to_have_text("running 40 %")
    soft = page.get_by_role("button", name="Stop after this step")
    soft.click()
    expect(soft).to_be_disabled()
    expect(turn).to_have_attribute("data-state", "sending")
    page.keyboard.press("Escape")
    expect_ended(turn, state="aborted")
    expect(soft).to_be_hidden()


def test_a_call_is_accepted_by_its_button_and_the_answer_goes_on(page: Page, serve: Serve) -> None:
    server = serve(
        does(call("look"), call("write", '{"path": "/a.txt"}')),
        says("Written."),
        tools=(LOOK, WRITE),
    )
    page.goto(server.entrance)
    turn = say(page, "Write it.")
    expect(turn).to_have_attribute("data-state", "waiting")
    asked = tool(turn, "write")
    expect(asked.locator(".tool-state")).to_have_text("waits for you")
    expect(asked.locator("code")).to_contain_text("/a.txt")
    expect(turn.locator(".turn-head")).to_contain_text("waits for you")
    expect(page.get_by_role("group", name="Tool calls that wait for you")).to_be_visible()
    asked.get_by_role("button", name="Accept").click()
    expect_ended(turn)
    expect(turn.locator(".answer > .prose")).to_have_text("Written.")
    expect(tool(turn, "write").locator(".aside-preview")).to_have_text("written")
    expect(page.get_by_role("group", name="Tool calls that wait for you")).to_be_hidden()
    streamed = answer_html(turn)
    page.reload()
    assert answer_html(turn) == streamed


def test_calls_are_decided_one_by_one_in_two_tabs(
    page: Page, serve: Serve, witness: Witness
) -> None:
    server = serve(
        does(call("write", call_id="first"), call("write", call_id="second")),
        says("As you like."),
        tools=(WRITE,),
    )
    page.goto(server.entrance)
    turn = say(page, "Write both.")
    expect(turn).to_have_attribute("data-state", "waiting")
    other = witness.watch(page.context.new_page())
    other.goto(page.url)
    seen = other.locator(".turn").last
    turn.locator("[data-call=first]").get_by_role("button", name="Reject").click()
    expect(seen.locator("[data-call=first] .tool-state")).to_have_text("rejected")
    expect(turn).to_have_attribute("data-state", "waiting")
    seen.locator("[data-call=second]").get_by_role("button", name="Accept").click()
    expect_ended(turn)
    expect_ended(seen)
    expect(turn.locator(".tool .aside-preview")).to_have_text(
        ["User rejected the tool call", "written"]
    )
    assert answer_html(turn) == answer_html(seen)


@pytest.mark.parametrize("way", ["button", "keyboard"])
def test_all_calls_are_accepted_at_once(page: Page, serve: Serve, way: str) -> None:
    server = serve(
        does(call("write", call_id="1"), call("write", call_id="2")),
        says("Written."),
        tools=(WRITE,),
    )
    page.goto(server.entrance)
    turn = say(page, "Write both.")
    expect(turn).to_have_attribute("data-state", "waiting")
    if way == "button":
        page.get_by_role("button", name="Accept all").click()
    else:
        page.get_by_role("textbox", name="Message").press("Enter")
    expect_ended(turn)
    expect(turn.locator(".tool .aside-preview")).to_have_text(["written", "written"])
    expect(page.locator(".turn")).to_have_count(1)


def test_all_calls_are_rejected_by_a_button_or_by_saying_something_else(
    page: Page, serve: Serve
) -> None:
    server = serve(
        says("Then not.", after="User rejected"),
        does(call("write"), when="first"),
        does(call("write"), when="second"),
        says("Of course.", when="third"),
        tools=(WRITE,),
    )
    page.goto(server.entrance)
    turn = say(page, "first")
    expect(turn).to_have_attribute("data-state", "waiting")
    page.get_by_role("button", name="Reject all").click()
    expect_ended(turn)
    expect(turn.locator(".answer > .prose")).to_have_text("Then not.")
    second = say(page, "second")
    expect(second).to_have_attribute("data-state", "waiting")
    third = say(page, "third")
    expect_ended(third)
    expect_ended(page.locator(".turn").nth(1))
    expect(page.locator(".turn").nth(1).locator(".aside-preview")).to_have_text(
        "User rejected the tool call"
    )
    expect(page.locator(".counter")).to_have_text("3 / 3")


def test_a_turn_waits_through_a_restart_of_the_server(
    page: Page, serve: Serve, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    server = serve(
        says("Written.", after="written"), does(call("look"), call("write")), tools=(LOOK, WRITE)
    )
    page.goto(server.entrance)
    turn = say(page, "Write it.")
    expect(turn).to_have_attribute("data-state", "waiting")
    server.kill()
    server.start()
    page.reload()
    expect(turn).to_have_attribute("data-state", "waiting")
    expect(tool(turn, "look").locator(".aside-preview")).to_have_text("An open door.")
    tool(turn, "write").get_by_role("button", name="Accept").click()
    expect_ended(turn)
    expect(turn.locator(".answer > .prose")).to_have_text("Written.")


def test_escape_ends_a_turn_that_waits(page: Page, serve: Serve) -> None:
    server = serve(does(call("write"), when="first"), says("Next.", when="next"), tools=(WRITE,))
    page.goto(server.entrance)
    turn = say(page, "first")
    expect(turn).to_have_attribute("data-state", "waiting")
    page.keyboard.press("Escape")
    expect_ended(turn, state="aborted")
    expect(turn.locator(".tool .aside-preview")).to_contain_text("The user stopped")
    expect_ended(say(page, "next"))


def test_a_tool_that_nobody_knows_is_drawn_as_json(page: Page, serve: Serve) -> None:
    gone = does(call("teleport", '{"to":"<b>Mars</b>"}'))
    server = serve(gone, says("No such thing."))
    page.goto(server.entrance)
    turn = say(page, "Go.")
    expect_ended(turn)
    tool(turn, "teleport").locator("summary").click()
    expect(tool(turn, "teleport").locator("code")).to_have_text('{\n  "to": "<b>Mars</b>"\n}')
