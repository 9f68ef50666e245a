"""Servers on one database that talk to a faulty provider, and a ledger of what they were asked.

The ledger is what a person remembers: what was sent, what was confirmed, what was read as finished.
Whatever happens to the servers, the chats must agree with it.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.faults.provider import MODEL, Behaviour, FaultyProvider, faulty_provider
from tests.http import Client
from tests.server import Server, in_workspace
from windowpane.definitions import ProviderDefinition
from windowpane.ids import new_id
from windowpane.turns import Turn, TurnContent
from windowpane.workspace import Workspace

PROVIDER = "there"
PATIENCE_SECONDS = 60
PAGE_TURNS = 200


class Page(Struct, frozen=True, kw_only=True):
    """A page of turns as the API gives it."""

    turns: tuple[TurnContent, ...]
    is_answering: bool
    has_older: bool
    position: str
    damaged: list[str]


class Sent:
    """One message: ``turn_id`` once it was confirmed, ``is_refused`` if it surely was not taken."""

    def __init__(self, word: str, chat_id: str) -> None:
        self.word = word
        self.chat_id = chat_id
        self.text = f"{word} please"
        self.turn_id: str | None = None
        self.is_refused = False


class Scene:
    def __init__(self, folder: Path, *, provider: FaultyProvider, database: str) -> None:
        self.data = folder / "data"
        self.provider = provider
        self.database = database
        self.sent: list[Sent] = []
        self.chat_ids: list[str] = []
        self._words = count()
        self._servers: dict[str, Server] = {}
        self._clients: dict[str, Client] = {}

    def server(self, name: str = "a", *, more: Mapping[str, str] = {}) -> Server:
        """A server of this name, which is made the first time and then runs or can be started."""
        if name not in self._servers:
            environment = {"WINDOWPANE_DATABASE": self.database, **more} if self.database else more
            self._servers[name] = Server(self.data, environment, name=name)
        return self._servers[name]

    def started(self, name: str = "a", *, more: Mapping[str, str] = {}) -> Server:
        server = self.server(name, more=more)
        server.start()
        if name not in self._clients:
            self._clients[name] = Client.let_in(server.entrance)
        return server

    def client(self, name: str = "a") -> Client:
        return self._clients[name]

    def new_chat(self, name: str = "a") -> str:
        client = self.client(name)
        project_id = client.made("/api/projects", {"name": "Faults"})
        chat_id = client.made(f"/api/projects/{project_id}/chats")
        answer = client.patch(f"/api/chats/{chat_id}", {"model": f"{PROVIDER}/{MODEL}"})
        assert answer.status == 200, answer
        self.chat_ids.append(chat_id)
        return chat_id

    def plan(self, chat_id: str, behaviour: Behaviour) -> Sent:
        """A message that the provider will answer in this way. It is not sent yet."""
        sent = Sent(f"word{next(self._words)}", chat_id)
        self.provider.plan(sent.word, behaviour)
        self.sent.append(sent)
        return sent

    def send(self, sent: Sent, name: str = "a") -> int:
        """0 if the connection broke and nobody knows what became of it."""
        try:
            answer = self.client(name).post(f"/api/chats/{sent.chat_id}/send", {"text": sent.text})
        except OSError:
            return 0
        if answer.status == 201:
            sent.turn_id = msgspec.json.decode(answer.body, type=Turn).id
        elif answer.status < 500:
            sent.is_refused = True
        return answer.status

    def ask(self, chat_id: str, behaviour: Behaviour, name: str = "a") -> Sent:
        """Send, which has to be taken."""
        sent = self.plan(chat_id, behaviour)
        status = self.send(sent, name)
        assert status == 201, status
        return sent

    def turns(self, chat_id: str, name: str = "a") -> list[TurnContent]:
        """All turns of the chat's path, oldest first."""
        found: list[TurnContent] = []
        before = ""
        while True:
            page = self.page(chat_id, name, before=before)
            found = [*page.turns, *found]
            if not page.has_older:
                return found
            before = f"&before={page.turns[0].turn.depth}"

    def page(self, chat_id: str, name: str = "a", *, before: str = "") -> Page:
        path = f"/api/chats/{chat_id}/turns?limit={PAGE_TURNS}{before}"
        answer = self.client(name).get(path)
        assert answer.status == 200, answer
        return msgspec.json.decode(answer.body, type=Page)

    def turn_of(self, sent: Sent, name: str = "a") -> TurnContent | None:
        for content in self.turns(sent.chat_id, name):
            if content.messages and content.messages[0].text == sent.text:
                return content
        return None

    def until_settled(self, chat_id: str, name: str = "a") -> list[TurnContent]:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            turns = self.turns(chat_id, name)
            if all(content.turn.ended_at is not None for content in turns):
                return turns
            assert time.monotonic() < deadline, [content.turn for content in turns[-2:]]
            time.sleep(0.01)

    def close(self) -> None:
        for server in self._servers.values():
            server.kill()

    def complaints(self) -> str:
        return "".join(server.complaints() for server in self._servers.values())


@contextmanager
def staged(folder: Path, *, database: str = "") -> Generator[Scene]:
    """A vault with the faulty provider in it. No server runs yet."""
    with faulty_provider() as provider:
        scene = Scene(folder, provider=provider, database=database)
        scene.data.mkdir()

        async def prepare(workspace: Workspace) -> None:
            definition = ProviderDefinition(
                id=new_id("provider"),
                name=PROVIDER,
                family="openai_chat",
                base_url=provider.url,
                is_local=True,
            )
            await workspace.models.add(definition)

        in_workspace(scene.data, prepare, database=database)
        try:
            yield scene
        finally:
            scene.close()
        assert "Traceback" not in scene.complaints(), scene.complaints()
