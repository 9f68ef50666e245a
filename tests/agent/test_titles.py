"""Titles: asked of a model after the first answer, kept as records, paid for, never sent."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from tests.providers.loopback import Line, Loopback, loopback
from tests.workspaces import (
    KEY,
    MODEL,
    ask,
    does,
    new_chat,
    says,
    script,
    settings_in,
    soon,
    until_ended,
)
from windowpane.accounting import totals_of
from windowpane.agent.titles import INSTRUCTION, title_from
from windowpane.asking import AskAgain, PlanRequest, SendRequest
from windowpane.catalog.cheap import cheap_model
from windowpane.choices import Choices
from windowpane.context.receipt import Receipt
from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo, ModelPrices, ProviderDefinition
from windowpane.errors import Failure
from windowpane.events import TurnsChanged
from windowpane.ids import new_id
from windowpane.projects import Chat
from windowpane.providers.scripted import (
    Call,
    End,
    Fail,
    Hang,
    Reply,
    Report,
    Say,
    ScriptedProvider,
)
from windowpane.records import Accounting, Title, TitleRequest
from windowpane.storage.accounts import usage_between
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace

CHEAPER = "script/cheaper"
MODELS = (
    ModelInfo(name="scripted", prices=ModelPrices(input_usd=Decimal(3), output_usd=Decimal(15))),
    ModelInfo(
        name="cheaper", prices=ModelPrices(input_usd=Decimal("0.1"), output_usd=Decimal("0.4"))
    ),
)
ANSWER = does(
    Say(chunks=("By the river.",)),
    Report(usage=TokenUsage(input_tokens=100, output_tokens=10)),
    End(finish="stop"),
    when="Where",
)


def named(*steps: Say | Fail | Hang | Call) -> Reply:
    """How the model answers when it is asked for a title."""
    used = Report(usage=TokenUsage(input_tokens=200, output_tokens=5))
    return does(used, *steps, when=INSTRUCTION)


class Titled:
    """A workspace, and the vault below it to look into."""

    def __init__(self, workspace: Workspace, vault: Vault, folder: Path) -> None:
        self.workspace = workspace
        self.vault = vault
        self.folder = folder

    async def chat(self, replies: Sequence[Reply], *, title_model: str = MODEL) -> str:
        await script(self.workspace, folder=self.folder, replies=replies, models=MODELS)
        chat_id = await new_chat(self.workspace)
        chosen = Choices(title_model=title_model)
        await self.workspace.choices.change_chat(chat_id, chosen, names=["title_model"])
        return chat_id

    async def settled(self, chat_id: str) -> Chat:
        """The chat, once nothing is asked on the side any more."""
        await self.workspace.titles.settle()
        return await self.workspace.chat(chat_id)

    async def records(self, chat_id: str) -> list[TitleRequest | Title]:
        records = await self.workspace.records(chat_id)
        return [one for one in records if isinstance(one, TitleRequest | Title)]

    def requests(self) -> list[ModelRequest]:
        provider, _ = self.workspace.models.resolve(MODEL)
        assert isinstance(provider, ScriptedProvider)
        return list(provider.requests)

    async def spent(self) -> TokenUsage:
        now = datetime.now(UTC)
        day = timedelta(days=1)
        events = await usage_between(self.vault, now - day, now + day)
        return totals_of(event.entry for event in events).usage


@pytest.fixture
async def titled(data_dir: Path) -> AsyncIterator[Titled]:
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    async with Workspace(vault, settings=settings_in(data_dir)) as workspace:
        yield Titled(workspace, vault, data_dir)


async def test_a_chat_gets_its_title_after_the_first_answer(titled: Titled) -> None:
    chat_id = await titled.chat([ANSWER, named(Say(chunks=('"Keys by the river."',)))])
    content = await ask(titled.workspace, chat_id, "Where are my keys?")

    assert (await titled.settled(chat_id)).title == "Keys by the river"
    asked, title = await titled.records(chat_id)
    assert isinstance(asked, TitleRequest) and asked.text == INSTRUCTION
    assert isinstance(title, Title) and (title.text, title.model) == ("Keys by the river", MODEL)
    assert asked.place == title.place
    assert (title.place.depth, title.place.after_id) == (1, content.turn.id)


async def test_a_title_is_paid_for_and_changes_nothing_that_is_sent(titled: Titled) -> None:
    chat_id = await titled.chat([ANSWER, named(Say(chunks=("Keys",))), ANSWER])
    content = await ask(titled.workspace, chat_id, "Where are my keys?")
    await titled.settled(chat_id)

    used = (await titled.workspace.totals(chat_id)).own.usage
    assert (used.input_tokens, used.output_tokens) == (300, 15)
    assert used == await titled.spent()
    answer, title = await titled.workspace.receipts.of(content.turn.id)
    assert (answer.cause, title.cause, title.number) == ("answer", "title", 2)
    assert title.entry is not None and title.entry.cause == "title"

    await ask(titled.workspace, chat_id, "Where else?")
    texts = [message.text for message in titled.requests()[-1].messages]
    assert texts == ["Where are my keys?", "By the river.", "Where else?"]
    why = await titled.workspace.receipts.why((await titled.settled(chat_id)).head_id or "")
    assert why is not None and why.before.id == answer.id


async def test_in_place_the_model_reads_what_it_remembers_and_one_message_more(
    titled: Titled,
) -> None:
    chat_id = await titled.chat([ANSWER, named(Say(chunks=("Keys",)))])
    await ask(titled.workspace, chat_id, "Where are my keys?")
    await titled.settled(chat_id)

    answer, title = titled.requests()
    assert (title.model, title.system, title.tools) == (answer.model, answer.system, answer.tools)
    assert title.messages[0] == answer.messages[0]
    assert [message.text for message in title.messages[1:]] == ["By the river.", INSTRUCTION]
    assert title.marks == answer.marks


async def test_another_model_reads_a_transcript(titled: Titled) -> None:
    named_there = named(Say(chunks=("Keys",)))
    chat_id = await titled.chat([ANSWER, named_there], title_model=CHEAPER)
    content = await ask(titled.workspace, chat_id, "Where are my keys?")
    assert (await titled.settled(chat_id)).title == "Keys"

    [receipt] = [one for one in await receipts(titled, content.turn.id) if one.cause == "title"]
    assert receipt.model == CHEAPER
    request = titled.requests()[-1]
    assert (request.model, request.tools, request.marks) == ("cheaper", (), ())
    [message] = request.messages
    assert message.text.startswith(INSTRUCTION)
    assert "Where are my keys?" in message.text and "By the river." in message.text


@pytest.mark.parametrize("title_model", [MODEL, CHEAPER])
async def test_its_receipt_gives_the_same_bytes_again(titled: Titled, title_model: str) -> None:
    chat_id = await titled.chat([ANSWER, named(Say(chunks=("Keys",)))], title_model=title_model)
    content = await ask(titled.workspace, chat_id, "Where are my keys?")
    await titled.settled(chat_id)
    for receipt in await receipts(titled, content.turn.id):
        again = await titled.workspace.receipts.reproduce(receipt.id)
        assert again.is_same, again.missing


async def test_a_model_inside_windowpane_is_not_asked(titled: Titled) -> None:
    chat_id = await titled.chat([ANSWER], title_model="cheap")
    await ask(titled.workspace, chat_id, "Where are my keys?")
    assert (await titled.settled(chat_id)).title == "Where are my keys?"
    assert len(titled.requests()) == 1


async def test_titles_can_be_switched_off(titled: Titled) -> None:
    chat_id = await titled.chat([ANSWER])
    off = Choices(has_title=False)
    await titled.workspace.choices.change_chat(chat_id, off, names=["has_title"])
    await ask(titled.workspace, chat_id, "Where are my keys?")
    assert (await titled.settled(chat_id)).title == "Where are my keys?"
    assert len(titled.requests()) == 1


async def test_a_name_that_a_person_gave_is_kept(titled: Titled) -> None:
    slow = named(Say(chunks=("", "Keys"), delay_seconds=0.2))
    chat_id = await titled.chat([ANSWER, slow])
    await ask(titled.workspace, chat_id, "Where are my keys?")
    await titled.workspace.rename_chat(chat_id, title="My own name")
    assert (await titled.settled(chat_id)).title == "My own name"
    assert await titled.records(chat_id) == []


async def test_a_chat_that_was_named_before_is_not_asked_about(titled: Titled) -> None:
    chat_id = await titled.chat([ANSWER])
    await titled.workspace.rename_chat(chat_id, title="My own name")
    await ask(titled.workspace, chat_id, "Where are my keys?")
    assert (await titled.settled(chat_id)).title == "My own name"
    assert len(titled.requests()) == 1


@pytest.mark.parametrize(
    "reply",
    [
        Fail(failure=Failure(kind="auth", message="No.")),
        Say(chunks=(" \n**",)),
        Call(call_id="1", name="look", arguments="{}"),
    ],
)
async def test_without_a_usable_title_the_first_words_stay(
    titled: Titled, reply: Fail | Say | Call
) -> None:
    chat_id = await titled.chat([ANSWER, named(reply), ANSWER])
    content = await ask(titled.workspace, chat_id, "Where are my keys?")
    assert (await titled.settled(chat_id)).title == "Where are my keys?"
    assert [one.cause for one in await receipts(titled, content.turn.id)] == ["answer", "title"]
    assert (await ask(titled.workspace, chat_id, "Where else?")).turn.state == "complete"


async def test_only_the_first_answer_is_asked_about(titled: Titled) -> None:
    chat_id = await titled.chat([does(Fail(failure=Failure(kind="auth", message="No."))), ANSWER])
    await ask(titled.workspace, chat_id, "Hm?")
    await ask(titled.workspace, chat_id, "Where are my keys?")
    assert (await titled.settled(chat_id)).title == "Hm?"
    assert len(titled.requests()) == 2


async def test_who_looks_at_the_chat_is_told(titled: Titled) -> None:
    chat_id = await titled.chat([ANSWER, named(Say(chunks=("Keys",), delay_seconds=0.1))])
    await ask(titled.workspace, chat_id, "Where are my keys?")
    with titled.workspace.follow(chat_id, after=titled.workspace.position(chat_id)) as reader:
        told = [logged.event for logged in await soon(reader.read())]
    assert told == [TurnsChanged()]
    assert (await titled.workspace.chat(chat_id)).title == "Keys"


async def test_a_title_that_comes_while_the_next_message_is_sent_does_not_refuse_it(
    titled: Titled,
) -> None:
    chat_id = await titled.chat([says("yes")] * 20)
    await titled.workspace.rename_chat(chat_id, title="0")
    for number in range(20):
        position = titled.workspace.position(chat_id)
        head_id = (await titled.workspace.chat(chat_id)).head_id or ""
        await asyncio.gather(
            titled.workspace.send(chat_id, SendRequest(text="go", seen_head_id=head_id)),
            titled.workspace.rename_chat(chat_id, title=str(number)),
        )
        await until_ended(titled.workspace, chat_id, after=position)
    assert (await titled.workspace.chat(chat_id)).turn_count == 20


async def test_what_a_title_costs_is_counted_though_its_turn_was_left_meanwhile(
    titled: Titled,
) -> None:
    slow = named(Say(chunks=("", "Keys"), delay_seconds=0.5))
    chat_id = await titled.chat([ANSWER, slow, ANSWER])
    content = await ask(titled.workspace, chat_id, "Where are my keys?")
    again = AskAgain(text="Where are my shoes?")
    position = titled.workspace.position(chat_id)
    await titled.workspace.ask_again(content.turn.id, again)
    await until_ended(titled.workspace, chat_id, after=position)
    await titled.settled(chat_id)
    records = await titled.workspace.records(chat_id)
    assert any(isinstance(one, Accounting) for one in records)
    assert (await titled.workspace.totals(chat_id)).own.usage == await titled.spent()


async def test_closing_waits_for_a_title_that_is_nearly_there(data_dir: Path) -> None:
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    async with Workspace(vault, settings=settings_in(data_dir)) as workspace:
        slow = named(Say(chunks=("", "Keys"), delay_seconds=0.2))
        chat_id = await Titled(workspace, vault, data_dir).chat([ANSWER, slow])
        await ask(workspace, chat_id, "Where are my keys?")
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    async with Workspace(vault, settings=settings_in(data_dir)) as workspace:
        assert (await workspace.chat(chat_id)).title == "Keys"


async def test_the_provider_s_cheap_model_is_taken_where_it_costs_less(titled: Titled) -> None:
    async with loopback(_completed) as server:
        definition = ProviderDefinition(
            id=new_id("provider"), name="here", family="openai_chat", base_url=server.url
        )
        await titled.workspace.models.add(definition)
        await titled.workspace.models.refresh("here")
        project = await titled.workspace.create_project(name="Ledger")
        chat = await titled.workspace.create_chat(project.id)
        await titled.workspace.choose_model(chat.id, model="here/gpt-4o")
        await ask(titled.workspace, chat.id, "Where are my keys?")
        assert (await titled.settled(chat.id)).title == "Lost and found"
        assert models_asked(server) == ["gpt-4o", "gpt-4o-mini"]


async def test_without_a_cheap_model_the_chat_s_own_is_asked_in_place(titled: Titled) -> None:
    async with loopback(_completed) as server:
        definition = ProviderDefinition(
            id=new_id("provider"), name="here", family="openai_chat", base_url=server.url
        )
        await titled.workspace.models.add(definition)
        project = await titled.workspace.create_project(name="Ledger")
        chat = await titled.workspace.create_chat(project.id)
        await titled.workspace.choose_model(chat.id, model="here/gpt-4o")
        plan = await titled.workspace.plan(chat.id, PlanRequest())
        assert plan.unsendable is None
        await ask(titled.workspace, chat.id, "Where are my keys?")
        assert (await titled.settled(chat.id)).title == "Lost and found"
        assert models_asked(server) == ["gpt-4o", "gpt-4o"]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Keys by the river", "Keys by the river"),
        ('Title: "Keys by the river."\n\nI hope that helps!', "Keys by the river"),
        ("\n\n## **Keys**\n", "Keys"),
        ("„Schlüssel am Fluss“", "Schlüssel am Fluss"),
        ("", ""),
        ("word " * 30, "word word word word word word word word word word word…"),
    ],
)
def test_what_models_put_around_a_title_is_taken_away(said: str, title: str) -> None:
    assert title_from(said) == title


def test_the_cheap_model_is_one_that_the_provider_lists() -> None:
    assert cheap_model("openai_chat", ["gpt-4o", "openai/gpt-4o-mini"]) == "openai/gpt-4o-mini"
    dated = ["claude-haiku-4-5-20251001", "claude-opus-4-5"]
    assert cheap_model("anthropic", dated) == "claude-haiku-4-5-20251001"
    assert cheap_model("bedrock", ["us.amazon.nova-micro-v1:0"]) == "us.amazon.nova-micro-v1:0"
    assert cheap_model("openai_chat", ["llama3.2"]) is None
    assert cheap_model("local", ["gpt-4o-mini"]) is None


async def receipts(titled: Titled, turn_id: str) -> list[Receipt]:
    return await titled.workspace.receipts.of(turn_id)


def models_asked(server: Loopback) -> list[str]:
    posts = [one.body for one in server.received if one.line.startswith("POST")]
    return [msgspec.json.decode(body)["model"] for body in posts]


async def _completed(line: Line) -> bool:
    """An OpenAI-compatible server with two models, which answers in one piece."""
    if line.request.line.startswith("GET"):
        listed = {"data": [{"id": "gpt-4o"}, {"id": "gpt-4o-mini"}]}
        await line.send_whole(200, msgspec.json.encode(listed), "content-type: application/json")
        return True
    is_title = INSTRUCTION.encode()[:30] in line.request.body
    words = "Lost and found" if is_title else "By the river."
    said = msgspec.json.encode({"choices": [{"index": 0, "delta": {"content": words}}]})
    body = b"data: %b\n\n" % said
    body += b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    await line.send_whole(200, body + b"data: [DONE]\n\n", "content-type: text/event-stream")
    return True
