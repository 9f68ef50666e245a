"""Commands behind a filter: they act on what it chooses, ask where they should, and can say no."""

from pathlib import Path

import pytest

from tests.workspaces import ask, path_of, says, script, spoken, told_chat
from windowpane.agent.commanding import CommandOutcome
from windowpane.errors import CommandUnavailable, InvalidInput, NotFound
from windowpane.filters import (
    CommandError,
    DeleteRefused,
    FilterError,
    TooManyToDelete,
    TopicAmbiguous,
    TopicNotFound,
)
from windowpane.turns import Turn
from windowpane.workspace import Workspace


@pytest.fixture
async def chat_id(workspace: Workspace, data_dir: Path) -> str:
    replies = [says(word) for word in ("Alpha", "Beta", "Gamma")]
    return await told_chat(
        workspace, folder=data_dir, replies=replies, texts=("one", "two", "three")
    )


async def run(workspace: Workspace, chat_id: str, line: str) -> CommandOutcome:
    return await workspace.run_command(chat_id, line, is_confirmed=True)


async def turns(workspace: Workspace, chat_id: str) -> list[Turn]:
    return [content.turn for content in await path_of(workspace, chat_id)]


async def test_marks_are_set_on_what_the_filter_chooses(workspace: Workspace, chat_id: str) -> None:
    sentences = [
        (await run(workspace, chat_id, line)).sentence
        for line in (
            "c'beta' :star 3",
            "r2 :flag grey",
            "s3 :pin",
            "!s3 :skip",
            "g !s3 :skip off",
            "e :star 1",
        )
    ]
    assert sentences == [
        "1 turn given 3 stars.",
        "2 turns flagged grey.",
        "1 turn pinned.",
        "2 turns skipped.",
        "1 turn no longer skipped.",
        "Nothing to change.",
    ]
    first, second, third = await turns(workspace, chat_id)
    assert (first.star, first.flag, first.is_skipped) == (0, "blue", True)
    assert (second.star, second.flag, second.is_pinned) == (3, "grey", True)
    assert (third.flag, third.is_skipped) == ("grey", False)


async def test_delete_asks_first_and_can_be_undone(workspace: Workspace, chat_id: str) -> None:
    asked = await workspace.run_command(chat_id, "c'a' :delete", is_confirmed=False)
    assert (asked.question, asked.deletion) == ("Delete 3 turns?", None)
    assert len(await turns(workspace, chat_id)) == 3

    done = await run(workspace, chat_id, "c'one' | c'gamma' :delete")

    assert done.sentence == "2 turns deleted."
    assert spoken(await path_of(workspace, chat_id)) == "twoBeta"
    assert done.deletion is not None
    await workspace.deletions.undo(done.deletion.id)
    assert len(await turns(workspace, chat_id)) == 3
    nothing = await run(workspace, chat_id, "c'nowhere' :delete")
    assert nothing.sentence == "Nothing to delete."


async def test_delete_refuses_filters_that_move_and_counts_before_it_acts(
    workspace: Workspace, chat_id: str, data_dir: Path
) -> None:
    for line in ("r1 :delete", "o :delete", "t :delete"):
        with pytest.raises(DeleteRefused):
            await run(workspace, chat_id, line)
    # A letter inside quotes refuses nothing.
    assert (await run(workspace, chat_id, "c'r1' :delete")).sentence == "Nothing to delete."
    await script(workspace, folder=data_dir, replies=[says("x") for _ in range(48)])
    for _ in range(48):
        await ask(workspace, chat_id, "more")
    with pytest.raises(TooManyToDelete):
        await run(workspace, chat_id, ":delete")
    assert (await run(workspace, chat_id, ":delete --force")).turns == 51


async def test_topics_are_changed_by_path_or_to_the_current_one(
    workspace: Workspace, chat_id: str
) -> None:
    chat = await workspace.chat(chat_id)
    at = chat.created_at
    made = await workspace.topics.create(chat.project_id, name="AI", parent_id=None, at=at)
    below = await workspace.topics.create(chat.project_id, name="Maths", parent_id=made.id, at=at)
    await workspace.topics.create(chat.project_id, name="Maths", parent_id=None, at=at)

    with pytest.raises(InvalidInput, match="no current topic"):
        await run(workspace, chat_id, "r1 :tchange")
    with pytest.raises(TopicNotFound):
        await run(workspace, chat_id, "r1 :tchange 'Physics'")
    with pytest.raises(TopicAmbiguous):
        await run(workspace, chat_id, "r1 :tchange Maths")
    dry = await run(workspace, chat_id, "r2 :tchange 'AI > Maths' --dry-run")
    assert dry.sentence == "[dry-run] Would change 2 turns."
    line = "r2 :tchange 'AI > Maths'"
    asked = await workspace.run_command(chat_id, line, is_confirmed=False)
    assert asked.question == "Change the topic of 2 turns?"
    assert [turn.topic_id for turn in await turns(workspace, chat_id)] == [None, None, None]
    line += " --no-confirm"
    changed = await workspace.run_command(chat_id, line, is_confirmed=False)
    assert changed.sentence == "Changed the topic of 2 turns."
    await workspace.choose_topic(chat_id, topic_id=made.id)
    await run(workspace, chat_id, "r1 :tchange")
    topics = [turn.topic_id for turn in await turns(workspace, chat_id)]
    assert topics == [None, below.id, made.id]


async def test_views_are_saved_and_opened(workspace: Workspace, chat_id: str) -> None:
    saved = await run(workspace, chat_id, "c'beta' :save 'The second'")
    assert saved.sentence == "Saved as the view The second."
    opened = await run(workspace, chat_id, ":view 'The second'")
    assert opened.filter_text == "c'beta'"
    with pytest.raises(NotFound, match="Nothing"):
        await run(workspace, chat_id, ":view Nothing")


@pytest.mark.parametrize(
    ("line", "refusal", "sentence"),
    [
        (":export md", CommandUnavailable, "cannot be exported yet"),
        (":hud on", CommandUnavailable, "belongs to the page"),
        ("s2", InvalidInput, "no command"),
        ("s2 & (b :star 1", FilterError, "outside parentheses"),
        (":shine", CommandError, "Unknown command"),
    ],
)
async def test_what_cannot_be_done_is_said(
    workspace: Workspace, chat_id: str, line: str, refusal: type[Exception], sentence: str
) -> None:
    with pytest.raises(refusal, match=sentence):
        await run(workspace, chat_id, line)
