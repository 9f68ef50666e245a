"""Drafts live with their place, on the server, sealed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.workspaces import Clock, ask, new_chat, says, workspace_over
from windowpane.drafts import DraftPlace, place_from
from windowpane.errors import InvalidInput, MessageTooLarge, NotFound
from windowpane.storage.choose import store_from
from windowpane.workspace import Workspace


@pytest.fixture
async def workspace(data_dir: Path) -> AsyncIterator[Workspace]:
    store = store_from(str(data_dir / "windowpane.sqlite3"))
    replies = [says("ok") for _ in range(3)]
    async with workspace_over(store, folder=data_dir, replies=replies) as opened:
        yield opened


async def text_at(workspace: Workspace, place: DraftPlace) -> str:
    draft = await workspace.drafts.find(place)
    return draft.text if draft else ""


async def test_a_draft_is_kept_until_its_message_is_sent(workspace: Workspace) -> None:
    chat_id = await new_chat(workspace)
    place = DraftPlace("chat", chat_id)
    await workspace.drafts.save(place, "half a thou")
    await workspace.drafts.save(place, "half a thought")
    assert await text_at(workspace, place) == "half a thought"
    await ask(workspace, chat_id, "half a thought")
    assert await text_at(workspace, place) == ""


async def test_each_place_has_its_own_draft(workspace: Workspace) -> None:
    first, second = await new_chat(workspace), await new_chat(workspace)
    await workspace.drafts.save(DraftPlace("chat", first), "one")
    await workspace.drafts.save(DraftPlace("chat", second), "two")
    assert await text_at(workspace, DraftPlace("chat", first)) == "one"


async def test_an_empty_draft_is_no_draft(workspace: Workspace) -> None:
    place = DraftPlace("chat", await new_chat(workspace))
    await workspace.drafts.save(place, "words")
    await workspace.drafts.save(place, "")
    assert await workspace.drafts.find(place) is None


async def test_a_draft_goes_with_its_place(clock: Clock, workspace: Workspace) -> None:
    chat_id = await new_chat(workspace)
    project_id = (await workspace.chat(chat_id)).project_id
    places = [DraftPlace("chat", chat_id), DraftPlace("new-chat", project_id)]
    for place in places:
        await workspace.drafts.save(place, "words")
    await workspace.delete_project(project_id)
    clock.pass_seconds(61)
    await workspace.purger.purge()
    assert [await workspace.drafts.find(place) for place in places] == [None, None]
    with pytest.raises(NotFound):
        await workspace.drafts.save(places[0], "late")


async def test_a_place_that_is_none_and_a_draft_that_is_too_long_are_refused(
    workspace: Workspace,
) -> None:
    with pytest.raises(InvalidInput, match="is no place for a draft"):
        place_from("chat")
    place = DraftPlace("chat", await new_chat(workspace))
    with pytest.raises(MessageTooLarge):
        await workspace.drafts.save(place, "x" * 2_000_001)
