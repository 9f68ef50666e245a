"""However a request ends, it is accounted for, and nothing stays set aside for it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec import structs

from tests.workspaces import (
    KEY,
    ask,
    does,
    new_chat,
    script,
    settings_in,
    soon,
    until_ended,
    until_text,
)
from windowpane.agent.budgets import Call as Asked
from windowpane.agent.budgets import Cap, Place
from windowpane.agent.models import Models
from windowpane.asking import PlanRequest, SendRequest
from windowpane.catalog.prices import PriceSnapshot
from windowpane.choices import Choices
from windowpane.context.estimate import estimate_sentence
from windowpane.context.receipt import Receipt
from windowpane.definitions import ModelInfo, ModelPrices
from windowpane.errors import Failure
from windowpane.providers.scripted import Call, Cut, End, Fail, Hang, Reply, Report, Say
from windowpane.storage.choose import store_from
from windowpane.storage.shelves import RESERVATIONS
from windowpane.storage.vault import Vault
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace

PRICED = ModelInfo(
    name="scripted",
    context_window_tokens=2_000,
    output_tokens=200,
    prices=ModelPrices(input_usd=Decimal(3), output_usd=Decimal(15)),
    abilities=("tools",),
)
USED = Report(usage=TokenUsage(input_tokens=100, output_tokens=10))
BUSY = Failure(kind="overloaded", message="Overloaded", http_status=529)
DONE = does(Say(chunks=("Done.",)), USED, End(finish="stop"))


class Purse:
    """A chat with a hard budget, and the vault below it to look into."""

    def __init__(self, workspace: Workspace, vault: Vault, folder: Path) -> None:
        self.workspace = workspace
        self.vault = vault
        self.folder = folder
        self.chat_id = ""

    async def fill(self, *replies: Reply, hard_usd: str = "1") -> None:
        await script(self.workspace, folder=self.folder, replies=replies, models=(PRICED,))
        self.chat_id = await new_chat(self.workspace)
        chosen = Choices(chat_hard_usd=Decimal(hard_usd))
        await self.workspace.choices.change_chat(self.chat_id, chosen, names=["chat_hard_usd"])

    async def set_aside(self) -> int:
        parent = f"chat:{self.chat_id}:reserved"
        return len((await self.vault.all_children(RESERVATIONS, [parent])).items)

    async def receipts(self, turn_id: str) -> list[Receipt]:
        return await self.workspace.receipts.of(turn_id)


@pytest.fixture
async def purse(data_dir: Path) -> AsyncIterator[Purse]:
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    settings = structs.replace(settings_in(data_dir), most_retries=2, retry_wait_seconds=0.01)
    async with Workspace(vault, settings=settings) as workspace:
        yield Purse(workspace, vault, data_dir)


@pytest.mark.parametrize(
    "replies",
    [
        (DONE,),
        (does(Fail(failure=BUSY)), DONE),
        (does(Say(chunks=("Half",)), Cut()),),
        (does(Fail(failure=Failure(kind="auth", message="No."))),),
        (does(USED, Call(call_id="1", name="nothing", arguments="{}")), DONE),
    ],
)
async def test_an_answer_gives_back_what_was_set_aside(
    purse: Purse, replies: tuple[Reply, ...]
) -> None:
    await purse.fill(*replies)
    content = await ask(purse.workspace, purse.chat_id, "go")
    assert await purse.set_aside() == 0
    assert len(await purse.receipts(content.turn.id)) == len(replies)


async def test_money_is_set_aside_while_a_request_is_on_its_way(purse: Purse) -> None:
    await purse.fill(does(Say(chunks=("So far",)), Hang()))
    position = purse.workspace.position(purse.chat_id)
    turn = await purse.workspace.send(purse.chat_id, SendRequest(text="go"))
    await until_text(purse.workspace, purse.chat_id, "So far")
    assert await purse.set_aside() == 1
    await purse.workspace.stop(purse.chat_id)
    await until_ended(purse.workspace, purse.chat_id, after=position)
    assert await purse.set_aside() == 0
    [receipt] = await purse.receipts(turn.id)
    assert receipt.stage == "aborted" and receipt.entry is not None


async def test_who_stops_while_the_price_is_looked_up_still_pays(
    purse: Purse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is there, its usage was told; only what that costs is not known yet."""
    await purse.fill(DONE)
    unlimited = Choices(chat_hard_usd=None)
    await purse.workspace.choices.change_chat(purse.chat_id, unlimited, names=["chat_hard_usd"])
    is_asked = asyncio.Event()

    async def never(self: Models, name: str) -> PriceSnapshot:
        is_asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(Models, "price", never)
    position = purse.workspace.position(purse.chat_id)
    turn = await purse.workspace.send(purse.chat_id, SendRequest(text="go"))
    await soon(is_asked.wait())
    await until_done(purse)
    await purse.workspace.stop(purse.chat_id)
    await until_ended(purse.workspace, purse.chat_id, after=position)
    [receipt] = await purse.receipts(turn.id)
    assert receipt.entry is not None and receipt.entry.usage == USED.usage


async def test_who_stops_while_money_is_set_aside_gets_it_back(
    purse: Purse, monkeypatch: pytest.MonkeyPatch
) -> None:
    await purse.fill(DONE)
    budgets = purse.workspace.budgets
    reserve = budgets.reserve
    is_stored = asyncio.Event()

    async def stored_and_then_nothing(caps: Sequence[Cap], place: Place, call: Asked) -> None:
        await reserve(caps, place, call)
        is_stored.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(budgets, "reserve", stored_and_then_nothing)
    position = purse.workspace.position(purse.chat_id)
    await purse.workspace.send(purse.chat_id, SendRequest(text="go"))
    await soon(is_stored.wait())
    assert await purse.set_aside() == 1
    await purse.workspace.stop(purse.chat_id)
    await until_ended(purse.workspace, purse.chat_id, after=position)
    assert await purse.set_aside() == 0


async def test_a_later_round_that_would_cost_too_much_is_refused_with_a_receipt(
    purse: Purse,
) -> None:
    dear = Report(usage=TokenUsage(input_tokens=340_000, output_tokens=10))
    await purse.fill(does(dear, Call(call_id="1", name="nothing", arguments="{}")), DONE)
    content = await ask(purse.workspace, purse.chat_id, "go")
    assert content.turn.state == "error"
    assert content.turn.failure is not None and content.turn.failure.code == "budget_exceeded"
    first, second = await purse.receipts(content.turn.id)
    assert (first.stage, second.stage, second.entry) == ("success", "error", None)
    assert second.failure == content.turn.failure
    assert await purse.set_aside() == 0


async def until_done(purse: Purse) -> None:
    """Wait until all of the answer's text is there."""
    with purse.workspace.follow_turn(purse.chat_id) as reader:
        while "Done." not in str([one.event for one in await soon(reader.read())]):
            pass


async def test_a_soft_budget_that_is_used_up_is_told_beside_send(purse: Purse) -> None:
    await purse.fill(DONE, DONE)
    soft = Choices(chat_soft_usd=Decimal("0.0004"))
    await purse.workspace.choices.change_chat(purse.chat_id, soft, names=["chat_soft_usd"])
    before = await purse.workspace.estimate(purse.chat_id, PlanRequest())
    assert before.warnings == ()
    await ask(purse.workspace, purse.chat_id, "go")
    after = await purse.workspace.estimate(purse.chat_id, PlanRequest())
    assert estimate_sentence(after).endswith("over the soft budget of $0.0004 for this chat")
    assert (await ask(purse.workspace, purse.chat_id, "on")).turn.state == "complete"
