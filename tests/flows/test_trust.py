"""Who is let in, from where, and what the server answers to what it cannot use."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http import Client
from tests.server import Server, in_workspace, scripted_chat
from tests.workspaces import says
from windowpane.projects import Chat
from windowpane.workspace import Workspace

HTML = {"accept": "text/html"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "data"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def chat(data: Path) -> Chat:
    async def prepare(workspace: Workspace) -> Chat:
        return await scripted_chat(workspace, folder=data, replies=[says("One."), says("Two.")])

    return in_workspace(data, prepare)


@pytest.fixture(scope="module")
def server(data: Path, chat: Chat) -> Iterator[Server]:
    server = Server(data)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def client(server: Server) -> Client:
    return Client.let_in(server.entrance)


def test_health_is_open_and_everything_else_is_not(server: Server, chat: Chat) -> None:
    stranger = Client(server.address)
    assert stranger.get("/healthz").status == 200
    for path in ("/", f"/chats/{chat.id}", "/api/projects", "/api/openapi.json"):
        assert stranger.get(path).status == 401
    assert stranger.post(f"/api/chats/{chat.id}/send", {"text": "hello"}).status == 401
    assert "printed" in stranger.get("/api/projects").message


def test_the_printed_address_lets_in_one_browser(server: Server, client: Client) -> None:
    again = Client(server.address).get("/?" + server.entrance.partition("?")[2], HTML)
    assert again.status == 401
    assert b"used already" in again.body


def test_the_cookie_outlives_a_restart(server: Server, client: Client) -> None:
    server.kill()
    server.start()
    assert client.get("/api/projects").status == 200


def test_a_forged_cookie_is_refused(server: Server, client: Client) -> None:
    stranger = Client(server.address)
    name, _, value = client.cookie.partition("=")
    other_end = "1" if value.endswith("0") else "0"
    for forged in ("", "1.2.3", value[:-1] + other_end, f"9{value}"):
        stranger.cookie = f"{name}={forged}"
        assert stranger.get("/api/projects").status == 401


def test_another_host_name_or_origin_is_refused(client: Client, chat: Chat) -> None:
    assert client.get("/api/projects", {"host": "evil.example"}).status == 421
    send = f"/api/chats/{chat.id}/send"
    elsewhere = client.post(send, {"text": "hello"}, {"origin": "http://evil.example"})
    assert elsewhere.status == 403
    assert client.post(send, {"text": "hello"}, {"sec-fetch-site": "cross-site"}).status == 403
    assert client.post(send, {"text": "hello"}, {"origin": "null"}).status == 403


def test_every_answer_carries_the_headers_of_trust(client: Client, chat: Chat) -> None:
    for path in ("/healthz", f"/chats/{chat.id}", "/api/projects", "/api/nowhere"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        ({"text": "   "}, 400, "The message is empty"),
        ({"text": "x" * 2_000_000}, 413, "2,000,000 bytes"),
        ({"text": "hi", "model": "nobody/nothing"}, 400, "no model called nobody/nothing"),
        ({"text": "hi", "seen_head_id": "trn_old"}, 409, "went on elsewhere"),
        ({"text": 5}, 400, "text"),
        ({}, 400, "text"),
        (b"{not json", 400, ""),
        (b"\xff\xfe", 400, ""),
    ],
)
def test_what_cannot_be_sent_gets_a_sentence_and_is_not_stored(
    client: Client, chat: Chat, body: object, status: int, sentence: str
) -> None:
    answer = client.post(f"/api/chats/{chat.id}/send", body)
    assert answer.status == status
    assert sentence in answer.message
    assert client.get(f"/api/chats/{chat.id}/turns").json()["turns"] == []


def test_unknown_things_are_not_found(client: Client) -> None:
    for path in ("/api/chats/cht_nowhere", "/api/chats/cht_nowhere/turns", "/api/nothing"):
        assert client.get(path).status == 404
    assert client.get("/chats/cht_nowhere", HTML).status == 404
    assert client.delete("/api/projects/prj_nowhere").status == 404


def test_a_key_goes_in_and_never_comes_out(client: Client) -> None:
    made = client.post(
        "/api/providers",
        {
            "name": "there",
            "family": "openai_chat",
            "base_url": "http://127.0.0.1:9/v1",
            "api_key": "sk-secret-canary",
        },
    )
    assert made.json()["has_key"] is True
    for path in ("/api/providers", "/api/models"):
        assert b"sk-secret-canary" not in client.get(path).body


def test_the_api_describes_itself(client: Client) -> None:
    described = client.get("/api/openapi.json").json()
    assert isinstance(described["paths"], dict)
    assert "/api/chats/{chat_id}/send" in described["paths"]
