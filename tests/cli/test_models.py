"""Listing what can answer, and all that is known of one model."""

import asyncio
import json
from collections.abc import AsyncGenerator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.commands import Outcome, run
from tests.providers.loopback import Line, Loopback, loopback
from windowpane.catalog import ModelOverride, PriceValues, Rate
from windowpane.cli.opening import opened_workspace
from windowpane.settings import Settings

LISTED = b'{"data": [{"id": "gpt-4o", "context_length": 50000}, {"id": "never-heard-of-it"}]}'


@pytest.fixture
async def lab(data_dir: Path) -> AsyncGenerator[Loopback]:
    """A provider called lab that lists two models, one of which the catalog knows."""

    async def answer(line: Line) -> bool:
        await line.send_whole(200, LISTED, "content-type: application/json")
        return True

    async with loopback(answer) as server:
        words = ("--name", "lab", "--base-url", server.url, "--key", "none", "--no-check")
        assert (await run_beside("providers", "add", *words, data=data_dir)).code == 0
        yield server


async def run_beside(*words: str, data: Path) -> Outcome:
    return await asyncio.to_thread(run, *words, data=data)


async def test_every_model_is_listed_with_what_it_takes_and_costs(
    lab: Loopback, data_dir: Path
) -> None:
    outcome = await run_beside("models", "--provider", "lab", data=data_dir)
    assert (outcome.code, outcome.err) == (0, "")
    head, known, unknown = (line.split() for line in outcome.out.splitlines())
    assert head == ["model", "window", "in", "out"]
    assert known == ["lab/gpt-4o", "50,000", "~$2.50", "~$10.00"]
    assert unknown == ["lab/never-heard-of-it", "?", "?", "?"]


async def test_a_list_is_asked_for_once_and_again_on_request(lab: Loopback, data_dir: Path) -> None:
    for _ in range(2):
        await run_beside("models", data=data_dir)
    assert len(lab.received) == 1
    await run_beside("models", "--refresh", data=data_dir)
    assert len(lab.received) == 2


async def test_json_names_every_model_and_its_provider(lab: Loopback, data_dir: Path) -> None:
    told = json.loads((await run_beside("models", "--json", data=data_dir)).out)
    names = [model["name"] for model in told["models"]]
    assert names[-2:] == ["lab/gpt-4o", "lab/never-heard-of-it"]
    assert {model["provider"] for model in told["models"]} >= {"lab"}
    assert told["failures"] == {}


def test_a_provider_that_does_not_answer_is_named_beside_the_others(data_dir: Path) -> None:
    words = ("--name", "gone", "--base-url", "http://127.0.0.1:9/v1", "--key", "none")
    run("providers", "add", *words, "--no-check", data=data_dir)
    outcome = run("models", data=data_dir)
    assert outcome.code == 1
    assert outcome.complaint.startswith("gone: http://127.0.0.1:9/v1 cannot be reached")
    told = run("models", "--provider", "gone", "--json", data=data_dir)
    assert list(json.loads(told.out)["failures"]) == ["gone"]


async def test_each_limit_and_price_says_where_it_is_known_from(
    lab: Loopback, data_dir: Path
) -> None:
    await run_beside("models", data=data_dir)
    told = json.loads(run("models", "show", "lab/gpt-4o", "--json", data=data_dir).out)
    assert told["limits"]["context_window_tokens"] == {"value": 50000, "source": "provider"}
    assert told["limits"]["output_tokens"] == {"value": 16384, "source": "catalog"}
    assert told["limits"]["tokens_per_day"] == {"value": None, "source": "unknown"}
    assert told["prices"]["input"] == {"usd_per_million": 2.5}
    assert (told["prices"]["source"], told["prices"]["is_unreliable"]) == ("catalog", True)
    assert told["override"] is None


def test_what_a_person_set_is_shown_as_such(data_dir: Path) -> None:
    async def store() -> None:
        async with opened_workspace(Settings(data=str(data_dir))) as workspace:
            prices = PriceValues(input=Rate(Decimal("0.5")), output=Rate(Decimal(3)))
            override = ModelOverride(models="gpt-*", prices=prices)
            await workspace.models.set_override("openai", override)

    asyncio.run(store())
    shown = run("models", "show", "openai/gpt-5", data=data_dir).out
    rows = [line.split() for line in shown.splitlines()]
    assert ["input", "price", "$0.50", "a", "million", "tokens", "manual"] in rows
    assert ["set", "by", "hand", "for", "gpt-*", "manual"] in rows


def test_a_model_that_runs_here_costs_nothing(data_dir: Path) -> None:
    shown = run("models", "show", "openai/gpt-4o", data=data_dir).out
    assert "128,000 tokens" in shown
    assert "catalog, as openai/gpt-4o\n" in shown
    local = json.loads(run("models", "show", "local/any", "--json", data=data_dir).out)
    assert (local["prices"]["source"], local["prices"]["input"]) == (
        "local",
        {"usd_per_million": 0},
    )


def test_what_is_not_known_is_said_to_be_unknown(data_dir: Path) -> None:
    rows = run("models", "show", "openai/never-heard-of-it", data=data_dir).out.splitlines()
    assert rows[0] == "openai/never-heard-of-it"
    assert [row.split() for row in rows[1:]] == [
        ["window", "unknown"],
        ["prices", "unknown"],
        ["abilities", "unknown"],
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("show", "gpt-4o"), "There is no model called gpt-4o. Known models: local/…, "),
        (("show", "nobody/gpt-4o"), "There is no model called nobody/gpt-4o."),
        (("--provider", "nobody"), "There is no provider nobody."),
        (("--provider", "openai"), "openai has no API key yet."),
        (("shwo", "x"), "windowpane models has no place for 'shwo'."),
    ],
)
def test_a_name_that_nobody_has_is_refused(
    words: tuple[str, ...], sentence: str, data_dir: Path
) -> None:
    outcome = run("models", *words, data=data_dir)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.complaint.startswith(sentence)
