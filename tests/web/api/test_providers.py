"""Definitions over HTTP: added, checked, changed, refreshed and removed, with their keys inside."""

from __future__ import annotations

import http.client
from pathlib import Path

import pytest

from tests.commands import run
from tests.fake_provider import REFUSAL, RIGHT_KEY, WRONG_KEY, FakeProvider
from tests.http import Client
from tests.postgres import free_port


def described(lab: FakeProvider, **more: object) -> dict[str, object]:
    made = {"name": "lab", "family": "openai_chat", "base_url": lab.url, "api_key": RIGHT_KEY}
    return {**made, **more}


def seen(client: Client, name: str = "lab") -> dict[str, object]:
    listed = client.get("/api/providers").list()
    return next(one for one in listed if one["name"] == name)


def test_a_provider_says_how_many_models_are_known_and_since_when(
    client: Client, lab: FakeProvider
) -> None:
    made = client.post("/api/providers", described(lab)).json()
    assert (made["model_count"], made["listed_at"]) == (None, None)
    refreshed = client.post("/api/providers/lab/refresh")
    assert refreshed.json()["failure"] is None
    now = seen(client)
    assert now["model_count"] == 2
    assert str(now["listed_at"]).endswith("Z")


def test_a_stored_key_is_checked_without_being_sent_again(
    client: Client, lab: FakeProvider
) -> None:
    client.post("/api/providers", described(lab))
    assert client.post("/api/providers/lab/check").json()["failure"] is None
    lab.key = "another"
    checked = client.post("/api/providers/lab/check").json()
    assert checked["failure"] == {"kind": "auth", "message": REFUSAL, "http_status": 401}
    assert (checked["field"], checked["can_be_kept"]) == ("api_key", False)
    assert seen(client)["model_count"] is None


def test_a_failed_refresh_leaves_the_list_as_it_was(client: Client, lab: FakeProvider) -> None:
    client.post("/api/providers", described(lab))
    client.post("/api/providers/lab/refresh")
    lab.key = "another"
    assert client.post("/api/providers/lab/refresh").json()["field"] == "api_key"
    assert seen(client)["model_count"] == 2


def test_a_refresh_ends_when_nobody_waits_for_it(client: Client, lab: FakeProvider) -> None:
    client.post("/api/providers", described(lab))
    lab.is_holding = True
    connection = http.client.HTTPConnection(client.netloc)
    connection.request("POST", "/api/providers/lab/refresh", headers={"cookie": client.cookie})
    while not lab.received:
        pass
    connection.close()
    assert lab.left.wait(timeout=10)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "local"}, "name"),
        ({"name": "a/b"}, "name"),
        ({"name": ".."}, "name"),
        ({"name": "nearby"}, "name"),
        ({"name": "  "}, "name"),
        ({"base_url": "nowhere"}, "base_url"),
        ({"api_key": "sk-ü"}, "api_key"),
        ({"api_key": WRONG_KEY}, "api_key"),
        ({"models_endpoint": "nowhere"}, "models_endpoint"),
        ({"headers": {"x-team": "ü"}}, "headers"),
        ({"headers": {"x team ": "a"}}, "headers"),
    ],
)
def test_a_check_names_the_field_that_is_wrong(
    changes: dict[str, object], field: str, client: Client, lab: FakeProvider
) -> None:
    checked = client.post("/api/providers/check?is_new=true", described(lab, **changes)).json()
    assert (checked["field"], checked["can_be_kept"]) == (field, False)
    assert WRONG_KEY not in str(checked)


def test_a_server_that_is_away_does_not_speak_against_a_definition(
    client: Client, lab: FakeProvider
) -> None:
    away = f"http://127.0.0.1:{free_port()}/v1"
    checked = client.post("/api/providers/check", described(lab, base_url=away)).json()
    assert (checked["field"], checked["can_be_kept"]) == ("base_url", True)


def test_headers_keep_their_values_until_they_get_others(client: Client, lab: FakeProvider) -> None:
    headers = {"x-team": "ledger-canary", "x-region": "north", "x-old": "gone"}
    client.post("/api/providers", described(lab, headers=headers))
    change = described(lab, headers={"x-team": None, "x-region": "south"})
    changed = client.ask("PUT", "/api/providers/lab", body={**change, "api_key": None})
    assert changed.json()["header_names"] == ["x-team", "x-region"]
    assert b"ledger-canary" not in changed.body
    client.post("/api/providers/lab/check")
    sent = lab.headers[-1]
    assert (sent["x-team"], sent["x-region"]) == ("ledger-canary", "south")
    assert "x-old" not in sent
    assert sent["authorization"] == f"Bearer {RIGHT_KEY}"


def test_a_header_without_any_value_is_refused(client: Client, lab: FakeProvider) -> None:
    answer = client.post("/api/providers", described(lab, headers={"x-team": None}))
    assert answer.status == 400
    assert answer.message == "The extra header x-team has no value yet. Write one."


def test_a_key_can_be_taken_away(client: Client, lab: FakeProvider) -> None:
    client.post("/api/providers", described(lab))
    client.ask("PUT", "/api/providers/lab", body=described(lab, api_key=""))
    assert seen(client)["has_key"] is False


def test_no_key_or_header_value_comes_out_anywhere(client: Client, lab: FakeProvider) -> None:
    client.post("/api/providers", described(lab, headers={"x-team": "ledger-canary"}))
    client.post("/api/providers/lab/refresh")
    id = seen(client)["id"]
    paths = ["/api/providers", "/api/models", "/api/providers/lab/models", "/providers"]
    paths += [f"/providers/{id}", f"/providers/{id}/edit", f"/providers/{id}/models"]
    for path in paths:
        answer = client.get(path)
        assert answer.status == 200, path
        assert RIGHT_KEY.encode() not in answer.body
        assert b"ledger-canary" not in answer.body


def test_another_process_that_adds_a_provider_is_noticed(
    client: Client, lab: FakeProvider, data_dir: Path
) -> None:
    words = ("--name", "lab", "--base-url", lab.url, "--key", RIGHT_KEY)
    assert run("providers", "add", *words, data=data_dir).code == 0
    assert seen(client)["has_key"] is True


def test_a_removed_provider_is_gone(client: Client, lab: FakeProvider) -> None:
    client.post("/api/providers", described(lab))
    assert client.delete("/api/providers/lab").status == 204
    assert client.post("/api/providers/lab/check").status == 404
    assert client.delete("/api/providers/lab").status == 404
