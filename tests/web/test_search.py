"""Search over HTTP: what programs get, and what the page is given to show."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest

from tests.agent.searching import Histories
from tests.http import Client
from tests.server import Server, in_vault, in_workspace, scripted_chat
from windowpane.projects import Chat
from windowpane.search import Found
from windowpane.storage.vault import Vault

HOSTILE = "<img src=x onerror=alert(1)> quokka & <b>wombat</b>"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "data"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def chat(data: Path) -> Chat:
    chat = in_workspace(data, lambda it: scripted_chat(it, folder=data, replies=()))

    async def fill(vault: Vault) -> None:
        histories = Histories(vault)
        for number in range(60):
            await histories.turn(chat.id, f"Question {number}", f"Answer number{number} of locks")
        await histories.turn(chat.id, HOSTILE, "left behind", depth=59)
        other = await histories.chat(chat.project_id, title="Locks <i>elsewhere</i>")
        await histories.turn(other, "A lock")

    in_vault(data, fill)
    return chat


@pytest.fixture(scope="module")
def client(data: Path, chat: Chat) -> Iterator[Client]:
    server = Server(data)
    server.start()
    yield Client.let_in(server.entrance)
    server.kill()


def search(client: Client, query: str) -> Found:
    answer = client.get(f"/api/search?{query}")
    assert answer.status == 200, answer
    return msgspec.json.decode(answer.body, type=Found)


def test_turns_and_chats_are_found(client: Client, chat: Chat) -> None:
    found = search(client, "q=locks&limit=5")
    assert len(found.turns) == 5
    assert [hit.title.text for hit in found.chats] == ["Locks <i>elsewhere</i>"]
    assert (found.searched_turns, found.waiting_turns) == (62, 0)


def test_a_chat_or_a_project_narrows_the_search(client: Client, chat: Chat) -> None:
    assert search(client, f"q=locks&chat_id={chat.id}").chats == ()
    assert search(client, f"q=locks&project_id={chat.project_id}").searched_turns == 62
    assert client.get("/api/search?q=a&chat_id=cht_none").status == 404
    assert client.get("/api/search?q=a&project_id=prj_none").status == 404


@pytest.mark.parametrize("limit", ["0", "-1", "201", "many"])
def test_a_limit_that_is_none_is_refused(client: Client, limit: str) -> None:
    assert client.get(f"/api/search?q=a&limit={limit}").status == 400


@pytest.mark.parametrize("query", ["", "*", '"', "'; DROP", "NEAR(", "%00", "%ff%fe", "-" * 50])
def test_whatever_is_typed_gets_an_answer(client: Client, query: str) -> None:
    assert client.get(f"/api/search?q={query if '%' in query else quote(query)}").status == 200


def test_the_api_describes_the_search(client: Client) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    assert isinstance(paths, dict)
    assert "/api/search" in paths


def test_results_are_drawn_with_their_hits_marked_and_nothing_run(client: Client) -> None:
    drawn = client.get("/found?q=quokka&depth=1").body.decode()
    assert "<mark>quokka</mark>" in drawn
    assert "&lt;img src=x onerror=alert(1)&gt;" in drawn
    assert "<img" not in drawn
    assert "../chats/" in drawn
    titled = client.get("/found?q=locks").body.decode()
    assert "<mark>Locks</mark> &lt;i&gt;elsewhere&lt;/i&gt;" in titled


def test_nothing_found_teaches(client: Client, chat: Chat) -> None:
    drawn = client.get("/found?q=zyzzyva").body.decode()
    assert "Nothing found" in drawn and "62 turns" in drawn
    narrow = client.get(f"/found?q=zyzzyva&within=chat&chat={chat.id}").body.decode()
    assert "a search in everything" in narrow


def test_a_chat_opens_at_a_turn_with_turns_on_both_sides(client: Client, chat: Chat) -> None:
    [hit] = search(client, "q=number20").turns
    page = client.get(f"/chats/{chat.id}?turn={hit.turn_id}&q=number20").body.decode()
    depths = [int(part.partition('"')[0]) for part in page.split('data-depth="')[1:]]
    assert depths == list(range(1, 41))
    assert 'data-older="1" data-newer="1"' in page
    assert 'data-hits="[&#34;number20&#34;]"' in page


def test_a_turn_that_was_left_opens_beside_what_replaced_it(client: Client, chat: Chat) -> None:
    [hit] = search(client, "q=number59").turns
    assert hit.is_left
    page = client.get(f"/chats/{chat.id}?turn={hit.turn_id}").body.decode()
    assert "This turn is not part of the chat any more" in page
    assert page.index(hit.turn_id) < page.index("quokka")


def test_a_turn_of_another_chat_or_none_is_refused(client: Client, chat: Chat) -> None:
    other = search(client, "q=lock").chats[0].chat_id
    [hit] = search(client, "q=number20").turns
    assert client.get(f"/chats/{other}?turn={hit.turn_id}").status == 404
    assert client.get(f"/chats/{chat.id}?turn=trn_none").status == 404
