"""What a stored chat would send: the plan through the workspace, page by page, filter by filter."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from tests.workspaces import KEY, MODEL, ask, new_chat, says, script, settings_in, workspace_over
from windowpane.agent.turns import TurnMarks
from windowpane.asking import PlanRequest, SendRequest
from windowpane.context.plan import ContextPlan
from windowpane.context.scope import PAGE_TURNS
from windowpane.definitions import ModelInfo
from windowpane.errors import PromptTooLarge
from windowpane.filters import FilterError
from windowpane.ids import new_id
from windowpane.messages import Message, Role
from windowpane.parts import Text
from windowpane.storage.base import Change
from windowpane.storage.choose import store_from
from windowpane.storage.history import put_chat, put_message, put_new_turn
from windowpane.storage.migrations import SQLITE_MIGRATIONS
from windowpane.storage.shelves import CHATS
from windowpane.storage.sqlite import SqliteStore
from windowpane.storage.vault import Vault
from windowpane.turns import Turn
from windowpane.workspace import Workspace

SMALL_WINDOW = ModelInfo(name="scripted", context_window_tokens=400)


async def sent(workspace: Workspace, chat_id: str, filter_text: str) -> list[int]:
    """The turns that would be sent, by their place in the chat."""
    plan = await workspace.plan(chat_id, PlanRequest(filter_text=filter_text))
    return [turn.index for turn in plan.turns if turn.turn_id in plan.sent_turn_ids]


def by_standing(plan: ContextPlan) -> Counter[str]:
    """How many turns stand where, over all that the plan names or counts."""
    counted = Counter[str](turn.standing for turn in plan.turns)
    for span in plan.ranges:
        counted[span.standing] += span.turns
    return counted


async def talk(
    workspace: Workspace, folder: Path, texts: Sequence[str], *, model: ModelInfo
) -> str:
    await script(workspace, folder=folder, replies=[says("ok")] * len(texts), models=(model,))
    chat_id = await new_chat(workspace)
    for text in texts:
        await ask(workspace, chat_id, text)
    return chat_id


async def test_without_a_known_limit_everything_is_sent_and_nothing_claimed(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await talk(workspace, data_dir, ["one", "two"], model=ModelInfo(name="scripted"))
    plan = await workspace.plan(chat_id, PlanRequest(draft="three"))
    assert plan.budget.usable_tokens is None
    assert (plan.predicted_turns, plan.visible_turns) == (2, 2)


async def test_a_small_window_drops_the_oldest_turns_and_sends_what_it_shows(
    workspace: Workspace, data_dir: Path
) -> None:
    texts = [f"question {n} " + "word " * 30 for n in range(10)]
    chat_id = await talk(workspace, data_dir, texts, model=SMALL_WINDOW)

    plan = await workspace.plan(chat_id, PlanRequest(draft="and now?"))

    assert plan.budget.usable_tokens is not None
    assert plan.total_tokens <= plan.budget.usable_tokens
    assert 0 < plan.predicted_turns < 10
    assert await sent(workspace, chat_id, "") == list(range(10 - plan.predicted_turns, 10))
    assert by_standing(plan) == {
        "over_budget": 10 - plan.predicted_turns,
        "sent": plan.predicted_turns,
    }


async def test_a_message_that_cannot_fit_is_refused_and_not_stored(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await talk(workspace, data_dir, ["one"], model=SMALL_WINDOW)
    with pytest.raises(PromptTooLarge, match="tokens"):
        await workspace.send(chat_id, SendRequest(text="word " * 1000))
    assert (await workspace.chat(chat_id)).turn_count == 1


async def test_marks_move_turns_in_the_plan(workspace: Workspace, data_dir: Path) -> None:
    chat_id = await talk(workspace, data_dir, ["a", "b", "c"], model=ModelInfo(name="scripted"))
    page = await workspace.page(chat_id, before_depth=None, limit=3)
    first, second, _ = (content.turn.id for content in page.turns)

    await workspace.turns.mark(second, TurnMarks(is_skipped=True))
    await workspace.turns.mark(first, TurnMarks(is_pinned=True, star=2))

    assert await sent(workspace, chat_id, "") == [0, 2]
    assert await sent(workspace, chat_id, "s2") == [0]
    assert await sent(workspace, chat_id, "!p") == [2]
    hidden = await workspace.plan(chat_id, PlanRequest(filter_text="!p"))
    assert by_standing(hidden) == {"filtered": 1, "skipped": 1, "sent": 1}


@pytest.mark.parametrize(
    ("filter_text", "expected"),
    [
        ("r1", [2]),
        ("c'beta'", [1]),
        ("c'ok' & !c'alpha'", [1, 2]),
        ("m'script*'", [0, 1, 2]),
        ("d<1h & o", [0, 1, 2]),
        ("e", []),
    ],
)
async def test_what_the_filter_hides_is_not_sent(
    workspace: Workspace, data_dir: Path, filter_text: str, expected: list[int]
) -> None:
    model = ModelInfo(name="scripted")
    chat_id = await talk(workspace, data_dir, ["alpha", "beta", "gamma"], model=model)
    assert await sent(workspace, chat_id, filter_text) == expected


async def test_a_filter_that_cannot_be_read_points_at_its_column(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await talk(workspace, data_dir, ["a"], model=ModelInfo(name="scripted"))
    with pytest.raises(FilterError) as refused:
        await workspace.send(chat_id, SendRequest(text="hello", filter_text="s2 & (b"))
    assert refused.value.column > 1
    assert (await workspace.chat(chat_id)).turn_count == 1


async def fill(data_dir: Path, chat_id: str, *, turns: int) -> None:
    """Many short turns at once, as an import would store them."""
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    await vault.open()
    stored = await vault.get(CHATS, chat_id)
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    changes: list[Change] = []
    newest: str | None = None
    for depth in range(turns):
        at = begun + timedelta(seconds=depth)
        turn = Turn(
            id=new_id("turn"),
            chat_id=chat_id,
            parent_id=newest,
            depth=depth,
            model=MODEL,
            state="complete",
            created_at=at,
        )
        newest = turn.id
        changes.append(put_new_turn(vault, turn))
        roles: tuple[Role, ...] = ("user", "assistant")
        for position, role in enumerate(roles):
            message = Message(
                id=new_id("record"),
                role=role,
                parts=(Text(text=f"{role} {depth}"),),
                created_at=at,
                model=MODEL,
            )
            changes.append(put_message(vault, message, turn_id=turn.id, position=position))
    chat = structs.replace(stored.value, turn_count=turns, head_id=newest)
    await vault.commit([*changes, put_chat(vault, chat, expected_version=stored.version)])
    await vault.close()


def counted(plan: ContextPlan) -> tuple[int, int]:
    """Turns and raw tokens, over all that the plan names or counts."""
    turns = len(plan.turns) + sum(span.turns for span in plan.ranges)
    tokens = sum(turn.raw_tokens for turn in plan.turns)
    return turns, tokens + sum(span.raw_tokens for span in plan.ranges)


async def test_a_long_chat_is_planned_from_packed_pages_and_the_same_without_them(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[says("ok")], models=(SMALL_WINDOW,))
    chat_id = await new_chat(workspace)
    turns = 2 * PAGE_TURNS + 7
    await fill(data_dir, chat_id, turns=turns)

    first = await workspace.plan(chat_id, PlanRequest(draft="hello"))
    again = await workspace.plan(chat_id, PlanRequest(draft="hello"))

    assert counted(first)[0] == turns
    assert counted(again) == counted(first)
    assert again.sent_turn_ids == first.sent_turn_ids

    async with workspace_over(
        store_from(str(data_dir / "windowpane.sqlite3")), folder=data_dir, replies=()
    ) as other:
        await script(other, folder=data_dir, replies=(), models=(SMALL_WINDOW,))
        packed = await other.plan(chat_id, PlanRequest(draft="hello"))
    assert packed.sent_turn_ids == first.sent_turn_ids
    assert counted(packed) == counted(first)


async def test_a_chat_that_goes_on_is_planned_as_one_that_is_opened_anew(
    workspace: Workspace, data_dir: Path
) -> None:
    models = (SMALL_WINDOW, ModelInfo(name="other", context_window_tokens=300))
    await script(workspace, folder=data_dir, replies=[says("ok")] * 3, models=models)
    chat_id = await new_chat(workspace)
    await fill(data_dir, chat_id, turns=PAGE_TURNS - 2)

    async def plans(planning: Workspace) -> list[ContextPlan]:
        names = [f"script/{model.name}" for model in models]
        return [await planning.plan(chat_id, PlanRequest(model=name)) for name in names]

    async def is_the_same() -> bool:
        store = store_from(str(data_dir / "windowpane.sqlite3"))
        async with Workspace(Vault(store, key=KEY), settings=settings_in(data_dir)) as anew:
            return await plans(workspace) == await plans(anew)

    assert await is_the_same()
    for marks in (TurnMarks(is_pinned=True), TurnMarks(is_skipped=True), TurnMarks(star=2)):
        content = await ask(workspace, chat_id, "more")
        assert await is_the_same()
        await workspace.turns.mark(content.turn.id, marks)
        assert await is_the_same()


async def test_a_star_in_an_old_page_is_seen_by_the_next_plan(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=(), models=(SMALL_WINDOW,))
    chat_id = await new_chat(workspace)
    await fill(data_dir, chat_id, turns=PAGE_TURNS + 5)
    before = await workspace.plan(chat_id, PlanRequest(filter_text="s3"))
    oldest = await workspace.page(chat_id, before_depth=1, limit=1)

    await workspace.turns.mark(oldest.turns[0].turn.id, TurnMarks(star=3))

    after = await workspace.plan(chat_id, PlanRequest(filter_text="s3"))
    assert (before.visible_turns, after.visible_turns) == (0, 1)
    assert after.sent_turn_ids == [oldest.turns[0].turn.id]


class Overtaken(SqliteStore):
    """Somebody else is faster whenever this is about to store a packed page."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def commit(self, changes: Sequence[Change]) -> None:
        if self.meanwhile is not None and any(change.table == "pages" for change in changes):
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        await super().commit(changes)


async def test_a_star_set_elsewhere_while_its_page_is_packed_is_not_forgotten(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=(), models=(SMALL_WINDOW,))
    chat_id = await new_chat(workspace)
    await fill(data_dir, chat_id, turns=PAGE_TURNS + 5)
    oldest = (await workspace.page(chat_id, before_depth=1, limit=1)).turns[0].turn
    store = Overtaken(data_dir / "windowpane.sqlite3", migrations=SQLITE_MIGRATIONS)
    async with Workspace(Vault(store, key=KEY), settings=settings_in(data_dir)) as packing:
        store.meanwhile = lambda: workspace.turns.mark(oldest.id, TurnMarks(star=3))
        await packing.plan(chat_id, PlanRequest())
        assert store.meanwhile is None

        for each in (packing, workspace):
            plan = await each.plan(chat_id, PlanRequest(filter_text="s3"))
            assert plan.sent_turn_ids == [oldest.id]


async def test_a_turn_deleted_from_an_old_page_is_missing_from_plans_until_it_is_back(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=(), models=(SMALL_WINDOW,))
    chat_id = await new_chat(workspace)
    turns = 2 * PAGE_TURNS + 5
    await fill(data_dir, chat_id, turns=turns)
    before = await workspace.plan(chat_id, PlanRequest())
    [oldest] = (await workspace.page(chat_id, before_depth=4, limit=1)).turns

    deletion = await workspace.delete_turn(oldest.turn.id)

    after = await workspace.plan(chat_id, PlanRequest())
    assert (counted(before)[0], counted(after)[0]) == (turns, turns - 1)
    again = await workspace.plan(chat_id, PlanRequest())
    assert counted(again) == counted(after)
    everything = await workspace.plan(chat_id, PlanRequest(filter_text="c'user 3'"))
    assert everything.scope_turns == turns - 1
    await workspace.deletions.undo(deletion.id)
    assert counted(await workspace.plan(chat_id, PlanRequest())) == counted(before)


async def test_turns_on_screen_are_asked_for_by_depth_where_some_are_deleted(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=(), models=(SMALL_WINDOW,))
    chat_id = await new_chat(workspace)
    await fill(data_dir, chat_id, turns=PAGE_TURNS + 20)
    await workspace.plan(chat_id, PlanRequest())
    for depth in (5, PAGE_TURNS - 1, PAGE_TURNS + 3):
        [content] = (await workspace.page(chat_id, before_depth=depth + 1, limit=1)).turns
        assert content.turn.depth == depth
        await workspace.delete_turn(content.turn.id)
    first, end = PAGE_TURNS - 4, PAGE_TURNS + 6
    page = await workspace.page(chat_id, before_depth=end, limit=8)

    sight = (await workspace.sight(chat_id, PlanRequest(), first=first, end=end)).sight

    assert [turn.turn_id for turn in sight.shown] == [one.turn.id for one in page.turns]
    assert len(sight.shown) == 8


async def test_turns_take_the_topic_of_their_chat_and_t_finds_them(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await talk(workspace, data_dir, ["a"], model=ModelInfo(name="scripted"))
    chat = await workspace.chat(chat_id)
    topic = await workspace.topics.create(
        chat.project_id, name="Retries", parent_id=None, at=chat.created_at
    )
    await workspace.choose_topic(chat_id, topic_id=topic.id)
    await script(workspace, folder=data_dir, replies=[says("ok")])
    await ask(workspace, chat_id, "b")

    assert await sent(workspace, chat_id, "t") == [1]
    assert await sent(workspace, chat_id, "t'retr*'") == [1]
    assert await sent(workspace, chat_id, "!t") == [0]
