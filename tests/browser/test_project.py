"""A project's page: settings, topics and views; and what applies in a chat."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.scene import Serve, Witness, expect_ended, on_a_phone, say
from tests.browser.test_layout import complaints, small_targets
from tests.server import Server
from tests.workspaces import MODEL, says


@pytest.fixture
def server(page: Page, serve: Serve) -> Server:
    """With a page that is let in, on the settings of the first project."""
    server = serve(says("One."), says("Two."))
    page.goto(server.entrance)
    page.get_by_role("button", name="More for Home").click()
    page.get_by_role("button", name="Settings", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Home settings")
    return server


def project_id(page: Page) -> str:
    return page.url.split("/projects/")[1].split("/")[0]


def stored(page: Page, server: Server) -> dict[str, object]:
    answer = page.request.get(f"{server.address}/api/projects/{project_id(page)}/settings")
    return answer.json()


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("[data-savebar]")).to_be_hidden()


def field(page: Page, key: str) -> Locator:
    return page.locator(f'[data-field="{key}"]')


def test_settings_are_changed_saved_and_there_after_a_reload(page: Page, server: Server) -> None:
    page.get_by_label("System prompt").fill("Be brief.\nBe exact.")
    page.get_by_label("Temperature").fill("0.25")
    page.get_by_label("Longest answer").fill("64,000")
    page.get_by_label("Web search").check()
    page.get_by_label("A model names new chats").uncheck()
    page.get_by_label("When it does not fit").select_option("leave the oldest turns out")
    page.get_by_label("A day: Stop at").fill("$5")
    expect(page.get_by_text("Unsaved changes")).to_be_visible()
    save(page)
    assert stored(page, server) == {
        "system_prompt": "Be brief.\nBe exact.",
        "temperature": 0.25,
        "max_output_tokens": 64000,
        "has_web_search": True,
        "has_title": False,
        "when_full": "slide",
        "day_hard_usd": "5",
    }
    page.reload()
    expect(page.get_by_label("System prompt")).to_have_value("Be brief.\nBe exact.")
    expect(page.get_by_label("Web search")).to_be_checked()
    expect(page.locator("[data-savebar]")).to_be_hidden()
    page.get_by_label("Temperature").fill("")
    page.get_by_label("Web search").uncheck()
    save(page)
    assert not {"temperature", "has_web_search"} & stored(page, server).keys()


def test_what_is_not_saved_survives_a_reload_and_can_be_taken_back(
    page: Page, server: Server
) -> None:
    tools = page.get_by_label("Name of the tool")
    count = tools.count()
    page.get_by_label("System prompt").fill("Half a thought")
    page.get_by_role("button", name="Add a tool").click()
    tools.last.fill("memory")
    bar = page.locator("[data-savebar]")
    expect(bar).to_contain_text("system prompt")
    page.reload()
    expect(page.get_by_label("System prompt")).to_have_value("Half a thought")
    expect(tools.last).to_have_value("memory")
    expect(bar).to_be_visible()
    assert stored(page, server) == {}
    page.get_by_role("button", name="Revert").click()
    expect(bar).to_be_hidden()
    expect(page.get_by_label("System prompt")).to_have_value("")
    expect(tools).to_have_count(count)
    page.reload()
    expect(bar).to_be_hidden()


def test_what_does_not_fit_is_said_at_its_field_and_nothing_is_stored(
    page: Page, server: Server, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    page.get_by_label("Longest answer").fill("500")
    page.get_by_label("Temperature").fill("3")
    problem = field(page, "temperature").locator("[data-problem]")
    expect(problem).to_contain_text("It takes a number from 0 to 2")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_label("Temperature")).to_be_focused()
    expect(page.get_by_label("Temperature")).to_have_attribute("aria-invalid", "true")
    assert stored(page, server) == {}
    page.get_by_label("Temperature").fill("1")
    expect(problem).to_be_hidden()
    save(page)
    assert stored(page, server) == {"temperature": 1.0, "max_output_tokens": 500}


def test_a_setting_that_the_model_does_not_heed_says_so(page: Page, server: Server) -> None:
    made = {"name": "open", "family": "openai_responses", "api_key": "sk-x"}
    assert page.request.post(f"{server.address}/api/providers", data=made).ok
    path = f"{server.address}/api/projects/{project_id(page)}/settings"
    assert page.request.patch(path, data={"model": "open/gpt-5"}).ok
    page.reload()
    page.get_by_label("Temperature").fill("0.2")
    remark = field(page, "temperature").locator("[data-remark]")
    expect(remark).to_have_text("gpt-5 takes no temperature, so it is left out.")
    page.get_by_label("Beginning of every answer").fill("Sure:")
    expect(field(page, "prefill").locator("[data-remark]")).to_contain_text("is left out")
    page.get_by_label("Temperature").fill("")
    expect(remark).to_be_hidden()


def test_a_format_shows_what_belongs_to_it_and_an_example(
    page: Page, server: Server, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    example = page.locator("[data-example]")
    expect(example).to_be_hidden()
    page.get_by_label("Messages are sent").select_option("with metadata")
    expect(example).to_contain_text("<metadata>\n<timestamp>")
    page.get_by_label("Time", exact=True).select_option("no time")
    page.get_by_label("cost so far").check()
    expect(example).to_contain_text("<current_cost>$0.046</current_cost>")
    expect(example).not_to_contain_text("timestamp")
    page.get_by_label("Messages are sent").select_option("in a template")
    expect(page.get_by_label("cost so far")).to_be_hidden()
    page.get_by_label("Template", exact=True).fill("I ask:")
    problem = field(page, "message_template").locator("[data-problem]")
    expect(problem).to_contain_text("Put {{userMessage}} into it")
    page.get_by_label("Template", exact=True).fill("I ask: {{userMessage}}")
    expect(example).to_have_text("I ask: What does the ledger promise?")
    save(page)
    page.locator(".chat-link").click()
    turn = say(page, "typed")
    expect_ended(turn)
    expect(turn.locator(".ask")).to_have_text("typed")
    turns = page.request.get(page.url.replace("/chats/", "/api/chats/") + "/turns").json()
    assert turns["turns"][-1]["messages"][0]["sent_text"] == "I ask: typed"


def test_tools_are_switched_on_with_options_and_approval(page: Page, server: Server) -> None:
    page.get_by_role("button", name="Add a tool").click()
    row = page.locator("[data-tool]").last
    expect(row.get_by_label("Name of the tool")).to_be_focused()
    row.get_by_label("Name of the tool").fill("memory")
    row.get_by_label("May it run?").select_option("asks before")
    options = row.get_by_label("Its options, as JSON")
    options.fill("{oops")
    expect(field(page, "tools").locator("[data-problem]")).to_contain_text("are no JSON object")
    options.fill('{"system_prompt": true}')
    save(page)
    chosen = stored(page, server)
    assert '"memory": {"system_prompt": true}' in json.dumps(chosen["tools"])
    assert chosen["tool_approvals"] == {"memory": "ask"}
    row.get_by_role("button", name="Remove this tool").click()
    save(page)
    assert stored(page, server) == {}


def test_the_project_is_renamed_here_and_in_the_sidebar(
    page: Page, server: Server, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    page.get_by_label("Name of the project").fill(" ")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(field(page, "name").locator("[data-problem]")).to_contain_text("The name is empty")
    page.get_by_label("Name of the project").fill("Ledger")
    save(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Ledger settings")
    expect(page.locator(".place-name")).to_have_text("Ledger")


def topic(page: Page, name: str) -> Locator:
    return page.locator(f'.entry[data-name="{name}"]')


def make_topic(page: Page, name: str) -> None:
    page.locator("#topic").get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Make it").click()
    expect(topic(page, name)).to_be_visible()


def test_topics_are_made_edited_moved_and_deleted(
    page: Page, server: Server, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    page.get_by_role("button", name="New topic", exact=True).click()
    make_topic(page, "Payments")
    page.get_by_role("button", name="Add below Payments").click()
    make_topic(page, "Retries")
    expect(topic(page, "Retries")).to_have_attribute("data-level", "2")

    page.get_by_role("button", name="Edit Retries").click()
    dialog = page.locator("#topic")
    dialog.get_by_label("System message").fill("Mind the clock.")
    dialog.get_by_label("Temperature").fill("9")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.locator('[data-field="temperature"] [data-problem]')).to_contain_text("0 to 2")
    dialog.get_by_label("Temperature").fill("0")
    dialog.get_by_label("Lies below").select_option("nothing: at the top")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    expect(topic(page, "Retries")).to_have_attribute("data-level", "1")
    expect(topic(page, "Retries")).to_contain_text("a message of its own")
    expect(topic(page, "Retries")).to_contain_text("temperature: 0")

    page.get_by_role("button", name="New topic", exact=True).click()
    page.locator("#topic").get_by_label("Name", exact=True).fill("payments")
    page.get_by_role("button", name="Make it").click()
    expect(dialog).to_contain_text("There is a topic called Payments there already.")
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Delete Payments").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(topic(page, "Payments")).to_have_count(0)


def test_a_topic_with_turns_is_not_deleted_and_says_why(
    page: Page, server: Server, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    settings = page.url
    page.get_by_role("button", name="New topic", exact=True).click()
    make_topic(page, "Retries")
    page.locator(".chat-link").click()
    page.get_by_role("button", name="What applies in this chat").click()
    page.get_by_label("Topic of the next turns").select_option("Retries")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect_ended(say(page, "one"))
    page.goto(settings)
    expect(topic(page, "Retries")).to_contain_text("1 turn")
    page.get_by_role("button", name="Delete Retries").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(topic(page, "Retries")).to_contain_text(
        "The topic Retries has 1 turn. Move them elsewhere first."
    )


def test_views_are_kept_and_deleted(page: Page, server: Server, witness: Witness) -> None:
    witness.expects_failed_loads = True
    views = page.locator("view-list")
    views.get_by_label("Name").fill("starred")
    views.get_by_label("Filter").fill("s>=2 & (b")
    views.get_by_role("button", name="Keep it").click()
    expect(views.get_by_role("alert")).to_be_visible()
    views.get_by_label("Filter").fill("s>=2 | r6")
    views.get_by_role("button", name="Keep it").click()
    expect(views.locator(".entry")).to_contain_text("s>=2 | r6")
    views.get_by_role("button", name="Delete the view starred").click()
    expect(views.locator(".entry")).to_have_count(0)


def test_a_chat_sees_what_applies_and_chooses_otherwise(page: Page, server: Server) -> None:
    page.get_by_label("Temperature").fill("0.4")
    save(page)
    page.locator(".chat-link").click()
    page.get_by_role("button", name="What applies in this chat").click()
    dialog = page.get_by_role("dialog")
    box = dialog.get_by_label("Temperature")
    expect(box).to_have_attribute("placeholder", "As the project: 0.4")
    dialog.get_by_text("Everything else that applies").click()
    expect(dialog.locator(".known")).to_contain_text("chat")
    box.fill("0.9")
    box.press("Enter")
    expect(dialog).to_have_count(0)
    button = page.get_by_role("button", name="What applies in this chat")
    expect(button).to_have_attribute("data-chosen", "1")
    chat = page.url.replace("/chats/", "/api/chats/")
    assert (
        page.request.get(f"{chat}/settings").json()["applied"]["sources"]["temperature"] == "chat"
    )
    page.get_by_role("button", name="What applies in this chat").click()
    expect(dialog.get_by_label("Temperature")).to_have_value("0.9")
    dialog.get_by_label("Temperature").fill("")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    assert page.request.get(f"{chat}/settings").json()["choices"] == {"model": MODEL}


def test_a_topics_model_is_shown_in_the_composer(page: Page, server: Server) -> None:
    api = f"{server.address}/api"
    topic_id = page.request.post(
        f"{api}/projects/{project_id(page)}/topics", data={"name": "Small"}
    ).json()["id"]
    path = f"{api}/topics/{topic_id}/settings"
    assert page.request.patch(path, data={"model": "local/smollm2-135m"}).ok
    page.locator(".chat-link").click()
    chat = page.url.replace("/chats/", "/api/chats/")
    assert page.request.patch(f"{chat}/settings", data={"model": None}).ok
    page.reload()
    expect(page.get_by_label("Model", exact=True)).to_have_value(MODEL)
    page.get_by_role("button", name="What applies in this chat").click()
    page.get_by_label("Topic of the next turns").select_option("Small")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Model", exact=True)).to_have_value("local/smollm2-135m")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(scheme: str, page: Page, server: Server, witness: Witness) -> None:
    witness.expects_failed_loads = True
    page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
    )
    page.get_by_label("Messages are sent").select_option("with metadata")
    page.get_by_label("Temperature").fill("3")
    expect(field(page, "temperature").locator("[data-problem]")).to_be_visible()
    page.get_by_role("button", name="Add a tool").click()
    assert complaints(page) == []
    page.get_by_role("button", name="New topic", exact=True).click()
    make_topic(page, "Payments")
    assert complaints(page) == []
    page.get_by_role("button", name="Edit Payments").click()
    expect(page.locator("#topic")).to_be_visible()
    assert complaints(page) == []
    page.keyboard.press("Escape")
    page.locator(".chat-link").click()
    page.get_by_role("button", name="What applies in this chat").click()
    page.get_by_role("dialog").get_by_text("Everything else").click()
    assert complaints(page) == []


def test_a_jump_to_a_section_leaves_the_head_in_sight(page: Page, server: Server) -> None:
    page.get_by_role("link", name="Views").click()
    expect(page.get_by_role("heading", name="Views")).to_be_in_viewport()
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    expect(page.get_by_role("searchbox", name="Search everything")).to_be_in_viewport()


@on_a_phone
def test_on_a_phone_nothing_is_too_wide_or_too_small(page: Page, serve: Serve) -> None:
    server = serve()
    page.goto(server.entrance)
    project = page.request.get(f"{server.address}/api/projects").json()["projects"][0]["id"]
    page.goto(f"{server.address}/projects/{project}/settings")
    page.get_by_role("button", name="New topic", exact=True).tap()
    make_topic(page, "Payments")
    page.get_by_label("Temperature").fill("0.5")
    assert small_targets(page) == []
    wide = page.locator(".page-body").evaluate(
        """body => [...body.querySelectorAll("input, textarea, select, button, p")]
            .filter(it => it.checkVisibility() && it.getBoundingClientRect().right > innerWidth)
            .map(it => it.outerHTML)"""
    )
    assert wide == []
