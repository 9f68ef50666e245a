"""A provider on this machine, in a thread of its own: it lists models, wants a key, and answers.

For tests that cannot script it byte by byte, because something else runs in their event loop.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec

RIGHT_KEY = "sk-right-canary"
WRONG_KEY = "sk-wrong-canary"
REFUSAL = "This key opens nothing here."
LISTED: tuple[dict[str, object], ...] = (
    {
        "id": "gpt-x",
        "context_length": 9000,
        "top_provider": {"max_completion_tokens": 1000},
        "pricing": {"prompt": "0.000003", "completion": "0.000009"},
        "supported_parameters": ["tools"],
        "architecture": {"input_modalities": ["text", "image"]},
    },
    {"id": "gpt-y"},
)


class FakeProvider:
    """``received`` holds the paths that were asked for, ``left`` is set when a client hung up."""

    def __init__(self, models: Sequence[Mapping[str, object]], *, key: str) -> None:
        self.models = models
        self.key = key
        self.received: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.is_holding = False
        self.left = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self.url = ""

    def start(self, *, port: int) -> None:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.note(self)
                if provider.is_holding:
                    provider.hold(self)
                elif provider.is_right(self):
                    _reply(self, 200, {"data": list(provider.models)})
                else:
                    _reply(self, 401, {"error": {"message": REFUSAL}})

            def do_POST(self) -> None:
                provider.note(self)
                self.rfile.read(int(self.headers["content-length"]))
                choice = {"message": {"content": "Answered."}, "finish_reason": "stop"}
                _reply(self, 200, {"choices": [choice]})

            def log_message(self, format: str, *args: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def note(self, request: BaseHTTPRequestHandler) -> None:
        self.received.append(request.path)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})

    def is_right(self, request: BaseHTTPRequestHandler) -> bool:
        return not self.key or request.headers["authorization"] == f"Bearer {self.key}"

    def hold(self, request: BaseHTTPRequestHandler) -> None:
        """Say nothing until the other side has enough."""
        while request.connection.recv(1024):
            pass
        self.left.set()


@contextmanager
def fake_provider(
    models: Sequence[Mapping[str, object]] = LISTED, *, key: str = RIGHT_KEY, port: int = 0
) -> Generator[FakeProvider]:
    provider = FakeProvider(models, key=key)
    provider.start(port=port)
    try:
        yield provider
    finally:
        provider.stop()


def _reply(request: BaseHTTPRequestHandler, status: int, body: object) -> None:
    encoded = msgspec.json.encode(body)
    request.send_response(status)
    request.send_header("content-type", "application/json")
    request.send_header("content-length", str(len(encoded)))
    request.end_headers()
    request.wfile.write(encoded)
