"""Models over HTTP: what is known of all of them, and what a person sets by hand."""

from __future__ import annotations

import msgspec
import pytest

from tests.fake_provider import RIGHT_KEY, FakeProvider
from tests.http import Client

OVERRIDES = "/api/providers/lab/overrides"


@pytest.fixture(autouse=True)
def listed(client: Client, lab: FakeProvider) -> None:
    made = {"name": "lab", "family": "openai_chat", "base_url": lab.url, "api_key": RIGHT_KEY}
    assert client.post("/api/providers", made).status == 201
    assert client.post("/api/providers/lab/refresh").status == 200


def test_every_model_of_a_provider_is_told_at_once(client: Client) -> None:
    known, unknown = client.get("/api/providers/lab/models").list()
    assert (known["name"], unknown["name"]) == ("lab/gpt-x", "lab/gpt-y")
    limits = msgspec.convert(known["limits"], dict[str, object])
    assert limits["context_window_tokens"] == {"value": 9000, "source": "provider"}
    assert msgspec.convert(unknown["limits"], dict[str, object]) == {}


def test_a_pattern_is_set_and_taken_back(client: Client) -> None:
    override = {"models": "gpt-*", "limits": {"context_window_tokens": 5000}}
    assert client.ask("PUT", OVERRIDES, body=override).status == 200
    for known in client.get("/api/providers/lab/models").list():
        limits = msgspec.convert(known["limits"], dict[str, object])
        assert limits["context_window_tokens"] == {"value": 5000, "source": "manual"}
    assert client.delete(f"{OVERRIDES}?models=gpt-*").status == 204
    assert client.get(OVERRIDES).list() == []


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ({"models": "g*t*"}, "at most one *"),
        ({"models": ""}, "does not name models"),
        ({"models": "gpt-x", "limits": {"output_tokens": 0}}, "from 1 to"),
        ({"models": "gpt-x", "limits": {"output_tokens": 10**30}}, "from 1 to"),
        ({"models": "gpt-x", "limits": {"output_tokens": "many"}}, "int"),
        ({"models": "gpt-x", "prices": {"input": {"usd_per_million": -1}}}, "number of dollars"),
    ],
)
def test_what_cannot_be_a_limit_or_a_price_is_refused(
    override: dict[str, object], sentence: str, client: Client
) -> None:
    answer = client.ask("PUT", OVERRIDES, body=override)
    assert answer.status == 400
    assert sentence in answer.message
    assert client.get(OVERRIDES).list() == []
