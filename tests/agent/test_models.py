import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from tests.providers.asking import answered, asked
from tests.providers.loopback import Line, Loopback, loopback
from tests.workspaces import KEY, ask, new_chat, settings_in
from windowpane.catalog import LimitValues, ModelOverride, PriceValues, Rate
from windowpane.definitions import ProviderDefinition
from windowpane.errors import InvalidInput, NotFound
from windowpane.ids import new_id
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.workspace import Workspace

SECRET = "sk-canary-4711"
LISTED = {
    "data": [
        {
            "id": "gpt-x",
            "context_length": 9000,
            "top_provider": {"max_completion_tokens": 1000},
            "pricing": {"prompt": "0.000003", "completion": "0.000009"},
            "architecture": {"input_modalities": ["text", "image"]},
            "supported_parameters": ["tools"],
        }
    ]
}


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async def answer(line: Line) -> bool:
        await line.send_whole(200, msgspec.json.encode(LISTED), "content-type: application/json")
        return True

    async with loopback(answer) as opened:
        yield opened


def there(url: str, *, key: str = SECRET) -> ProviderDefinition:
    return ProviderDefinition(
        id=new_id("provider"), name="there", family="openai_chat", base_url=url, api_key=key
    )


async def test_a_list_of_models_is_asked_for_once_and_kept_over_a_restart(
    workspace: Workspace, server: Loopback, data_dir: Path
) -> None:
    await workspace.models.add(there(server.url))
    for _ in range(2):
        listed = await workspace.models.choices(is_refreshed=False)
        assert "there/gpt-x" in [choice.name for choice in listed.choices]
    assert len(server.received) == 1
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    async with Workspace(vault, settings=settings_in(data_dir)) as again:
        await again.models.choices(is_refreshed=False)
        assert len(server.received) == 1
        await again.models.choices(is_refreshed=True)
        assert len(server.received) == 2


async def test_what_a_list_says_has_its_source(workspace: Workspace, server: Loopback) -> None:
    await workspace.models.add(there(server.url))
    await workspace.models.choices(is_refreshed=False)
    facts = await workspace.models.facts("there/gpt-x")
    assert (
        facts.limits.context_window_tokens.value,
        facts.limits.context_window_tokens.source,
    ) == (
        9000,
        "provider",
    )
    assert (facts.price.source, facts.price.input) == ("provider", Rate(Decimal(3)))
    assert facts.model.abilities == ("images", "tools")


async def test_what_a_person_says_beats_the_list_until_it_is_taken_back(
    workspace: Workspace, server: Loopback
) -> None:
    await workspace.models.add(there(server.url))
    await workspace.models.choices(is_refreshed=False)
    override = ModelOverride(
        models="gpt-*",
        limits=LimitValues(context_window_tokens=5000),
        prices=PriceValues(input=Rate(Decimal(1)), output=Rate(Decimal(2))),
    )
    await workspace.models.set_override("there", override)
    facts = await workspace.models.facts("there/gpt-x")
    assert facts.limits.context_window_tokens.value == 5000
    assert (facts.price.source, facts.override) == ("manual", override)
    await workspace.models.remove_override("there", "gpt-*")
    assert (await workspace.models.limits("there/gpt-x")).context_window_tokens.value == 9000
    with pytest.raises(NotFound):
        await workspace.models.remove_override("there", "gpt-*")


async def test_a_check_names_the_field_to_mend_and_never_the_key(workspace: Workspace) -> None:
    async def refuse(line: Line) -> bool:
        body = {"error": {"message": f"Incorrect API key provided: {SECRET}"}}
        await line.send_whole(401, msgspec.json.encode(body))
        return True

    async with loopback(refuse) as strict:
        checked = await workspace.models.check(there(strict.url))
    assert checked.failure is not None
    assert (checked.failure.kind, checked.field) == ("auth", "api_key")
    assert SECRET not in repr(checked)
    gone = await workspace.models.check(there("http://127.0.0.1:9/v1"))
    assert gone.field == "base_url"


async def test_a_check_that_succeeds_lists_the_models_and_stores_nothing(
    workspace: Workspace, server: Loopback
) -> None:
    checked = await workspace.models.check(there(server.url))
    assert [model.name for model in checked.models] == ["gpt-x"]
    with pytest.raises(NotFound):
        workspace.models.definition("there")


async def test_defaults_wait_for_a_key_and_are_asked_nothing(workspace: Workspace) -> None:
    families = {known.family for known in workspace.models.definitions}
    assert families >= {"local", "openai_responses", "anthropic", "google", "bedrock"}
    assert (await workspace.models.choices(is_refreshed=True)).failures == {}
    with pytest.raises(InvalidInput, match="no API key yet"):
        workspace.models.resolve("anthropic/claude-sonnet-4-5")


async def test_a_default_makes_room_for_one_of_its_name_with_a_key(workspace: Workspace) -> None:
    made = ProviderDefinition(
        id=new_id("provider"), name="anthropic", family="anthropic", api_key=SECRET
    )
    await workspace.models.add(made)
    assert workspace.models.resolve("anthropic/claude-sonnet-4-5")[1] == "claude-sonnet-4-5"
    with pytest.raises(InvalidInput, match="already"):
        await workspace.models.add(made)


async def test_a_provider_changes_everything_but_its_name(
    workspace: Workspace, server: Loopback
) -> None:
    await workspace.models.add(there("http://127.0.0.1:9/v1"))
    await workspace.models.replace("there", there(server.url, key="another"))
    assert workspace.models.definition("there").api_key == "another"
    assert (await workspace.models.choices(is_refreshed=False)).failures == {}
    renamed = msgspec.structs.replace(there(server.url), name="elsewhere")
    with pytest.raises(InvalidInput, match="keeps its name"):
        await workspace.models.replace("there", renamed)


async def test_what_cannot_be_used_is_refused_when_it_is_added(workspace: Workspace) -> None:
    with pytest.raises(InvalidInput, match="base URL"):
        await workspace.models.add(there("nowhere"))
    with pytest.raises(InvalidInput, match="Paste it again"):
        await workspace.models.add(there("https://models.example/v1", key="sk-ü"))


async def test_the_long_context_switch_is_drawn_and_sent(workspace: Workspace) -> None:
    model = "claude/claude-sonnet-4-5"
    async with loopback(refusing) as server:
        url = server.url.removesuffix("/v1")
        made = msgspec.structs.replace(there(url), name="claude", family="anthropic")
        await workspace.models.add(made)
        chat_id = await new_chat(workspace)
        await workspace.choose_model(chat_id, model=model)
        for is_long in (False, True):
            override = ModelOverride(models="claude-*", uses_long_context=is_long)
            await workspace.models.set_override("claude", override)
            await ask(workspace, chat_id, "How much do you take?")
    assert (await workspace.models.limits(model)).context_window_tokens.value == 1_000_000
    before, after = (request.headers.get("anthropic-beta", "") for request in server.received)
    assert (before, after) == ("", "context-1m-2025-08-07")


async def refusing(line: Line) -> bool:
    await line.send_whole(400, b'{"error": {"message": "No."}}')
    return True


async def test_the_headers_of_an_answer_become_learned_limits_until_the_key_changes(
    workspace: Workspace,
) -> None:
    async def answer(line: Line) -> bool:
        body = b'{"error": {"message": "Slow down"}}'
        await line.send_whole(429, body, "x-ratelimit-limit-tokens: 6000")
        return True

    async with loopback(answer) as server:
        await workspace.models.add(there(server.url))
        limit = (await workspace.models.limits("there/gpt-x")).tokens_per_minute
        assert (limit.value, limit.source) == (None, "unknown")
        provider, model = workspace.models.resolve("there/gpt-x")
        await answered(provider, asked("Hi", model=model))
        limit = (await workspace.models.facts("there/gpt-x")).limits.tokens_per_minute
        assert (limit.value, limit.source) == (6000, "learned")
        by_hand = ModelOverride(models="gpt-x", limits=LimitValues(tokens_per_minute=9000))
        await workspace.models.set_override("there", by_hand)
        limit = (await workspace.models.limits("there/gpt-x")).tokens_per_minute
        assert (limit.value, limit.source) == (9000, "manual")
        await workspace.models.remove_override("there", "gpt-x")
        await workspace.models.replace("there", there(server.url, key="another"))
        assert (await workspace.models.limits("there/gpt-x")).tokens_per_minute.value is None


@pytest.fixture
async def elsewhere(workspace: Workspace, data_dir: Path) -> AsyncIterator[Workspace]:
    """Another process on the same database."""
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    async with Workspace(vault, settings=settings_in(data_dir)) as opened:
        yield opened


async def test_what_another_process_does_to_providers_counts_at_once(
    workspace: Workspace, elsewhere: Workspace, server: Loopback
) -> None:
    await workspace.models.add(there("http://127.0.0.1:9/v1"))
    assert (await elsewhere.models.choices(is_refreshed=False)).failures.keys() == {"there"}

    await workspace.models.replace("there", there(server.url))
    listed = await elsewhere.models.choices(is_refreshed=False)
    assert "there/gpt-x" in [choice.name for choice in listed.choices]

    await workspace.models.remove("there")
    with pytest.raises(NotFound):
        await elsewhere.models.facts("there/gpt-x")


async def test_what_is_said_of_a_model_elsewhere_is_known_here(
    workspace: Workspace, elsewhere: Workspace, server: Loopback
) -> None:
    await workspace.models.add(there(server.url))
    for tokens in (5000, 6000):
        limits = LimitValues(context_window_tokens=tokens)
        override = ModelOverride(models="gpt-x", limits=limits)
        await workspace.models.set_override("there", override)
        facts = await elsewhere.models.facts("there/gpt-x")
        assert facts.limits.context_window_tokens.value == tokens


async def test_a_price_that_was_set_elsewhere_counts_for_the_next_call(
    workspace: Workspace, elsewhere: Workspace, server: Loopback
) -> None:
    await workspace.models.add(there(server.url))
    for usd in (5, 6):
        prices = PriceValues(input=Rate(Decimal(usd)))
        override = ModelOverride(models="gpt-x", prices=prices)
        await workspace.models.set_override("there", override)
        await elsewhere.models.read()  # every call begins with that
        assert (await elsewhere.models.price("there/gpt-x")).input == Rate(Decimal(usd))


async def test_a_list_that_was_asked_for_elsewhere_is_known_here(
    workspace: Workspace, elsewhere: Workspace, server: Loopback
) -> None:
    await workspace.models.add(there(server.url))
    assert await elsewhere.models.listed("there") is None
    await workspace.models.refresh("there")
    listed = await elsewhere.models.listed("there")
    assert listed is not None and [model.name for model in listed.models] == ["gpt-x"]
    assert len(server.received) == 1


async def test_two_processes_cannot_give_one_name_twice(
    workspace: Workspace, elsewhere: Workspace
) -> None:
    outcomes = await asyncio.gather(
        workspace.models.add(there("http://127.0.0.1:9/v1")),
        elsewhere.models.add(there("http://127.0.0.1:9/v2")),
        return_exceptions=True,
    )
    [refusal] = [outcome for outcome in outcomes if outcome is not None]
    assert "There is a provider called there already." in str(refusal)


async def test_first_starts_at_the_same_moment_make_one_of_each_default(data_dir: Path) -> None:
    path = str(data_dir / "windowpane.sqlite3")
    workspaces = [
        Workspace(Vault(store_from(path), key=KEY), settings=settings_in(data_dir))
        for _ in range(3)
    ]
    async with AsyncExitStack() as stack:
        await asyncio.gather(*(stack.enter_async_context(one) for one in workspaces))
        store = store_from(path)
        await store.open()
        stack.push_async_callback(store.close)
        names = [known.name for known in workspaces[0].models.definitions]
        assert await store.count("definitions", "") == len(names)


async def test_a_default_does_not_come_back_over_a_provider_of_its_name_and_another_family(
    data_dir: Path,
) -> None:
    mine = ProviderDefinition(
        id=new_id("provider"), name="openai", family="openai_chat", api_key=SECRET
    )
    for is_first in (True, False):
        vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
        async with Workspace(vault, settings=settings_in(data_dir)) as workspace:
            if is_first:
                await workspace.models.add(mine)
            assert workspace.models.definition("openai").api_key == SECRET
            assert workspace.models.definition("openai").family == "openai_chat"
