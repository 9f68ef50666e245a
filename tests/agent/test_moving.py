"""A chat moves to another project with the topics that the other project has too."""

from pathlib import Path

import pytest

from tests.workspaces import ask, new_chat, path_of, says, script
from windowpane.agent.turns import TurnMarks
from windowpane.asking import PlanRequest
from windowpane.errors import InvalidInput, NotFound
from windowpane.workspace import Workspace


async def topic(workspace: Workspace, project_id: str, *names: str) -> str:
    """A topic at a path, made with what is missing above it."""
    parent_id: str | None = None
    for name in names:
        known = await workspace.topics.of(project_id)
        here = [one for one in known if (one.parent_id, one.name) == (parent_id, name)]
        at = (await workspace.project(project_id)).created_at
        made = here or [
            await workspace.topics.create(project_id, name=name, parent_id=parent_id, at=at)
        ]
        parent_id = made[0].id
    assert parent_id is not None
    return parent_id


async def test_topics_go_along_by_their_path_and_the_others_are_named(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[says("A"), says("B"), says("C")])
    chat_id = await new_chat(workspace)
    old = (await workspace.chat(chat_id)).project_id
    new = (await workspace.create_project(name="Garden")).id
    retries = await topic(workspace, old, "Payments", "Retries")
    lost = await topic(workspace, old, "Refunds")
    there = await topic(workspace, new, "payments", "Retries")
    await topic(workspace, new, "Elsewhere", "Refunds")
    await workspace.choose_topic(chat_id, topic_id=retries)
    for text in "abc":
        await ask(workspace, chat_id, text)
    turns = await path_of(workspace, chat_id)
    await workspace.turns.mark(turns[1].turn.id, TurnMarks(topic_id=lost))
    await workspace.turns.mark(turns[2].turn.id, TurnMarks(topic_id=None))

    moved = await workspace.move_chat(chat_id, project_id=new)

    assert (moved.chat.project_id, moved.chat.topic_id) == (new, there)
    assert moved.kept_topics == ("Payments > Retries",)
    assert moved.dropped_topics == ("Refunds",)
    assert "no topic Refunds" in moved.sentence
    topics = [one.turn.topic_id for one in await path_of(workspace, chat_id)]
    assert topics == [there, None, None]
    assert [one.id for one in (await workspace.chats(new)).values] == [chat_id]
    assert (await workspace.chats(old)).values == []
    plan = await workspace.plan(chat_id, PlanRequest(filter_text="t'retries'"))
    assert plan.visible_turns == 1


async def test_a_project_that_is_not_there_takes_no_chat(workspace: Workspace) -> None:
    chat_id = await new_chat(workspace)
    with pytest.raises(NotFound, match="prj_nowhere"):
        await workspace.move_chat(chat_id, project_id="prj_nowhere")


async def test_a_turn_takes_no_topic_of_another_project(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[says("A")])
    chat_id = await new_chat(workspace)
    turn = await ask(workspace, chat_id, "a")
    elsewhere = await workspace.create_project(name="Garden")
    foreign = await topic(workspace, elsewhere.id, "Pears")
    with pytest.raises(InvalidInput, match="another project"):
        await workspace.turns.mark(turn.turn.id, TurnMarks(topic_id=foreign))
