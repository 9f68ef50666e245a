"""Projects and their settings from the command line."""

from pathlib import Path

import msgspec
import pytest

from tests.commands import give_script, run
from tests.workspaces import MODEL, says
from windowpane.choices import CHOICE_NAMES


@pytest.fixture
def data(data_dir: Path) -> Path:
    assert run("projects", "add", "Ledger service", data=data_dir).code == 0
    return data_dir


def applied(data: Path, *words: str) -> dict[str, object]:
    shown = run(*words, "--json", data=data)
    assert shown.code == 0, shown.err
    told = msgspec.json.decode(shown.out, type=dict[str, object])["applied"]
    assert isinstance(told, dict)
    return msgspec.convert(told, dict[str, object])


def test_projects_are_made_and_listed(data: Path) -> None:
    listed = run("projects", data=data)
    assert listed.out.startswith("Ledger service  0 chats  0 turns")
    [line] = msgspec.json.decode(run("projects", "--json", data=data).out)
    assert (line["name"], line["chats"], line["model"]) == ("Ledger service", 0, None)


def test_without_a_project_it_says_how_to_make_one(data_dir: Path) -> None:
    assert "windowpane projects add NAME" in run("projects", data=data_dir).out


def test_settings_are_chosen_shown_with_their_source_and_taken_away(data: Path) -> None:
    prompt = data.parent / "prompt.md"
    prompt.write_text("Be brief.\n")
    done = run(
        "projects",
        "set",
        "ledger SERVICE",
        "temperature=0.25",
        "max_output_tokens=model",
        f"system_prompt=@{prompt}",
        "message_metadata=timestamp_utc,cost",
        'tools={"memory": {"system_prompt": true}}',
        "has_title=false",
        "day_hard_usd=2.50",
        data=data,
    )
    assert done.code == 0
    assert done.out.startswith("Set temperature, max_output_tokens, system_prompt,")
    found = applied(data, "projects", "show", "Ledger service")
    assert found["temperature"] == 0.25
    assert found["system_prompt"] == "Be brief.\n"
    assert found["message_metadata"] == ["timestamp_utc", "cost"]
    assert found["tools"] == {"memory": {"system_prompt": True}}
    assert (found["has_title"], found["day_hard_usd"]) == (False, "2.50")

    table = run("projects", "show", "Ledger service", data=data).out
    assert all(name in table for name in CHOICE_NAMES)
    rows = [line.split() for line in table.splitlines()]
    assert ["temperature", "0.25", "project"] in rows
    assert ["cache_mode", "cached", "default"] in rows

    assert run("projects", "set", "Ledger service", "temperature=", data=data).code == 0
    sources = applied(data, "projects", "show", "Ledger service")["sources"]
    assert msgspec.convert(sources, dict[str, str])["temperature"] == "default"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["temprature=1"], "There is no setting called temprature. Did you mean temperature?"),
        (["temperature"], "'temperature' changes nothing. Write it as KEY=VALUE."),
        (["temperature=warm"], "'warm' does not fit temperature. It takes a number from 0 to 2"),
        (["temperature=1", "when_full=never"], "It takes compress, slide or ask."),
        (["system_prompt=@/nowhere/at.all"], "/nowhere/at.all cannot be read"),
        (["--topic", "AI", "temperature=1"], "AI"),
        (["--chat", "cht_none", "temperature=1"], "There is no chat cht_none"),
        (["--chat", "a", "--topic", "b", "temperature=1"], "not for both"),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_is_stored(
    data: Path, words: list[str], said: str
) -> None:
    refused = run("projects", "set", "Ledger service", *words, data=data)
    assert refused.code == 2
    assert said in refused.complaint
    assert run("projects", "show", "Ledger service", data=data).out.count("project\n") == 0


def test_a_project_is_found_by_its_name_only_if_no_other_has_it(data: Path) -> None:
    assert "Known projects: Ledger service." in run("projects", "show", "x", data=data).complaint
    run("projects", "add", "Ledger service", data=data)
    refused = run("projects", "show", "Ledger service", data=data).complaint
    assert "2 projects are called Ledger service: prj_" in refused
    id = refused.partition(": ")[2].partition(",")[0]
    assert run("projects", "show", id, data=data).code == 0


def test_a_plan_says_which_settings_apply_to_a_chat(data: Path) -> None:
    give_script(data, replies=[says("ok")])
    sent = run("send", "--json", "--model", MODEL, "hello", data=data)
    chat_id = str(msgspec.json.decode(sent.out, type=dict[str, object])["chat_id"])
    run("projects", "set", "Ledger service", "temperature=0.5", "prefill=Well", data=data)
    told = run("projects", "set", "Ledger service", "--chat", chat_id, "prefill=So", data=data)
    assert told.out == "Set prefill for the chat hello.\n"

    shown = run("plan", "--settings", "--model", MODEL, data=data)
    rows = [line.split() for line in shown.out.splitlines()]
    assert ["model", MODEL, "send"] in rows
    assert ["prefill", "So", "chat"] in rows
    assert ["temperature", "0.5", "project"] in rows
    assert applied(data, "plan", "--settings", "--chat", chat_id)["prefill"] == "So"
    local = run("plan", "--settings", "--model", "local/smollm2-135m", data=data)
    assert local.code == 0
