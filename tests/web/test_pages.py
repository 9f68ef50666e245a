"""The pages as the server draws them, before any script runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.workspaces import workspace_over
from windowpane.storage.memory import MemoryStore
from windowpane.web.pages.home import FIRST_PROJECT, FirstSteps
from windowpane.web.pages.sidebar import SHOWN_CHATS, sidebar_view
from windowpane.workspace import Workspace


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncGenerator[Workspace]:
    async with workspace_over(MemoryStore(), folder=tmp_path, replies=()) as workspace:
        yield workspace


async def test_two_tabs_that_open_at_once_make_one_first_chat(workspace: Workspace) -> None:
    steps = FirstSteps(workspace)
    chats = await asyncio.gather(*(steps.latest_chat() for _ in range(5)))
    assert len({chat.id for chat in chats}) == 1
    [project] = (await workspace.projects()).values
    assert project.name == FIRST_PROJECT
    assert len((await workspace.chats(project.id)).values) == 1


async def test_the_way_in_leads_to_the_chat_used_last(workspace: Workspace) -> None:
    older = await workspace.create_project(name="Older")
    newer = await workspace.create_project(name="Newer")
    await workspace.create_chat(newer.id)
    last = await workspace.create_chat(older.id)
    assert (await FirstSteps(workspace).latest_chat()).id == last.id


async def test_a_project_without_chats_gets_one(workspace: Workspace) -> None:
    project = await workspace.create_project(name="Empty")
    assert (await FirstSteps(workspace).latest_chat()).project_id == project.id


async def test_a_long_list_of_chats_is_shortened_but_never_hides_where_one_is(
    workspace: Workspace,
) -> None:
    project = await workspace.create_project(name="Long")
    chats = [await workspace.create_chat(project.id) for _ in range(SHOWN_CHATS + 10)]
    oldest = chats[0]
    view = await sidebar_view(workspace, current_id=oldest.id, all_of="")
    [place] = view.places
    assert place.chat_count == SHOWN_CHATS + 10
    assert place.hidden_count == 9
    assert oldest in place.chats
    [whole] = (await sidebar_view(workspace, current_id=oldest.id, all_of=project.id)).places
    assert whole.hidden_count == 0
