"""A project keeps one view under each name."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.workspaces import workspace_over
from windowpane.storage.memory import MemoryStore
from windowpane.workspace import Workspace

AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
async def workspace(data_dir: Path) -> AsyncIterator[Workspace]:
    async with workspace_over(MemoryStore(), folder=data_dir, replies=()) as opened:
        yield opened


async def test_a_name_with_spaces_around_it_replaces_the_view_of_that_name(
    workspace: Workspace,
) -> None:
    project_id = (await workspace.create_project(name="Ledger")).id
    await workspace.views.save(project_id, name="starred", filter_text="s1", at=AT)
    await workspace.views.save(project_id, name="  starred ", filter_text="s2", at=AT)
    views = await workspace.views.of(project_id)
    assert [(view.name, view.filter_text) for view in views] == [("starred", "s2")]
