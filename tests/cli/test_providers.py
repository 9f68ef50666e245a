"""Adding, listing, checking and forgetting the places where models answer."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Outcome, Terminal, run
from tests.providers.loopback import Line, loopback

URL = "http://127.0.0.1:9/v1"
HERE = ("providers", "add", "--name", "there", "--base-url", URL)
MODELS = b'{"data": [{"id": "m1"}, {"id": "m2"}, {"id": "m3"}, {"id": "m4"}]}'


async def list_models(line: Line) -> bool:
    await line.send_whole(200, MODELS, "content-type: application/json")
    return True


async def refuse_key(line: Line) -> bool:
    body = b'{"error": {"message": "Incorrect API key provided.", "code": "invalid_api_key"}}'
    await line.send_whole(401, body, "content-type: application/json")
    return True


async def run_beside(*words: str, data: Path, stdin: str = "") -> Outcome:
    return await asyncio.to_thread(run, *words, data=data, stdin=stdin)


def listed(data: Path) -> dict[str, dict[str, Any]]:
    lines = json.loads(run("providers", "list", "--json", data=data).out)
    return {line["name"]: line for line in lines}


def adding(url: str, *more: str) -> Sequence[str]:
    return ("providers", "add", "--name", "there", "--base-url", url, *more)


async def test_a_provider_is_tried_then_stored_with_its_key_and_listed_without(
    data_dir: Path,
) -> None:
    async with loopback(list_models) as server:
        words = adding(server.url, "--key", "-", "--header", "x-team=ledger-secret")
        added = await run_beside(*words, data=data_dir, stdin="sk-secret\n")
        [asked] = server.received
    assert (added.code, added.out) == (
        0,
        "Added there. 4 models, such as there/m1, there/m2, there/m3.\n",
    )
    assert asked.line.startswith("GET /v1/models")
    assert asked.headers["authorization"] == "Bearer sk-secret"
    assert listed(data_dir)["there"] == {
        "name": "there",
        "family": "openai_chat",
        "base_url": server.url,
        "has_key": True,
        "header_names": ["x-team"],
        "is_local": False,
        "is_ready": True,
        "icon": "",
        "models_endpoint": "",
    }
    shown = run("providers", "list", data=data_dir).out
    assert "there" in shown
    assert "secret" not in shown + run("providers", "list", "--json", data=data_dir).out


async def test_a_wrong_key_is_told_and_not_stored(data_dir: Path) -> None:
    async with loopback(refuse_key) as server:
        words = adding(server.url, "--key", "sk-wrong")
        refused = await run_beside(*words, data=data_dir)
    assert refused.code == 1
    assert refused.complaint == (
        "Incorrect API key provided. Check the API key. "
        "Nothing was stored; with --no-check it would be."
    )
    assert "there" not in listed(data_dir)


def test_a_wrong_address_is_told_and_stored_only_unchecked(data_dir: Path) -> None:
    refused = run(*HERE, "--key", "none", data=data_dir)
    assert refused.code == 1
    assert "the base URL" in refused.complaint
    added = run(*HERE, "--key", "none", "--no-check", data=data_dir)
    assert (added.code, "there/MODEL" in added.out) == (0, True)
    assert listed(data_dir)["there"]["base_url"] == URL


def test_a_provider_that_cannot_be_reached_says_so(data_dir: Path) -> None:
    run(*HERE, "--key", "none", "--no-check", data=data_dir)
    sent = run("send", "--json", "--model", "there/any", "hello", data=data_dir)
    assert sent.code == 1
    assert '"kind":"net"' in sent.out


async def test_a_provider_is_checked_again_when_asked(data_dir: Path) -> None:
    async with loopback(list_models) as server:
        await run_beside(*adding(server.url, "--key", "none"), data=data_dir)
        checked = await run_beside("providers", "check", "there", data=data_dir)
    assert checked.out == "there answers. 4 models, such as there/m1, there/m2, there/m3.\n"
    gone = run("providers", "check", "there", data=data_dir)
    assert gone.code == 1
    assert "the base URL" in gone.complaint
    assert run("providers", "check", "nobody", data=data_dir).code == 2


def test_a_preset_knows_the_rest(data_dir: Path) -> None:
    words = ("providers", "add", "anthropic", "--no-check", "--key", "sk-ant-secret")
    assert run(*words, data=data_dir).code == 0
    told = listed(data_dir)["anthropic"]
    assert (told["family"], told["base_url"]) == ("anthropic", "https://api.anthropic.com")
    words = ("providers", "add", "--preset", "vllm", "--name", "lab", "--icon", "🧪", "--no-check")
    assert run(*words, data=data_dir).code == 0
    told = listed(data_dir)["lab"]
    assert (told["is_local"], told["icon"], told["has_key"]) == (True, "🧪", False)


def test_a_family_of_ones_own_choice(data_dir: Path) -> None:
    words = ("--family", "google", "--models-endpoint", f"{URL}/list", "--local", "--no-check")
    assert run(*HERE, *words, data=data_dir).code == 0
    told = listed(data_dir)["there"]
    assert (told["family"], told["is_local"]) == ("google", True)
    assert told["models_endpoint"] == f"{URL}/list"


def test_saying_nothing_shows_what_there_is_to_add(data_dir: Path) -> None:
    outcome = run("providers", "add", data=data_dir)
    assert outcome.code == 0
    for preset in ("openai", "anthropic", "bedrock", "ollama", "custom"):
        assert f"\n{preset} " in outcome.out
    assert "this machine" in outcome.out


def test_a_removed_provider_is_gone(data_dir: Path) -> None:
    run(*HERE, "--key", "none", "--no-check", data=data_dir)
    assert run("providers", "remove", "there", data=data_dir).out == "Removed there.\n"
    assert "there" not in listed(data_dir)
    assert run("providers", "remove", "there", data=data_dir).code == 2


def test_the_key_is_asked_for_in_a_terminal_and_not_shown(data_dir: Path) -> None:
    with Terminal("providers", "add", "groq", "--no-check", data=data_dir, more={}) as terminal:
        assert "begins with gsk_" in terminal.until("): ")
        terminal.press("gsk_secret\n")
        assert terminal.end() == 0
        assert "Added groq." in terminal.seen
        assert "gsk_secret" not in terminal.seen
    assert listed(data_dir)["groq"]["has_key"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--name", "x", "--base-url", "ftp://there"), "The base URL 'ftp://there' cannot be used"),
        (("--name", "a/b", "--base-url", URL), "A provider's name must not contain a slash"),
        (("--base-url", URL), "Say with --name what to call it"),
        (("gorq",), "There is no preset called gorq. Did you mean groq?"),
        (("groq", "--preset", "xai"), "groq and xai are two presets. Name one."),
        (("groq",), "The API key is missing: Groq wants one (begins with gsk_)."),
        (("custom",), "The base URL is missing: "),
        (("vllm", "--header", "Bearer sk-secret"), "A --header is written NAME=VALUE"),
        (("--family", "oracle"), "Argument --family: invalid choice: 'oracle'"),
    ],
)
def test_what_cannot_be_used_is_refused(
    words: tuple[str, ...], sentence: str, data_dir: Path
) -> None:
    refused = run("providers", "add", "--key", "none", "--no-check", *words, data=data_dir)
    assert refused.code == 2
    assert refused.complaint.startswith(sentence)
    assert "secret" not in refused.err


def test_a_name_that_is_taken_is_refused(data_dir: Path) -> None:
    run(*HERE, "--key", "none", "--no-check", data=data_dir)
    again = run(*HERE, "--key", "none", "--no-check", data=data_dir)
    assert "called there already" in again.complaint
