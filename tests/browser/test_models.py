"""A provider's models on its page: found, understood, set by hand and reset."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.scene import Serve, Witness
from tests.browser.test_layout import complaints
from tests.commands import run
from tests.fake_provider import LISTED, FakeProvider, fake_provider
from tests.server import Server


def opened(page: Page, server: Server, lab: FakeProvider, **more: object) -> None:
    """The page of a provider called lab."""
    page.goto(server.entrance)
    made = {"name": "lab", "family": "openai_chat", "base_url": lab.url, "api_key": lab.key, **more}
    answer = page.request.post(f"{server.address}/api/providers", data=made)
    page.goto(f"{server.address}/providers/{answer.json()['id']}")
    # The first look at prices takes as long as their package takes to load.
    expect(page.get_by_role("table")).to_be_visible(timeout=30_000)


def row(page: Page, model: str) -> Locator:
    return page.locator("tr", has=page.get_by_role("button", name=model, exact=True))


def cell(page: Page, model: str, label: str) -> Locator:
    return row(page, model).locator(f'td[data-label="{label}"]')


def open_model(page: Page, model: str) -> Locator:
    page.get_by_role("button", name=model, exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    return dialog


def planned_window(page: Page, server: Server, model: str) -> object:
    """What the plan of the open chat has for a window with this model."""
    projects = page.request.get(f"{server.address}/api/projects").json()["projects"]
    path = f"{server.address}/api/projects/{projects[0]['id']}/chats"
    chat = page.request.get(path).json()["chats"][0]
    plan = page.request.get(f"{server.address}/api/chats/{chat['id']}/plan?model={model}")
    return plan.json()["budget"]["window_tokens"]


def shown(data: Path, model: str) -> dict[str, object]:
    """What ``windowpane models show`` says of a model's window, in a process of its own."""
    told = json.loads(run("models", "show", model, "--json", data=data).out)
    return told["limits"]["context_window_tokens"]


def test_every_number_says_where_it_is_known_from(page: Page, serve: Serve) -> None:
    models = [*LISTED, {"id": "gpt-4o"}]
    with fake_provider(models) as lab:
        opened(page, serve(), lab)
        expect(cell(page, "gpt-x", "window")).to_have_text("9,000 provider")
        expect(cell(page, "gpt-x", "in")).to_have_text("$3.00 provider")
        expect(cell(page, "gpt-y", "window")).to_have_text("unknown")
        expect(cell(page, "gpt-4o", "window")).to_have_text("128,000 catalog")
        expect(cell(page, "gpt-4o", "out")).to_have_text("≈ $10.00 catalog, unreliable")
        dialog = open_model(page, "gpt-4o")
        expect(dialog).to_contain_text("Of 128,000 tokens, 105,216 are for what is sent")
        page.keyboard.press("Escape")
        dialog = open_model(page, "gpt-y")
        expect(dialog).to_contain_text("Nobody says how much it takes, so no boundary is drawn.")


def test_what_is_set_by_hand_holds_everywhere_until_it_is_reset(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    server, data = serve(), tmp_path / "data"
    with fake_provider() as lab:
        opened(page, server, lab)
        dialog = open_model(page, "gpt-x")
        dialog.get_by_label("Context window").fill("5k")
        dialog.get_by_label("Price in").fill("0.25")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        expect(cell(page, "gpt-x", "window")).to_have_text("5,000 manual")
        expect(cell(page, "gpt-x", "in")).to_have_text("$0.25 manual")
        expect(cell(page, "gpt-x", "out")).to_have_text("$9.00 provider")
        assert planned_window(page, server, "lab/gpt-x") == 5000
        assert shown(data, "lab/gpt-x") == {"value": 5000, "source": "manual"}
        dialog = open_model(page, "gpt-x")
        expect(dialog.get_by_label("Context window")).to_have_value("5000")
        dialog.get_by_role("button", name="Reset to what is known").click()
        expect(cell(page, "gpt-x", "window")).to_have_text("9,000 provider")
        assert planned_window(page, server, "lab/gpt-x") == 9000
        assert shown(data, "lab/gpt-x") == {"value": 9000, "source": "provider"}


def test_a_pattern_sets_many_and_says_how_many(page: Page, serve: Serve) -> None:
    with fake_provider([*LISTED, {"id": "other"}]) as lab:
        opened(page, serve(), lab)
        page.get_by_role("button", name="Set a name or pattern").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("For the model, or a pattern").fill("gpt-*")
        expect(dialog.get_by_text("Fits 2 of 3 listed models.")).to_be_visible()
        dialog.get_by_label("Most output").fill("700")
        dialog.get_by_label("Most output").press("Enter")
        expect(cell(page, "gpt-x", "output")).to_have_text("700 manual")
        expect(cell(page, "gpt-y", "output")).to_have_text("700 manual")
        expect(cell(page, "other", "output")).to_have_text("unknown")
        line = page.get_by_role("listitem").filter(has_text="gpt-*")
        expect(line.locator("span").first).to_have_text("most output 700")
        expect(line.locator("span").last).to_have_text("holds for 2 listed models")
        page.get_by_role("button", name="Reset gpt-* to what is known").click()
        expect(cell(page, "gpt-x", "output")).to_have_text("1,000 provider")


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("Most output", "lots", "Most output: write a whole number, such as 200000 or 200k."),
        ("Price out", "-1", "Price out: write a number of dollars, such as 0.25."),
        ("For the model, or a pattern", "g*t*", "Write a name, with at most one * in it."),
    ],
)
def test_what_is_no_limit_is_said_in_the_dialog(
    field: str, text: str, sentence: str, page: Page, serve: Serve, witness: Witness
) -> None:
    witness.expects_failed_loads = True
    with fake_provider() as lab:
        opened(page, serve(), lab)
        dialog = open_model(page, "gpt-x")
        dialog.get_by_label("Context window").fill("5000")
        dialog.get_by_label(field).fill(text)
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_role("alert")).to_contain_text(sentence)
        expect(dialog.get_by_label(field)).to_be_focused()
        expect(dialog.get_by_label(field)).to_have_value(text)


def test_the_long_context_switch_is_there_where_it_does_something(page: Page, serve: Serve) -> None:
    with fake_provider([{"id": "claude-sonnet-4-5"}, {"id": "claude-opus-4-1"}], key="") as lab:
        address = lab.url.removesuffix("/v1")
        opened(page, serve(), lab, family="anthropic", base_url=address, api_key="sk-any")
        switch = page.get_by_label("Ask for the long context")
        open_model(page, "claude-opus-4-1")
        expect(switch).to_have_count(0)
        page.keyboard.press("Escape")
        dialog = open_model(page, "claude-sonnet-4-5")
        switch.check()
        dialog.get_by_role("button", name="Save").click()
        expect(cell(page, "claude-sonnet-4-5", "window")).to_have_text("1,000,000 manual")


def test_hundreds_of_models_are_searched_as_one_types(page: Page, serve: Serve) -> None:
    many = [{"id": f"maker-{number % 7}/model-{number}"} for number in range(600)]
    with fake_provider(many) as lab:
        opened(page, serve(), lab)
        expect(page.get_by_text("600 listed")).to_be_visible()
        box = page.get_by_role("searchbox", name="Search models")
        box.fill("maker-3 -59")
        expect(page.get_by_text("3 of 600")).to_be_visible()
        expect(page.locator("tbody tr:visible")).to_have_count(3)
        box.fill("nothing like it")
        page.get_by_role("button", name="Show all").click()
        expect(page.locator("tbody tr:visible")).to_have_count(600)
        expect(box).to_be_focused()


def test_what_is_sought_stays_when_something_is_set(page: Page, serve: Serve) -> None:
    with fake_provider() as lab:
        opened(page, serve(), lab)
        page.get_by_role("searchbox", name="Search models").fill("gpt-y")
        dialog = open_model(page, "gpt-y")
        dialog.get_by_label("Context window").fill("4096")
        dialog.get_by_role("button", name="Save").click()
        expect(cell(page, "gpt-y", "window")).to_have_text("4,096 manual")
        expect(page.locator("tbody tr:visible")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(scheme: str, page: Page, serve: Serve) -> None:
    page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
    )
    with fake_provider() as lab:
        opened(page, serve(), lab)
        dialog = open_model(page, "gpt-x")
        dialog.get_by_label("Context window").fill("5000")
        assert complaints(page) == []
        dialog.get_by_role("button", name="Save").click()
        expect(cell(page, "gpt-x", "window")).to_have_text("5,000 manual")
        assert complaints(page) == []


def test_a_model_is_opened_and_set_by_keyboard_alone(page: Page, serve: Serve) -> None:
    with fake_provider() as lab:
        opened(page, serve(), lab)
        page.get_by_role("searchbox", name="Search models").focus()
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="gpt-x", exact=True)).to_be_focused()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Context window").focus()
        page.keyboard.type("3000")
        page.keyboard.press("Enter")
        expect(cell(page, "gpt-x", "window")).to_have_text("3,000 manual")
        expect(page.get_by_role("button", name="gpt-x", exact=True)).to_be_focused()
