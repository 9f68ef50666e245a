"""Every request leaves an account that can be read, replayed and compared."""

from collections.abc import AsyncIterator
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec import structs

from tests.reading import CountedStore
from tests.workspaces import (
    KEY,
    MODEL,
    Clock,
    ask,
    ask_again,
    does,
    new_chat,
    path_of,
    says,
    script,
    settings_in,
    until_ended,
)
from windowpane.accounting import totals_of
from windowpane.asking import AskAgain, PlanRequest, SendRequest
from windowpane.choices import Choices
from windowpane.context.receipt import Receipt
from windowpane.context.receipt_words import receipt_lines
from windowpane.context.truncation import truncation_in, truncation_of
from windowpane.definitions import ModelInfo, ModelPrices
from windowpane.errors import Failure, PromptTooLarge
from windowpane.events import AttemptFailed, AttemptStarted, SendHeld, TurnEnded
from windowpane.providers.scripted import Call, Cut, End, Fail, Hang, Reply, Report, Say, Think
from windowpane.storage.accounts import usage_between
from windowpane.storage.choose import store_from
from windowpane.storage.history import put_chat, put_new_turn
from windowpane.storage.shelves import CHATS
from windowpane.storage.vault import Vault
from windowpane.usage import TokenUsage
from windowpane.web.turns import foot_html
from windowpane.workspace import Workspace

PRICED = ModelInfo(
    name="scripted",
    context_window_tokens=2_000,
    output_tokens=200,
    prices=ModelPrices(input_usd=Decimal(3), output_usd=Decimal(15)),
)
SMALL = structs.replace(PRICED, name="small", context_window_tokens=250, output_tokens=50)
BUSY = Failure(kind="overloaded", message="Overloaded", http_status=529)
TOO_MUCH = Failure(kind="overflow", message="Request too large for this model")
REPORTED = Report(usage=TokenUsage(input_tokens=1_000, output_tokens=100))
WORDS = "word " * 30


class Kept:
    """A workspace, and the vault below it to look into."""

    def __init__(self, workspace: Workspace, vault: Vault, folder: Path) -> None:
        self.workspace = workspace
        self.vault = vault
        self.folder = folder

    async def chat(self, *replies: Reply) -> str:
        await script(self.workspace, folder=self.folder, replies=replies, models=(PRICED, SMALL))
        return await new_chat(self.workspace)

    async def receipts(self, turn_id: str) -> list[Receipt]:
        return await self.workspace.receipts.of(turn_id)


@pytest.fixture
async def kept(clock: Clock, data_dir: Path) -> AsyncIterator[Kept]:
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    settings = structs.replace(settings_in(data_dir), most_retries=2, retry_wait_seconds=0.01)
    async with Workspace(vault, settings=settings) as workspace:
        yield Kept(workspace, vault, data_dir)


async def test_a_request_leaves_a_receipt_with_its_usage_and_price(kept: Kept) -> None:
    chat_id = await kept.chat(does(Say(chunks=("Hello.",)), REPORTED, End(finish="stop")))
    content = await ask(kept.workspace, chat_id, "Say hello")
    [receipt] = await kept.receipts(content.turn.id)
    assert (receipt.stage, receipt.number, receipt.cause) == ("success", 1, "answer")
    assert receipt.entry is not None and receipt.seconds is not None
    assert totals_of([receipt.entry]).cost.known_usd == Decimal("0.0045")
    assert not receipt.entry.is_estimated
    now = content.turn.created_at
    [event] = await usage_between(
        kept.vault, now.replace(hour=0, minute=0, second=0), now.replace(year=now.year + 1)
    )
    assert (event.chat_id, event.receipt_id, event.entry) == (chat_id, receipt.id, receipt.entry)


async def test_overloads_are_waited_for_in_the_open_and_each_try_is_accounted(kept: Kept) -> None:
    busy = does(Fail(failure=BUSY), when="go")
    chat_id = await kept.chat(busy, busy, says("At last.", when="go"))
    position = kept.workspace.position(chat_id)
    turn = await kept.workspace.send(chat_id, SendRequest(text="go"))
    events = await until_ended(kept.workspace, chat_id, after=position)
    seen = [type(event) for event in events if isinstance(event, AttemptStarted | SendHeld)]
    assert seen == [AttemptStarted, SendHeld, AttemptStarted, SendHeld, AttemptStarted]
    held = next(event for event in events if isinstance(event, SendHeld))
    assert held.message.startswith("The provider is overloaded; trying again in")
    receipts = await kept.receipts(turn.id)
    assert [one.stage for one in receipts] == ["error", "error", "success"]
    assert [one.number for one in receipts] == [1, 2, 3]
    assert [one.entry is None for one in receipts] == [True, True, False]
    assert len({one.sent.body_sha256 for one in receipts}) == 1


async def test_when_waiting_does_not_help_the_last_refusal_is_told(kept: Kept) -> None:
    chat_id = await kept.chat(*[does(Fail(failure=BUSY), when="go")] * 5)
    content = await ask(kept.workspace, chat_id, "go")
    assert content.turn.state == "error"
    assert content.turn.failure == BUSY
    assert len(await kept.receipts(content.turn.id)) == 3


async def test_a_wait_can_be_stopped(kept: Kept) -> None:
    patient = Failure(kind="quota", message="slow down", retry_after_seconds=300.0)
    chat_id = await kept.chat(does(Fail(failure=patient), when="go"))
    position = kept.workspace.position(chat_id)
    await kept.workspace.send(chat_id, SendRequest(text="go"))
    with kept.workspace.follow(chat_id, after=position) as reader:
        while not any(isinstance(one.event, SendHeld) for one in await reader.read()):
            pass
        await kept.workspace.stop(chat_id)
        while not any(isinstance(one.event, TurnEnded) for one in await reader.read()):
            pass
    page = await kept.workspace.page(chat_id, before_depth=None, limit=1)
    assert page.turns[0].turn.state == "aborted"


async def test_an_answer_that_is_stopped_is_paid_for_by_estimate(kept: Kept) -> None:
    chat_id = await kept.chat(does(Say(chunks=("Once upon a time",)), Hang(), when="go"))
    turn = await kept.workspace.send(chat_id, SendRequest(text="go"))
    with kept.workspace.follow_turn(chat_id) as reader:
        while not any("Once" in str(one.event) for one in await reader.read()):
            pass
        await kept.workspace.stop(chat_id)
        while not any(isinstance(one.event, TurnEnded) for one in await reader.read()):
            pass
    [receipt] = await kept.receipts(turn.id)
    assert receipt.stage == "aborted"
    assert receipt.entry is not None and receipt.entry.is_estimated
    assert receipt.entry.usage.input_tokens == receipt.sizes.total_tokens
    assert receipt.entry.usage.output_tokens >= 4
    assert totals_of([receipt.entry]).cost.is_unreliable


async def test_a_trimmed_send_tells_its_stages_and_its_numbers(kept: Kept) -> None:
    too_much = does(Fail(failure=TOO_MUCH), when="and now?")
    before = [says("ok", when=f"turn {number}") for number in range(4)]
    chat_id = await kept.chat(*before, too_much, too_much, says("fine", when="and now?"))
    for number in range(4):
        await ask(kept.workspace, chat_id, f"turn {number} {WORDS}")
    content = await ask(kept.workspace, chat_id, "and now?")
    receipts = await kept.receipts(content.turn.id)
    assert [one.stage for one in receipts] == ["overflow_initial", "overflow_retry", "success"]
    numbers = await kept.workspace.receipts.telemetry(content.turn.id)
    assert [one.trimmed_turns for one in numbers] == [0, 1, 2]
    assert [one.sent_turns for one in numbers] == [4, 3, 2]
    assert len({one.predicted_history_tokens for one in numbers}) == 1
    totals = [one.attempt_total_tokens for one in numbers]
    assert totals == sorted(totals, reverse=True)
    assert [len(one.selection) for one in numbers] == [4, 4, 4]
    assert [one.is_overflow for one in numbers] == [True, True, False]
    last = numbers[-1]
    assert last.budget.usable_tokens is not None
    assert last.remaining_reserve_tokens == last.budget.usable_tokens - last.attempt_total_tokens
    assert last.budget.usable_raw_tokens == 1_800


async def test_before_a_send_its_numbers_are_those_that_the_first_request_has(kept: Kept) -> None:
    chat_id = await kept.chat(says("ok", when="turn"), says("ok", when="now"))
    await ask(kept.workspace, chat_id, f"turn {WORDS}")
    before = await kept.workspace.preflight(chat_id, PlanRequest(draft="and now?"))
    assert (before.stage, before.receipt_id, before.attempts_used) == ("preflight", None, 0)
    content = await ask(kept.workspace, chat_id, "and now?")
    [sent] = await kept.workspace.receipts.telemetry(content.turn.id)
    assert sent == structs.replace(
        before, receipt_id=sent.receipt_id, attempts_used=1, stage="success"
    )


async def test_what_cannot_be_sent_says_so_with_its_numbers_and_leaves_nothing(kept: Kept) -> None:
    chat_id = await kept.chat()
    draft = "word " * 3_000
    before = await kept.workspace.preflight(chat_id, PlanRequest(draft=draft))
    assert before.remaining_reserve_tokens is not None and before.remaining_reserve_tokens < 0
    with pytest.raises(PromptTooLarge) as refused:
        await kept.workspace.send(chat_id, SendRequest(text=draft))
    assert before.last_error_message == str(refused.value)
    assert (await kept.workspace.page(chat_id, before_depth=None, limit=10)).turns == ()


async def test_when_nothing_can_leave_the_failure_has_its_code(kept: Kept) -> None:
    chat_id = await kept.chat(does(Fail(failure=TOO_MUCH), when="go"))
    content = await ask(kept.workspace, chat_id, "go")
    assert content.turn.failure is not None
    assert content.turn.failure.code == "context_overflow_after_trimming"
    [receipt] = await kept.receipts(content.turn.id)
    assert receipt.stage == "overflow_exhausted"


async def test_a_receipt_gives_the_same_bytes_again(kept: Kept) -> None:
    tool_round = does(
        Think(chunks=("Hm.",)),
        Call(call_id="c1", name="look", arguments="{}"),
        End(finish="tool_use"),
        when="second",
    )
    chat_id = await kept.chat(
        says("One.", when="first"),
        tool_round,
        says("Two.", when="second"),
        says("Three.", when="third"),
    )
    for text in ("first", "second", "third"):
        content = await ask(kept.workspace, chat_id, text)
        for receipt in await kept.receipts(content.turn.id):
            again = await kept.workspace.receipts.reproduce(receipt.id)
            assert again.is_same
            assert again.wire is not None
            assert sha256(again.wire.body).hexdigest() == receipt.sent.body_sha256


async def test_a_left_turn_still_replays(kept: Kept) -> None:
    chat_id = await kept.chat(*[says(f"{word}.", when=word) for word in ("a", "b", "c", "d")])
    for text in ("a", "b"):
        content = await ask(kept.workspace, chat_id, text)
    replaced = content.turn.id
    third = await ask(kept.workspace, chat_id, "c")
    position = kept.workspace.position(chat_id)
    await kept.workspace.send(chat_id, SendRequest(text="d", replaces_turn_id=replaced))
    await until_ended(kept.workspace, chat_id, after=position)
    [receipt] = await kept.receipts(third.turn.id)
    assert (await kept.workspace.receipts.reproduce(receipt.id)).is_same


async def test_the_lens_shows_the_bytes_that_are_sent(kept: Kept) -> None:
    chat_id = await kept.chat(says("One.", when="first"), says("Two.", when="second"))
    await ask(kept.workspace, chat_id, "first")
    lens = await kept.workspace.lens(chat_id, PlanRequest(draft="second"))
    position = kept.workspace.position(chat_id)
    turn = await kept.workspace.send(
        chat_id, SendRequest(text="second", written_at=lens.written_at)
    )
    await until_ended(kept.workspace, chat_id, after=position)
    [receipt] = await kept.receipts(turn.id)
    assert lens.body_bytes == receipt.sent.body_bytes


async def test_why_it_forgot_is_told_in_words(kept: Kept) -> None:
    chat_id = await kept.chat(*[says(f"Reply {number}.") for number in range(8)])
    for number in range(5):
        await ask(kept.workspace, chat_id, f"turn {number} {WORDS}")
    await kept.workspace.choose_model(chat_id, model="script/small")
    content = await ask(kept.workspace, chat_id, "and now?")
    why = await kept.workspace.receipts.why(content.turn.id)
    assert why is not None
    assert why.sentences[0].startswith("Turns 1–")
    assert why.sentences[0].endswith("left: over budget since the model changed to script/small.")
    assert why.sentences[-1].startswith("The cached prefix broke at the model:")
    assert "tokens written again, less than $0.01." in why.sentences[-1]


async def test_the_first_request_of_a_chat_has_nothing_to_compare_with(kept: Kept) -> None:
    chat_id = await kept.chat(says("One."))
    content = await ask(kept.workspace, chat_id, "first")
    assert await kept.workspace.receipts.why(content.turn.id) is None


async def test_a_named_limit_is_learned_for_the_next_send(kept: Kept) -> None:
    named = Failure(kind="overflow", message="prompt is too long: 900 tokens > 700 maximum")
    chat_id = await kept.chat(
        says("ok", when="turn"), does(Fail(failure=named), when="now"), says("fine", when="now")
    )
    await ask(kept.workspace, chat_id, f"turn {WORDS}")
    await ask(kept.workspace, chat_id, "and now?")
    limit = (await kept.workspace.models.limits(MODEL)).context_window_tokens
    assert (limit.value, limit.source) == (700, "learned")


async def test_estimates_are_corrected_by_what_providers_report(kept: Kept) -> None:
    reply = does(
        Say(chunks=("ok",)),
        Report(usage=TokenUsage(input_tokens=500, output_tokens=2)),
        End(finish="stop"),
    )
    chat_id = await kept.chat(*[reply] * 4)
    for number in range(4):
        await ask(kept.workspace, chat_id, f"turn {number} " + "word " * 300)
    calibration = await kept.workspace.models.calibration(MODEL)
    assert calibration.calls > 0


async def test_a_request_that_the_server_cut_in_silence_says_so_everywhere(kept: Kept) -> None:
    read = Report(usage=TokenUsage(input_tokens=256, output_tokens=2))
    chat_id = await kept.chat(does(Say(chunks=("ok",)), read))
    content = await ask(kept.workspace, chat_id, "word " * 1_000)
    cut = truncation_in(content.messages)
    [receipt] = await kept.receipts(content.turn.id)
    assert cut == truncation_of(receipt)
    assert cut is not None and cut.read_tokens == 256
    [telemetry] = await kept.workspace.receipts.telemetry(content.turn.id)
    assert telemetry.is_silently_truncated
    told = f"the server read 256 of about {receipt.sizes.total_tokens:,} tokens"
    assert told in foot_html(content, held=None)
    assert any(told in line for line in receipt_lines(receipt))


async def test_a_request_that_was_read_whole_says_nothing_of_cuts(kept: Kept) -> None:
    chat_id = await kept.chat(does(Say(chunks=("ok",)), REPORTED))
    content = await ask(kept.workspace, chat_id, "word " * 1_000)
    [telemetry] = await kept.workspace.receipts.telemetry(content.turn.id)
    assert not telemetry.is_silently_truncated
    assert "Cut in silence" not in foot_html(content, held=None)


async def test_a_search_by_the_provider_does_not_shrink_the_window(kept: Kept) -> None:
    found = TokenUsage(input_tokens=14_000, output_tokens=2, web_searches=3)
    chat_id = await kept.chat(*[does(Say(chunks=("ok",)), Report(usage=found))] * 3)
    for number in range(3):
        await ask(kept.workspace, chat_id, f"turn {number} " + "word " * 300)
    planned = await kept.workspace.plan(chat_id, PlanRequest(draft="and now?"))
    # 2,000 less the reserve of 200 and a margin of 100: as before the first call.
    assert planned.budget.usable_tokens == 1_700


async def test_a_failed_line_is_one_receipt_per_call(kept: Kept) -> None:
    chat_id = await kept.chat(does(Say(chunks=("Half",)), Cut(), when="go"))
    position = kept.workspace.position(chat_id)
    turn = await kept.workspace.send(chat_id, SendRequest(text="go"))
    events = await until_ended(kept.workspace, chat_id, after=position)
    assert sum(isinstance(event, AttemptFailed) for event in events) == 1
    [receipt] = await kept.receipts(turn.id)
    assert (receipt.stage, receipt.failure and receipt.failure.kind) == ("error", "net")
    assert receipt.entry is not None and receipt.entry.is_estimated


async def test_looking_into_a_request_costs_no_more_in_a_longer_chat(data_dir: Path) -> None:
    store = CountedStore()
    vault = Vault(store, key=KEY)
    async with Workspace(vault, settings=settings_in(data_dir)) as workspace:
        kept = Kept(workspace, vault, data_dir)
        chat_id = await kept.chat(*[says("ok")] * 24)
        await workspace.choose_model(chat_id, model="script/small")

        async def turns_read() -> list[int]:
            asked = [await ask(workspace, chat_id, f"turn {n:2} {WORDS}") for n in range(12)]
            counts: list[int] = []
            for look in (workspace.receipts.telemetry, workspace.receipts.why):
                store.rows_read.clear()
                assert await look(asked[-1].turn.id)
                counts.append(store.rows_read["turns"])
            return counts

        assert await turns_read() == await turns_read()


async def test_turns_without_receipts_are_stepped_over_to_the_last_request(kept: Kept) -> None:
    chat_id = await kept.chat(says("One.", when="first"), says("Two.", when="second"))
    first = await ask(kept.workspace, chat_id, "first")
    [receipt] = await kept.receipts(first.turn.id)
    unasked = [
        structs.replace(first.turn, id=f"turn{depth}", parent_id=None, depth=depth)
        for depth in range(1, 120)
    ]
    await kept.vault.commit([put_new_turn(kept.vault, turn) for turn in unasked])
    chat = await kept.vault.get(CHATS, chat_id)
    grown = structs.replace(chat.value, head_id="turn119", turn_count=120)
    await kept.vault.commit([put_chat(kept.vault, grown, expected_version=chat.version)])
    second = await ask(kept.workspace, chat_id, "second")
    why = await kept.workspace.receipts.why(second.turn.id)
    assert why is not None and why.before == receipt


async def test_a_turn_that_is_gone_for_good_leaves_receipts_that_say_what_is_missing(
    clock: Clock, kept: Kept
) -> None:
    chat_id = await kept.chat(*[says(f"{word}.", when=word) for word in ("a", "b", "c")])
    first = await ask(kept.workspace, chat_id, "a")
    gone = await ask(kept.workspace, chat_id, "b")
    last = await ask(kept.workspace, chat_id, "c")
    await kept.workspace.delete_turn(gone.turn.id)
    clock.pass_seconds(61)
    await kept.workspace.purger.purge()

    [receipt] = await kept.receipts(gone.turn.id)
    again = await kept.workspace.receipts.reproduce(receipt.id)
    assert (again.wire, again.is_same, again.missing) == (None, False, ("the turn itself",))
    [numbers] = await kept.workspace.receipts.telemetry(gone.turn.id)
    assert [turn.turn_id for turn in numbers.selection] == [first.turn.id]
    why = await kept.workspace.receipts.why(gone.turn.id)
    assert why is not None and why.before.turn_id == first.turn.id
    [later] = await kept.receipts(last.turn.id)
    assert (await kept.workspace.receipts.reproduce(later.id)).missing == ("turn 2",)
    after = await kept.workspace.receipts.why(last.turn.id)
    assert after is not None and after.before.turn_id == first.turn.id


async def test_a_left_turn_behind_one_that_is_gone_for_good_still_has_its_path(
    clock: Clock, kept: Kept
) -> None:
    chat_id = await kept.chat(*[says(f"{word}.", when=word) for word in ("a", "b", "c", "d", "e")])
    first, second, third, _ = [
        await ask(kept.workspace, chat_id, word) for word in ("a", "b", "c", "d")
    ]
    [fourth] = (await path_of(kept.workspace, chat_id))[3:]
    await ask_again(kept.workspace, second.turn.id, AskAgain(text="e"))
    await kept.workspace.delete_turn(third.turn.id)
    clock.pass_seconds(61)
    await kept.workspace.purger.purge()

    [numbers] = await kept.workspace.receipts.telemetry(fourth.turn.id)
    assert [turn.turn_id for turn in numbers.selection] == [first.turn.id, second.turn.id]
    why = await kept.workspace.receipts.why(fourth.turn.id)
    assert why is not None and why.before.turn_id == second.turn.id


async def test_a_receipt_whose_provider_is_gone_or_has_no_key_says_so(kept: Kept) -> None:
    chat_id = await kept.chat(says("One.", when="first"))
    content = await ask(kept.workspace, chat_id, "first")
    [receipt] = await kept.receipts(content.turn.id)
    [definition] = [one for one in kept.workspace.models.definitions if one.name == "script"]
    await kept.workspace.models.remove("script")
    again = await kept.workspace.receipts.reproduce(receipt.id)
    assert (again.wire, again.is_same) == (None, False)
    assert "There is no model called script/scripted." in again.missing[0]

    keyless = structs.replace(definition, family="anthropic", base_url="", api_key="")
    await kept.workspace.models.add(keyless)
    [sentence] = (await kept.workspace.receipts.reproduce(receipt.id)).missing
    assert sentence.startswith("script has no API key yet.")


async def test_a_system_prompt_may_read_like_an_empty_list_of_tools(kept: Kept) -> None:
    chat_id = await kept.chat(says("Hello."))
    odd = Choices(system_prompt="[]")
    await kept.workspace.choices.change_chat(chat_id, odd, names=["system_prompt"])
    content = await ask(kept.workspace, chat_id, "Say hello")
    [receipt] = await kept.receipts(content.turn.id)
    assert (await kept.workspace.receipts.reproduce(receipt.id)).is_same
