"""Killed in the middle of an answer: the text is there, the turn says so, the chat goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http import Client
from tests.server import Server, in_workspace, scripted_chat
from tests.workspaces import does, says
from windowpane.projects import Chat
from windowpane.providers.scripted import Hang, Say
from windowpane.workspace import Workspace


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Server, Chat]]:
    data = tmp_path / "data"
    data.mkdir()
    replies = [
        does(Say(chunks=("The journal ", "decides, "), delay_seconds=0.1), Hang(), when="first"),
        says("And goes on.", when="second"),
    ]

    async def prepare(workspace: Workspace) -> Chat:
        return await scripted_chat(workspace, folder=data, replies=replies)

    chat = in_workspace(data, prepare)
    server = Server(data)
    server.start()
    yield server, chat
    server.kill()


def test_a_killed_server_keeps_the_text_and_the_chat_usable(
    served: tuple[Server, Chat], tmp_path: Path
) -> None:
    server, chat = served
    client = Client.let_in(server.entrance)
    client.post(f"/api/chats/{chat.id}/send", {"text": "first"})
    _until(client, chat.id, "decides, ")
    _until_on_disk(tmp_path / "data", chat.id, "decides, ")

    server.kill()
    server.start()

    page = client.get(f"/api/chats/{chat.id}/turns").body.decode()
    assert '"state":"interrupted"' in page
    assert "The journal decides, " in page
    assert client.post(f"/api/chats/{chat.id}/send", {"text": "second"}).status == 201
    _until(client, chat.id, "And goes on.")


def _until(client: Client, chat_id: str, wanted: str) -> None:
    while wanted not in client.get(f"/api/chats/{chat_id}/turns").body.decode():
        pass


def _until_on_disk(data: Path, chat_id: str, wanted: str) -> None:
    """Another process on the same vault sees only what is on disk."""

    async def open_text(workspace: Workspace) -> str:
        page = await workspace.page(chat_id, before_depth=None, limit=1)
        return page.open_part.text if page.open_part else ""

    while wanted not in in_workspace(data, open_text):
        pass
