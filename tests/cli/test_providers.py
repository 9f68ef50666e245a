"""Adding, listing and forgetting the places where models answer."""

from pathlib import Path

import msgspec

from tests.commands import run

URL = "http://127.0.0.1:9/v1"


def test_a_provider_is_added_with_its_key_and_listed_without(data_dir: Path) -> None:
    added = run("providers", "add", "there", URL, "--key", "-", data=data_dir, stdin="sk-secret\n")
    assert (added.code, "there/MODEL" in added.out) == (0, True)

    listed = run("providers", "list", "--json", data=data_dir)
    lines = msgspec.json.decode(listed.out, type=list[dict[str, object]])
    assert {"name": "there", "family": "openai_chat", "base_url": URL, "has_key": True} in lines
    shown = run("providers", "list", data=data_dir)
    assert "there" in shown.out
    assert "sk-secret" not in listed.out + shown.out


def test_a_provider_that_cannot_be_reached_says_so(data_dir: Path) -> None:
    run("providers", "add", "there", URL, "--key", "none", data=data_dir)
    sent = run("send", "--json", "--model", "there/any", "hello", data=data_dir)
    assert sent.code == 1
    assert '"kind":"net"' in sent.out


def test_a_removed_provider_is_gone(data_dir: Path) -> None:
    run("providers", "add", "there", URL, "--key", "none", data=data_dir)
    assert run("providers", "remove", "there", data=data_dir).code == 0
    assert "there" not in run("providers", "list", data=data_dir).out
    assert run("providers", "remove", "there", data=data_dir).code == 2


def test_what_is_no_address_or_no_name_is_refused(data_dir: Path) -> None:
    refused = run("providers", "add", "x", "ftp://there", "--key", "none", data=data_dir)
    assert "http://" in refused.complaint
    refused = run("providers", "add", "a/b", URL, "--key", "none", data=data_dir)
    assert "slash" in refused.complaint
    run("providers", "add", "there", URL, "--key", "none", data=data_dir)
    again = run("providers", "add", "there", URL, "--key", "none", data=data_dir)
    assert "called there already" in again.complaint
