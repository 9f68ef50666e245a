"""Sending over HTTP: what is taken with a message, and what is refused before it is stored."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.http import Answer, Client
from tests.server import Server, in_workspace, scripted_chat
from tests.workspaces import says

FAR = timezone(timedelta(hours=5, minutes=30))


class Sender:
    """A program that sends into one chat and says when its message was written."""

    def __init__(self, client: Client, chat_id: str) -> None:
        self.client = client
        self.chat_id = chat_id

    def send(self, written_at: str) -> Answer:
        body = {"text": "hello", "written_at": written_at}
        return self.client.post(f"/api/chats/{self.chat_id}/send", body)

    def turns(self) -> list[object]:
        answer = self.client.get(f"/api/chats/{self.chat_id}/turns")
        assert answer.status == 200, answer
        turns = answer.json()["turns"]
        assert isinstance(turns, list)
        return [*turns]


@pytest.fixture
def sender(tmp_path: Path) -> Iterator[Sender]:
    data = tmp_path / "data"
    replies = [says("One.")]
    chat = in_workspace(data, lambda it: scripted_chat(it, folder=tmp_path, replies=replies))
    server = Server(data)
    server.start()
    yield Sender(Client.let_in(server.entrance), chat.id)
    server.kill()
    assert "Traceback" not in server.complaints(), server.complaints()


def test_a_moment_without_a_time_zone_is_refused_and_nothing_is_stored(sender: Sender) -> None:
    naive = datetime.now(UTC).replace(tzinfo=None)
    for written_at in ("2026-01-01T00:00:00", naive.isoformat()):
        refused = sender.send(written_at)
        assert (refused.status, refused.json()["code"]) == (400, "invalid_input")
        assert "has no time zone" in refused.message
    assert sender.turns() == []


def test_a_message_is_not_written_long_ago_nor_in_the_future(sender: Sender) -> None:
    now = datetime.now(UTC)
    for written_at in (now - timedelta(minutes=10), now + timedelta(minutes=10)):
        refused = sender.send(written_at.isoformat())
        assert (refused.status, refused.json()["code"]) == (400, "invalid_input")
        assert "more than 5 minutes from now" in refused.message
    assert sender.turns() == []


def test_a_moment_of_now_in_any_time_zone_is_the_messages(sender: Sender) -> None:
    now = datetime.now(FAR) - timedelta(seconds=20)
    sent = sender.send(now.isoformat())
    assert sent.status == 201, sent
    created_at = datetime.fromisoformat(str(sent.json()["created_at"]))
    assert created_at == now
    assert len(sender.turns()) == 1


def test_the_description_of_the_api_says_which_moments_are_taken(sender: Sender) -> None:
    described = sender.client.get("/api/openapi.json").body.decode()
    assert "with a time zone, and within 5 minutes of now" in described
