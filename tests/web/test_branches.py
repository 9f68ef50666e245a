"""Asking again, other answers, forks, moves and deletions as a program does them over HTTP."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.http import Client
from tests.server import Server, in_workspace, scripted_chat
from tests.workspaces import says
from windowpane.records import Accounting
from windowpane.storage.branches import TurnPlace
from windowpane.web.api.chats import TurnPage


class Served:
    """A server with one chat, and a program that talks to it."""

    def __init__(self, client: Client, chat_id: str) -> None:
        self.client = client
        self.chat_id = chat_id

    def ask(self, path: str, body: object) -> dict[str, object]:
        """Do something that begins an answer, and wait for its end."""
        place = self.client.get(f"/api/chats/{self.chat_id}/turns").json()["position"]
        answer = self.client.post(path, body)
        assert answer.status == 201, answer
        with self.client.events(self.chat_id, after=str(place)) as events:
            for event in events:
                if "'turn_ended'" in str(event):
                    return answer.json()
        raise AssertionError("the answer never ended")

    def send(self, text: str) -> str:
        return str(self.ask(f"/api/chats/{self.chat_id}/send", {"text": text})["id"])

    def page(self) -> TurnPage:
        body = self.client.get(f"/api/chats/{self.chat_id}/turns").body
        return msgspec.json.decode(body, type=TurnPage)

    def turn_ids(self) -> list[str]:
        return [content.turn.id for content in self.page().turns]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    data = tmp_path / "data"
    replies = [says(word) for word in ("A", "B", "C", "D")]
    chat = in_workspace(data, lambda it: scripted_chat(it, folder=tmp_path, replies=replies))
    server = Server(data)
    server.start()
    yield Served(Client.let_in(server.entrance), chat.id)
    server.kill()
    assert "Traceback" not in server.complaints(), server.complaints()


def test_a_turn_is_asked_again_and_its_answers_swapped(served: Served) -> None:
    first = served.send("one")
    again = str(served.ask(f"/api/turns/{first}/again", {"text": "one, again"})["id"])
    assert served.turn_ids() == [again]
    page = served.page()
    assert page.places == {again: TurnPlace(number=2, count=2, previous_id=first, next_id=first)}
    [record] = page.records
    assert isinstance(record, Accounting)
    assert record.account.reason == "Message edited"
    swapped = served.client.post(f"/api/turns/{again}/swap", {"step": -1})
    assert (swapped.status, swapped.json()["turn_id"]) == (200, first)
    whole = served.client.get(f"/api/turns/{again}").json()
    assert str(whole["messages"]).count("one, again") == 1
    assert served.client.get(f"/api/chats/{served.chat_id}/records").status == 200
    totals = served.client.get(f"/api/chats/{served.chat_id}/totals").json()
    assert set(totals) == {"own", "inherited"}


def test_turns_are_marked_together_and_by_command(served: Served) -> None:
    ids = [served.send("one"), served.send("two")]
    chat = f"/api/chats/{served.chat_id}"
    marked = served.client.post(
        f"{chat}/marks", {"turn_ids": ids, "marks": {"star": 2, "topic_id": None}}
    )
    assert marked.status == 200
    asked = served.client.post(f"{chat}/commands", {"line": "s2 :delete"}).json()
    assert (asked["question"], asked["deletion"]) == ("Delete 2 turns?", None)
    done = served.client.post(f"{chat}/commands", {"line": "s2 :delete", "is_confirmed": True})
    deletion = done.json()["deletion"]
    assert isinstance(deletion, dict)
    assert served.turn_ids() == []
    assert served.client.post(f"/api/deletions/{deletion['id']}/undo").status == 200
    assert served.turn_ids() == ids
    refused = served.client.post(f"{chat}/commands", {"line": "r1 :delete"})
    assert (refused.status, refused.json()["code"]) == (400, "delete_refused")


def test_what_is_deleted_is_listed_until_it_is_undone(served: Served) -> None:
    turn = served.send("one")
    chat = f"/api/chats/{served.chat_id}"
    gone = served.client.delete(f"/api/turns/{turn}").json()
    assert (gone["kind"], gone["sentence"]) == ("turns", "1 turn deleted.")
    assert served.client.delete(f"/api/turns/{turn}").status == 404
    chat_gone = served.client.delete(chat).json()
    assert served.client.get(chat).status == 404
    listed = served.client.get("/api/deletions").body.decode()
    assert str(gone["id"]) in listed
    assert str(chat_gone["id"]) in listed
    assert served.client.post(f"/api/deletions/{chat_gone['id']}/undo").status == 200
    assert served.client.get(chat).status == 200
    late = served.client.post(f"/api/deletions/{chat_gone['id']}/undo")
    assert (late.status, late.json()["code"]) == (400, "too_late_to_undo")


def test_a_chat_is_forked_and_moved(served: Served) -> None:
    turn = served.send("one")
    served.send("two")
    chat = f"/api/chats/{served.chat_id}"
    forked = served.client.post(f"{chat}/fork", {"turn_id": turn}).json()
    assert forked["forked_from"] == {"chat_id": served.chat_id, "turn_id": turn}
    garden = served.client.made("/api/projects", {"name": "Garden"})
    moved = served.client.post(f"{chat}/move", {"project_id": garden})
    assert (moved.status, moved.json()["sentence"]) == (200, "The chat was moved.")
    project_gone = served.client.delete(f"/api/projects/{garden}").json()
    assert served.client.get(chat).status == 404
    assert served.client.post(f"/api/deletions/{project_gone['id']}/undo").status == 200
    assert served.client.get(chat).json()["project_id"] == garden


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/turns/trn_none/again", {}),
        ("/api/turns/trn_none/swap", {}),
        ("/api/chats/cht_none/fork", {}),
        ("/api/chats/cht_none/move", {"project_id": "prj_none"}),
        ("/api/chats/cht_none/commands", {"line": ":star 1"}),
        ("/api/chats/cht_none/marks", {"turn_ids": [], "marks": {}}),
    ],
)
def test_what_is_not_there_is_named(served: Served, path: str, body: object) -> None:
    answer = served.client.post(path, body)
    assert (answer.status, answer.json()["code"]) == (404, "not_found")


def test_a_chat_whose_topic_is_gone_shows_and_sends_without_it(served: Served) -> None:
    client, chat = served.client, f"/api/chats/{served.chat_id}"
    project_id = client.get(chat).json()["project_id"]
    topic_id = client.made(f"/api/projects/{project_id}/topics", {"name": "Drafts"})
    assert client.patch(chat, {"topic_id": topic_id}).status == 200
    served.send("one")
    deletion = client.delete(chat).json()
    assert client.delete(f"/api/topics/{topic_id}").status == 204
    assert client.post(f"/api/deletions/{deletion['id']}/undo").status == 200

    served.send("two")

    assert client.get(f"/chats/{served.chat_id}").status == 200
    form = client.get(f"/chats/{served.chat_id}/settings")
    assert form.status == 200
    assert '<option value="">none</option>' in form.body.decode()
    assert "Drafts" not in form.body.decode()
