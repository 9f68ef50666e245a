"""The one local model of a process: loaded, run and dropped by one thread.

It carries the engine's chunks into the event loop and a wish to stop back. What is asked, and what
the chunks mean, is the provider's business.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Protocol

from windowpane.errors import InvalidInput, PartMissing
from windowpane.providers.weights import Weights, free_memory_bytes, require_memory_for

# A stop is noticed between batches: small ones keep it within a fraction of a second.
BATCH_TOKENS = 64
# How far the model may run ahead of whoever reads it.
ROOM_PAYLOADS = 64
SILENT = -1


class _Engine(Protocol):
    """The part of ``xllamacpp.Server`` that is used; the package brings no types."""

    def handle_chat_completions(self, body: str, heard: Callable[[str], bool], /) -> None: ...


class _HttpParams(Protocol):
    ui: bool
    n_threads_http: int
    api_keys: list[str]
    hostnames: list[str]


class Outbox:
    """Carries payloads from the engine's thread to the event loop, and a wish to stop back."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._payloads: asyncio.Queue[str | None] = asyncio.Queue()
        self._room = threading.Semaphore(ROOM_PAYLOADS)
        self.is_stopped = threading.Event()

    def put(self, payload: str) -> bool:
        """Called by the engine, which swallows exceptions and stops when told True."""
        while not self._room.acquire(timeout=1.0):
            if self._loop.is_closed():
                return True
        if not self.is_stopped.is_set():
            self._loop.call_soon_threadsafe(self._payloads.put_nowait, payload)
        return self.is_stopped.is_set()

    def end(self) -> None:
        self._payloads.put_nowait(None)

    def stop(self) -> None:
        self.is_stopped.set()
        self._room.release()

    async def payloads(self) -> AsyncGenerator[str, None]:
        while (payload := await self._payloads.get()) is not None:
            self._room.release()
            yield payload


class LocalEngine:
    """One model in memory at a time, one generation at a time; whoever comes next waits.

    A model that nobody used for ``idle_seconds`` leaves the memory.
    """

    def __init__(self, *, idle_seconds: float) -> None:
        self._idle_seconds = idle_seconds
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="local-model")
        self._engine: _Engine | None = None
        self._running: set[Outbox] = set()
        self._idle: asyncio.TimerHandle | None = None
        self.loaded_path: Path | None = None

    async def generate(
        self, body: str, *, weights: Callable[[], Weights]
    ) -> AsyncGenerator[str, None]:
        """The engine's chunks, one JSON text each. Closing stops the model."""
        outbox = Outbox()
        self._begin(outbox)
        work = asyncio.get_running_loop().run_in_executor(
            self._thread, self._generate, body, weights, outbox
        )
        work.add_done_callback(lambda _: self._done(outbox))
        try:
            async with aclosing(outbox.payloads()) as payloads:
                async for payload in payloads:
                    yield payload
            await work
        finally:
            outbox.stop()
            # Unasked for when the reader has left; asking keeps asyncio from complaining.
            work.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def close(self) -> None:
        for outbox in self._running:
            outbox.stop()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._drop)
        self._stay_awake()
        self._thread.shutdown()

    def _begin(self, outbox: Outbox) -> None:
        self._running.add(outbox)
        self._stay_awake()

    def _done(self, outbox: Outbox) -> None:
        outbox.end()
        self._running.discard(outbox)
        if not self._running:
            self._idle = asyncio.get_running_loop().call_later(
                self._idle_seconds, self._thread.submit, self._drop
            )

    def _stay_awake(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _generate(self, body: str, weights: Callable[[], Weights], outbox: Outbox) -> None:
        if not outbox.is_stopped.is_set():
            self._loaded(weights()).handle_chat_completions(body, outbox.put)

    def _loaded(self, weights: Weights) -> _Engine:
        if self._engine is None or self.loaded_path != weights.path:
            self._drop()
            require_memory_for(weights, free_bytes=free_memory_bytes())
            self._engine = _start(weights)
            self.loaded_path = weights.path
        return self._engine

    def _drop(self) -> None:
        # The engine's destructor ends its threads and gives its memory back.
        self._engine = None
        self.loaded_path = None


def _start(weights: Weights) -> _Engine:
    try:
        xllamacpp = import_module("xllamacpp")
    except ImportError as error:
        raise PartMissing(
            "The engine for local models is not installed. Install it with: pip install xllamacpp"
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(weights.path)
    params.n_ctx = weights.window_tokens
    params.fit_params = False
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _threads()
    # States of earlier chats would pile up, by default to 8 GB; the current one is kept anyway.
    params.cache_ram_mib = 0
    params.verbosity = SILENT
    with _out_of_reach(params):
        try:
            return xllamacpp.Server(params)
        except RuntimeError as error:
            raise InvalidInput(
                f"The model file {weights.path} cannot be loaded. It may be damaged, or of a kind "
                "that this engine does not know; choose another."
            ) from error


@contextmanager
def _out_of_reach(params: _HttpParams) -> Generator[None]:
    """Keep others from the HTTP server that the engine always opens beside the model.

    It listens on a socket in a folder that is gone once it listens, so that no path leads to it.
    Where there are no such sockets it listens on loopback, and everywhere it wants a key that
    nobody knows.
    """
    params.ui = False
    params.n_threads_http = 1
    params.api_keys = [secrets.token_urlsafe(32)]
    with tempfile.TemporaryDirectory(prefix="windowpane-") as folder:
        if hasattr(socket, "AF_UNIX"):
            params.hostnames = [f"{folder}/model.sock"]
        yield


def _threads() -> int:
    """Half the cores: threads that wait for a core they do not get slow each other down tenfold."""
    return max(1, (os.cpu_count() or 1) // 2)
