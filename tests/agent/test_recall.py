"""The full text behind a handle, and only within its own chat."""

import pytest

from tests.agent.searching import Histories
from tests.workspaces import KEY
from windowpane.agent.recall import text_behind
from windowpane.errors import NotFound
from windowpane.storage.memory import MemoryStore
from windowpane.storage.vault import Vault


@pytest.fixture
def vault() -> Vault:
    return Vault(MemoryStore(), key=KEY)


@pytest.fixture
def histories(vault: Vault) -> Histories:
    return Histories(vault)


@pytest.fixture
async def chat_id(histories: Histories) -> str:
    return await histories.chat(await histories.project())


async def test_a_turn_is_read_as_it_was_said(
    vault: Vault, histories: Histories, chat_id: str
) -> None:
    turn_id = await histories.turn(chat_id, "Look it up.", "It has 42.", tool="42 lines\nof text")
    assert await text_behind(vault, turn_id, chat_id=chat_id) == (
        'user: Look it up.\n\nassistant: [look {"q": 1}]\n\ntool: 42 lines\nof text\n\n'
        "assistant: It has 42."
    )


async def test_a_turn_that_was_left_is_read_too(
    vault: Vault, histories: Histories, chat_id: str
) -> None:
    turn_id = await histories.turn(chat_id, "first")
    await histories.turn(chat_id, "instead", depth=0)
    assert await text_behind(vault, turn_id, chat_id=chat_id) == "user: first"


async def test_another_chats_turn_cannot_be_read(
    vault: Vault, histories: Histories, chat_id: str
) -> None:
    other = await histories.chat(await histories.project())
    turn_id = await histories.turn(other, "private")
    with pytest.raises(NotFound):
        await text_behind(vault, turn_id, chat_id=chat_id)


@pytest.mark.parametrize("handle", ["", "trn_none", "/"])
async def test_a_handle_of_nothing_is_refused(vault: Vault, chat_id: str, handle: str) -> None:
    with pytest.raises(NotFound):
        await text_behind(vault, handle, chat_id=chat_id)
