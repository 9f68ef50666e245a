"""The page of providers: added, tested, changed and removed there, keys and all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.scene import Serve, expect_ended, on_a_phone, say
from tests.browser.test_layout import complaints
from tests.fake_provider import REFUSAL, RIGHT_KEY, WRONG_KEY, FakeProvider, fake_provider
from tests.postgres import free_port
from tests.server import Server
from windowpane.providers.presets import PRESETS


@pytest.fixture
def lab() -> Iterator[FakeProvider]:
    with fake_provider() as provider:
        yield provider


@pytest.fixture
def server(page: Page, serve: Serve) -> Server:
    """With a page that is let in, on the list of providers."""
    server = serve()
    page.goto(server.entrance)
    page.get_by_role("link", name="Providers", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Providers")
    return server


def stored(page: Page, server: Server, lab: FakeProvider, **more: object) -> str:
    """A provider called lab, as the API adds it; gives its page."""
    made: dict[str, object] = {"name": "lab", "family": "openai_chat", "base_url": lab.url}
    made |= {"api_key": RIGHT_KEY, **more}
    answer = page.request.post(f"{server.address}/api/providers", data=made)
    assert answer.ok, answer.text()
    return f"{server.address}/providers/{answer.json()['id']}"


def entry(page: Page, name: str) -> Locator:
    return page.locator(f'.entry[data-name="{name}"]')


def fill_in(page: Page, lab: FakeProvider, *, key: str) -> None:
    page.get_by_role("link", name="OpenAI (Chat Completions)").click()
    page.get_by_label("Name").fill("lab")
    page.get_by_label("Base URL").fill(lab.url)
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Save", exact=True).click()


def test_a_provider_is_added_from_a_preset_and_answers(
    page: Page, server: Server, lab: FakeProvider
) -> None:
    fill_in(page, lab, key=RIGHT_KEY)
    expect(page.get_by_role("heading", level=1)).to_have_text("lab")
    row = page.get_by_role("row", name="gpt-x")
    expect(row).to_contain_text("9,000")
    expect(row).to_contain_text("images, tools")
    expect(page.locator("[data-facts]")).to_contain_text("2 models, listed just now")
    assert RIGHT_KEY not in page.content()
    page.get_by_role("link", name="Back to the providers").click()
    expect(entry(page, "lab")).to_contain_text("a key is stored")
    expect(entry(page, "lab")).to_contain_text("2 models, listed just now")
    entry(page, "lab").get_by_role("link", name="lab", exact=True).click()
    page.get_by_role("button", name="gpt-y", exact=True).click()
    page.get_by_role("button", name="New chat with it").click()
    turn = say(page, "Who are you?")
    expect_ended(turn)
    expect(turn.locator(".answer")).to_have_text("Answered.")
    expect(turn.locator(".turn-facts")).to_contain_text("gpt-y")


def test_every_preset_has_a_form_that_is_filled_in_as_far_as_can_be(
    page: Page, server: Server
) -> None:
    addresses = page.locator(".tile-link").evaluate_all("all => all.map(it => it.href)")
    assert len(addresses) == len(PRESETS)
    for preset in PRESETS:
        page.goto(f"{server.address}/providers/new?preset={preset.id}")
        expect(page.get_by_label("Base URL")).to_have_value(preset.base_url)
        expect(page.get_by_label("API family")).to_have_value(preset.family)
        expect(page.get_by_label("runs on a machine of yours")).to_be_checked(
            checked=preset.is_local
        )


def test_a_key_never_goes_to_another_service_for_want_of_an_address(
    page: Page, server: Server
) -> None:
    page.get_by_role("link", name="Azure OpenAI").click()
    page.get_by_label("API key").fill(RIGHT_KEY)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#base_url-problem")).to_have_text("Write the base URL: where it answers.")
    expect(page.get_by_label("Base URL")).to_be_focused()


def test_a_refused_key_is_named_at_its_field_and_nothing_typed_is_lost(
    page: Page, server: Server, lab: FakeProvider
) -> None:
    fill_in(page, lab, key=WRONG_KEY)
    key = page.get_by_label("API key")
    expect(key).to_have_attribute("aria-invalid", "true")
    expect(key).to_be_focused()
    expect(page.locator("#api_key-problem")).to_have_text(
        f"Check the API key. It says: “{REFUSAL}”"
    )
    expect(page.get_by_role("button", name="Save anyway")).to_be_hidden()
    expect(key).to_have_value(WRONG_KEY)
    expect(page.get_by_label("Base URL")).to_have_value(lab.url)
    key.fill(RIGHT_KEY)
    key.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("lab")


def test_a_name_that_is_taken_is_said_before_anybody_is_asked(
    page: Page, server: Server, lab: FakeProvider
) -> None:
    stored(page, server, lab)
    fill_in(page, lab, key=RIGHT_KEY)
    expect(page.locator("#name-problem")).to_have_text(
        "There is a provider called lab already. Choose another name."
    )
    assert lab.received == []


def test_a_server_that_is_away_can_be_saved_anyway(page: Page, server: Server) -> None:
    page.get_by_role("link", name="Something else").click()
    page.get_by_label("Name").fill("later")
    page.get_by_label("Base URL").fill(f"http://127.0.0.1:{free_port()}/v1")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#base_url-problem")).to_contain_text("connection refused")
    page.get_by_role("button", name="Save anyway").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("later")
    expect(page.locator("[data-models]")).to_contain_text("later did not list its models.")


def test_an_edited_provider_keeps_its_key_and_its_headers(
    page: Page, server: Server, lab: FakeProvider
) -> None:
    page.goto(stored(page, server, lab, headers={"x-team": "ledger-canary"}) + "/edit")
    expect(page.get_by_label("API key")).to_have_value("")
    expect(page.get_by_text("A key is stored. Leave this empty to keep it")).to_be_visible()
    expect(page.get_by_label("Value of x-team")).to_have_value("")
    assert not {RIGHT_KEY, "ledger-canary"} & set(page.content().split('"'))
    page.get_by_label("Icon").fill("🧪")
    page.get_by_role("button", name="Add a header").click()
    page.keyboard.type("x-region")
    page.get_by_label("Its value").fill("north")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("[data-facts] .tile")).to_have_text("🧪")
    page.get_by_role("button", name="Test").click()
    expect(page.locator("[data-outcome]")).to_have_text("lab answers: 2 models.")
    sent = lab.headers[-1]
    assert sent["authorization"] == f"Bearer {RIGHT_KEY}"
    assert (sent["x-team"], sent["x-region"]) == ("ledger-canary", "north")


def test_a_test_that_fails_leads_to_the_field_to_mend(
    page: Page, server: Server, lab: FakeProvider
) -> None:
    stored(page, server, lab, api_key=WRONG_KEY)
    page.reload()
    entry(page, "lab").get_by_role("button", name="Test lab").click()
    expect(entry(page, "lab").get_by_role("status")).to_contain_text(
        f"Check the API key. It says: “{REFUSAL}”"
    )
    page.get_by_role("link", name="Mend it").click()
    expect(page.get_by_label("API key")).to_be_focused()


def test_a_refresh_shows_that_it_waits_and_can_be_stopped(
    page: Page, server: Server, lab: FakeProvider
) -> None:
    stored(page, server, lab)
    page.reload()
    lab.is_holding = True
    entry(page, "lab").get_by_role("button", name="Refresh").click()
    expect(entry(page, "lab")).to_contain_text("Asking lab for its models… 1 s")
    entry(page, "lab").get_by_role("button", name="Stop").click()
    assert lab.left.wait(timeout=10)
    lab.is_holding = False
    entry(page, "lab").get_by_role("button", name="Refresh").click()
    expect(entry(page, "lab")).to_contain_text("2 models, listed just now")
    expect(entry(page, "lab").get_by_role("button", name="Refresh")).to_be_focused()


def test_leaving_the_page_gives_up_what_was_asked(
    page: Page, server: Server, lab: FakeProvider
) -> None:
    address = stored(page, server, lab)
    lab.is_holding = True
    page.goto(address)
    expect(page.get_by_text("Asking lab for its models…")).to_be_visible()
    page.goto(server.address)
    assert lab.left.wait(timeout=10)


def test_a_removed_provider_is_asked_about_and_chats_keep_their_model(
    page: Page, server: Server, lab: FakeProvider
) -> None:
    page.goto(stored(page, server, lab))
    page.get_by_role("button", name="gpt-x", exact=True).click()
    page.get_by_role("button", name="New chat with it").click()
    expect_ended(say(page, "Remember me."))
    chat = page.url
    page.get_by_role("link", name="Providers", exact=True).click()
    entry(page, "lab").get_by_role("button", name="Remove lab").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Chats keep their turns and the names of their models")
    page.keyboard.press("Escape")
    expect(entry(page, "lab")).to_be_visible()
    entry(page, "lab").get_by_role("button", name="Remove lab").click()
    dialog.get_by_role("button", name="Remove").click()
    expect(entry(page, "lab")).to_have_count(0)
    page.goto(chat)
    expect(page.locator(".turn-facts")).to_contain_text("gpt-x")
    expect(page.get_by_role("combobox", name="Model")).to_have_value("lab/gpt-x")


def test_a_server_on_this_machine_is_added_with_one_click(page: Page, server: Server) -> None:
    preset = next(one for one in PRESETS if one.id == "lmstudio")
    port = int(preset.base_url.removesuffix("/v1").rpartition(":")[2])
    expect(page.get_by_text("No other model server answers here")).to_be_visible()
    with fake_provider([{"id": "llama-3b"}], key="", port=port):
        page.get_by_role("button", name="look again").click()
        page.get_by_role("button", name="Add LM Studio").click()
        expect(entry(page, "lmstudio")).to_contain_text("1 model, listed just now")
        expect(page.get_by_text("No other model server answers here")).to_be_visible()


def test_the_demo_model_leads_to_the_page(page: Page, server: Server) -> None:
    page.goto(server.address)
    page.get_by_role("combobox", name="Model").select_option("local/smollm2-135m")
    page.get_by_role("link", name="Add a real one").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Providers")
    page.goto(server.address)
    page.locator(".empty").get_by_role("link", name="providers").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Providers")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(scheme: str, page: Page, server: Server, lab: FakeProvider) -> None:
    page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
    )
    address = stored(page, server, lab, api_key=WRONG_KEY, headers={"x-team": "ledger"})
    page.reload()
    entry(page, "lab").get_by_role("button", name="Test lab").click()
    expect(page.get_by_role("link", name="Mend it")).to_be_visible()
    expect(page.locator("nearby-servers .waiting")).to_have_count(0)
    assert complaints(page) == []
    page.get_by_role("link", name="Mend it").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#api_key-problem")).to_be_visible()
    assert complaints(page) == []
    page.goto(address)
    expect(page.locator("[data-models]")).to_contain_text("did not list its models")
    assert complaints(page) == []


@on_a_phone
def test_a_phone_shows_all_of_it_in_one_column(page: Page, serve: Serve, lab: FakeProvider) -> None:
    server = serve()
    page.goto(server.entrance)
    page.get_by_role("button", name="Chats").tap()
    page.get_by_role("link", name="Providers", exact=True).tap()
    address = stored(page, server, lab)
    for path in (f"{server.address}/providers", f"{address}/edit", address):
        page.goto(path)
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert complaints(page) == []
        small = page.locator("main :is(a.button, button, input, select):visible").evaluate_all(
            """all => all.map(it => it.closest("label") ?? it)
                .filter(it => !it.matches(".is-inline, .row-open"))
                .filter(it => it.getBoundingClientRect().height < 44).map(it => it.outerHTML)"""
        )
        assert small == []
    page.get_by_role("button", name="gpt-x", exact=True).tap()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert complaints(page) == []
