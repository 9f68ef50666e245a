"""A project's topics stay a tree, whoever changes them at the same time."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec import structs

from tests.workspaces import KEY, MODEL, ask, new_chat, says, script, settings_in, soon
from windowpane.agent.topics import Topics
from windowpane.asking import PlanRequest
from windowpane.choices import NOTHING_CHOSEN, Choices
from windowpane.errors import InvalidInput, NotFound, VersionConflict
from windowpane.projects import Chat
from windowpane.storage.base import Change
from windowpane.storage.choose import store_from
from windowpane.storage.shelves import TOPICS, micros
from windowpane.storage.vault import Vault
from windowpane.topics import ProjectTopic
from windowpane.web.pages.topic_views import places_for, topic_rows
from windowpane.workspace import Workspace

AT = datetime(2026, 3, 1, tzinfo=UTC)


class Overtaken(Vault):
    """Somebody else comes first, between what is read and what is written."""

    def __init__(self, database: Path) -> None:
        super().__init__(store_from(str(database)), key=KEY)
        self.coming: list[Callable[[], Awaitable[object]]] = []

    async def commit(self, changes: Sequence[Change]) -> None:
        if self.coming:
            await self.coming.pop()()
        await super().commit(changes)


@pytest.fixture
def vault(data_dir: Path) -> Overtaken:
    return Overtaken(data_dir / "windowpane.sqlite3")


@pytest.fixture
async def workspace(vault: Overtaken, data_dir: Path) -> AsyncIterator[Workspace]:
    async with Workspace(vault, settings=settings_in(data_dir)) as opened:
        await script(opened, folder=data_dir, replies=())
        yield opened


@pytest.fixture
async def project_id(workspace: Workspace) -> str:
    return (await workspace.create_project(name="Ledger")).id


async def topic(workspace: Workspace, project_id: str, name: str) -> ProjectTopic:
    return await workspace.topics.create(project_id, name=name, parent_id=None, at=AT)


async def test_two_topics_moved_below_each_other_at_once_make_no_circle(
    workspace: Workspace, vault: Overtaken, project_id: str
) -> None:
    one = await topic(workspace, project_id, "One")
    other = await topic(workspace, project_id, "Other")
    vault.coming = [lambda: workspace.topics.move(other.id, parent_id=one.id)]
    with pytest.raises(InvalidInput, match="The topic One cannot lie below itself"):
        await soon(workspace.topics.move(one.id, parent_id=other.id))
    tree = await workspace.topics.tree(project_id)
    assert sorted(map(tree.path_text, tree.topics)) == ["One", "One > Other"]


async def test_what_two_people_change_of_a_topic_at_once_is_both_kept(
    workspace: Workspace, vault: Overtaken, project_id: str
) -> None:
    made = await topic(workspace, project_id, "Draft")
    vault.coming = [lambda: workspace.topics.instruct(made.id, system_message="Cite.")]
    await workspace.topics.rename(made.id, name="Final")
    change = workspace.choices.change_topic
    vault.coming = [lambda: change(made.id, Choices(temperature=0.5), names=["temperature"])]
    await change(made.id, Choices(max_output_tokens=200), names=["max_output_tokens"])
    kept = await workspace.topics.get(made.id)
    assert (kept.name, kept.system_message) == ("Final", "Cite.")
    assert kept.choices == Choices(temperature=0.5, max_output_tokens=200)


async def test_a_topic_that_was_deleted_meanwhile_does_not_come_back(
    workspace: Workspace, vault: Overtaken, project_id: str
) -> None:
    made = await topic(workspace, project_id, "Draft")
    vault.coming = [lambda: workspace.topics.delete(made.id)]
    with pytest.raises(NotFound):
        await workspace.topics.rename(made.id, name="Final")
    assert await workspace.topics.of(project_id) == []


async def test_of_two_topics_made_at_once_only_one_gets_the_name(
    workspace: Workspace, vault: Overtaken, project_id: str
) -> None:
    vault.coming = [lambda: topic(workspace, project_id, "Retries")]
    with pytest.raises(InvalidInput, match="There is a topic called Retries there already"):
        await topic(workspace, project_id, "retries")
    assert [one.name for one in await workspace.topics.of(project_id)] == ["Retries"]


async def test_a_topic_gets_no_child_while_it_is_deleted(
    workspace: Workspace, vault: Overtaken, project_id: str
) -> None:
    made = await topic(workspace, project_id, "AI")
    create = workspace.topics.create
    vault.coming = [lambda: create(project_id, name="GPT", parent_id=made.id, at=AT)]
    with pytest.raises(InvalidInput, match="has 1 topic below it"):
        await workspace.topics.delete(made.id)


async def test_a_chat_that_changes_meanwhile_does_not_keep_its_empty_topic_from_being_deleted(
    workspace: Workspace, vault: Overtaken
) -> None:
    chat_id = await new_chat(workspace)
    made = await topic(workspace, (await workspace.chat(chat_id)).project_id, "Draft")
    await workspace.choose_topic(chat_id, topic_id=made.id)
    vault.coming = [lambda: workspace.rename_chat(chat_id, title="Other")]
    await workspace.topics.delete(made.id)
    chat = await workspace.chat(chat_id)
    assert (chat.title, chat.topic_id) == ("Other", None)


async def test_who_is_overtaken_again_and_again_is_told_to_try_later(
    workspace: Workspace, vault: Overtaken, project_id: str
) -> None:
    made = await topic(workspace, project_id, "Draft")

    others = Topics(Vault(vault.store, key=KEY))
    vault.coming = [lambda: others.instruct(made.id, system_message="Cite.")] * 100
    with pytest.raises(VersionConflict, match="Try again"):
        await soon(workspace.topics.rename(made.id, name="Final"))


async def in_a_circle(vault: Vault, workspace: Workspace, project_id: str) -> list[ProjectTopic]:
    """AI below GPT below AI, with Prompts below it, as no change would store them."""
    ai, gpt, prompts = [
        await topic(workspace, project_id, name) for name in ("AI", "GPT", "Prompts")
    ]
    circle = [
        structs.replace(ai, parent_id=gpt.id),
        structs.replace(gpt, parent_id=ai.id),
        structs.replace(prompts, parent_id=gpt.id),
    ]
    for one in circle:
        put = vault.put(
            TOPICS,
            one,
            id=one.id,
            parent_id=project_id,
            position=micros(AT),
            expected_version=None,
        )
        await vault.commit([put])
    return circle


async def test_topics_that_lie_in_a_circle_are_shown_and_can_be_moved_out(
    workspace: Workspace, vault: Overtaken, project_id: str
) -> None:
    ai, gpt, prompts = await in_a_circle(vault, workspace, project_id)
    topics = await workspace.topics.of(project_id)
    rows = [(row.level, row.name) for row in topic_rows(topics, {})]
    assert rows == [(1, "AI"), (2, "GPT"), (3, "Prompts")]
    assert [place.path for place in places_for(prompts, topics)] == ["GPT > AI", "AI > GPT"]
    assert places_for(ai, topics) == []

    await soon(workspace.topics.rename(prompts.id, name="Words"))
    await soon(workspace.topics.rename(ai.id, name="Models"))
    with pytest.raises(InvalidInput, match="cannot lie below itself"):
        await soon(workspace.topics.move(ai.id, parent_id=prompts.id))
    await soon(workspace.topics.move(ai.id, parent_id=None))

    tree = await workspace.topics.tree(project_id)
    assert tree.path_text(prompts.id) == "Models > GPT > Words"
    assert tree.path_text(gpt.id) == "Models > GPT"


async def back_without_its_topic(workspace: Workspace, folder: Path) -> Chat:
    """A chat that was deleted, and its topic after it, which alone is gone for good."""
    await script(workspace, folder=folder, replies=[says("A"), says("B")])
    chat_id = await new_chat(workspace)
    project_id = (await workspace.chat(chat_id)).project_id
    made = await topic(workspace, project_id, "Draft")
    await workspace.topics.instruct(made.id, system_message="Cite.")
    await workspace.choose_topic(chat_id, topic_id=made.id)
    await ask(workspace, chat_id, "a")
    deletion = await workspace.delete_chat(chat_id)
    await workspace.topics.delete(made.id)
    await workspace.deletions.undo(deletion.id)
    return await workspace.chat(chat_id)


async def test_a_chat_that_comes_back_after_its_topic_was_deleted_goes_on_without_one(
    workspace: Workspace, data_dir: Path
) -> None:
    chat = await back_without_its_topic(workspace, data_dir)
    project = await workspace.project(chat.project_id)
    assert await workspace.choices.model_of(chat, project=project) == MODEL
    assert (await workspace.applied(chat, send=NOTHING_CHOSEN)).topic_message == ""

    content = await ask(workspace, chat.id, "b")

    assert (content.messages[-1].text, content.turn.topic_id) == ("B", None)


async def test_no_filter_and_no_command_means_a_topic_that_is_gone(
    workspace: Workspace, data_dir: Path
) -> None:
    chat = await back_without_its_topic(workspace, data_dir)
    assert (await workspace.plan(chat.id, PlanRequest(filter_text="t"))).visible_turns == 0
    assert (await workspace.plan(chat.id, PlanRequest(filter_text="t'*'"))).visible_turns == 0
    with pytest.raises(InvalidInput, match="This chat has no current topic"):
        await workspace.run_command(chat.id, "c'a' :tchange", is_confirmed=True)
    elsewhere = await workspace.create_project(name="Elsewhere")
    moved = await workspace.move_chat(chat.id, project_id=elsewhere.id)
    assert (moved.chat.topic_id, moved.sentence) == (None, "The chat was moved.")


async def test_a_chat_that_takes_a_topic_while_it_is_deleted_can_still_be_used(
    workspace: Workspace, vault: Overtaken, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[says("A")])
    chat_id = await new_chat(workspace)
    made = await topic(workspace, (await workspace.chat(chat_id)).project_id, "Draft")
    vault.coming = [lambda: workspace.topics.delete(made.id)]
    await workspace.choose_topic(chat_id, topic_id=made.id)
    assert (await ask(workspace, chat_id, "a")).turn.topic_id is None
