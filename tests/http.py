"""A program that speaks to the server: lets itself in by the printed address, keeps the cookie."""

from __future__ import annotations

import http.client
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

PATIENCE_SECONDS = 60


class Answer(Struct, frozen=True, kw_only=True):
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict[str, object]:
        return msgspec.json.decode(self.body, type=dict[str, object])

    def list(self) -> list[dict[str, object]]:
        return msgspec.json.decode(self.body, type=list[dict[str, object]])

    @property
    def message(self) -> str:
        return str(self.json()["message"])


class Client:
    def __init__(self, address: str) -> None:
        self.netloc = urlsplit(address).netloc
        self.cookie = ""

    @staticmethod
    def let_in(entrance: str) -> Client:
        client = Client(entrance)
        parts = urlsplit(entrance)
        answer = client.get(f"{parts.path}?{parts.query}")
        assert answer.status == 303, answer
        client.cookie = answer.headers["set-cookie"].partition(";")[0]
        return client

    def get(self, path: str, headers: Mapping[str, str] = {}) -> Answer:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, body: object = None, headers: Mapping[str, str] = {}) -> Answer:
        return self.ask("POST", path, body=body, headers=headers)

    def patch(self, path: str, body: object) -> Answer:
        return self.ask("PATCH", path, body=body)

    def delete(self, path: str) -> Answer:
        return self.ask("DELETE", path)

    def made(self, path: str, body: object = None) -> str:
        """Create something and give its id."""
        answer = self.post(path, body)
        assert answer.status == 201, answer
        return str(answer.json()["id"])

    def ask(
        self, method: str, path: str, *, body: object = None, headers: Mapping[str, str] = {}
    ) -> Answer:
        connection = http.client.HTTPConnection(self.netloc, timeout=PATIENCE_SECONDS)
        try:
            encoded = body if isinstance(body, bytes) else msgspec.json.encode(body)
            connection.request(
                method,
                path,
                body=encoded if body is not None else None,
                headers={**self._headers(), **headers},
            )
            got = connection.getresponse()
            return Answer(
                status=got.status,
                headers={name.lower(): value for name, value in got.getheaders()},
                body=got.read(),
            )
        finally:
            connection.close()

    @contextmanager
    def events(self, chat_id: str, *, after: str) -> Generator[Generator[dict[str, object]]]:
        """The chat's events as they come."""
        connection = http.client.HTTPConnection(self.netloc, timeout=PATIENCE_SECONDS)
        try:
            path = f"/api/chats/{chat_id}/events?after={after}"
            connection.request("GET", path, headers=self._headers())
            response = connection.getresponse()
            assert response.status == 200, response.read()
            yield _data_of(response)
        finally:
            connection.close()

    def _headers(self) -> dict[str, str]:
        headers = {"content-type": "application/json"}
        return {**headers, "cookie": self.cookie} if self.cookie else headers


def _data_of(response: http.client.HTTPResponse) -> Generator[dict[str, object]]:
    while line := response.readline():
        if line.startswith(b"data: "):
            yield msgspec.json.decode(line[6:], type=dict[str, object])
