"""The servers that benchmarks start, each a process whose time and memory can be read."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import psutil

from tests.http import Client
from tests.postgres import free_port
from windowpane.cli.opening import opened_workspace
from windowpane.definitions import ProviderDefinition
from windowpane.ids import new_id
from windowpane.settings import Settings

MEGABYTE = 1_000_000


class Process:
    def __init__(self, process: subprocess.Popen[str], *, port: int) -> None:
        self._process = process
        self._info = psutil.Process(process.pid)
        self.port = port
        self.address = f"http://127.0.0.1:{port}"

    def cpu_seconds(self) -> float:
        times = self._info.cpu_times()
        return times.user + times.system

    def memory_megabytes(self) -> float:
        return round(self._info.memory_info().rss / MEGABYTE, 1)

    def line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def until_it_answers(self, path: str) -> None:
        while True:
            with suppress(OSError), urllib.request.urlopen(self.address + path) as answer:
                answer.read()
                return
            time.sleep(0.005)


@contextmanager
def running(*words: str, port: int, more: dict[str, str]) -> Generator[Process]:
    process = subprocess.Popen(
        [sys.executable, "-m", *words],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **more},
    )
    try:
        yield Process(process, port=port)
    finally:
        process.terminate()
        process.wait()


@contextmanager
def upstream() -> Generator[Process]:
    port = free_port()
    with running("bench.upstream", str(port), port=port, more={}) as process:
        assert process.line() == "ready\n"
        yield process


@contextmanager
def relay(source: Process) -> Generator[Process]:
    port = free_port()
    more = {"UPSTREAM": f"{source.address}/v1/chat/completions"}
    with running("bench.relay", str(port), port=port, more=more) as process:
        while True:
            with suppress(ConnectionRefusedError):
                asyncio.run(_connect(port))
                break
            time.sleep(0.02)
        yield process


async def _connect(port: int) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.close()


@contextmanager
def windowpane(*, base_url: str) -> Generator[tuple[Process, str]]:
    """The product with one provider at ``base_url``, and the entrance to it."""
    with tempfile.TemporaryDirectory(prefix="windowpane-bench-") as folder:
        asyncio.run(_prepare(Path(folder), base_url))
        port = free_port()
        words = ("windowpane", "serve", "--no-open", "--port", str(port))
        with running(*words, port=port, more={"WINDOWPANE_DATA": folder}) as process:
            yield process, process.line().split()[-1]


async def _prepare(folder: Path, base_url: str) -> None:
    async with opened_workspace(Settings(data=str(folder))) as workspace:
        definition = ProviderDefinition(
            id=new_id("provider"), name="fake", family="openai_chat", base_url=base_url
        )
        await workspace.models.add(definition)
        await workspace.create_project(name="Bench")


@contextmanager
def bare() -> Generator[Process]:
    port = free_port()
    with running("bench.bare", str(port), port=port, more={}) as process:
        yield process


@contextmanager
def windowpane_again() -> Generator[tuple[Callable[[], AbstractContextManager[Process]], str]]:
    """A way to start the product on one vault again and again, and the cookie that fits."""
    with tempfile.TemporaryDirectory(prefix="windowpane-bench-") as folder:
        port = free_port()
        words = ("windowpane", "serve", "--no-open", "--port", str(port))

        def start() -> AbstractContextManager[Process]:
            return running(*words, port=port, more={"WINDOWPANE_DATA": folder})

        with start() as process:
            client = Client.let_in(process.line().split()[-1])
            client.get("/", {"accept": "text/html"})
        yield start, client.cookie
