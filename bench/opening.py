"""Opening a chat of 100,000 turns against one of 100: its newest page, and that page over HTTP.

The page is read through the workspace on SQLite, and drawn by a server of its own to which a
program without a browser comes. Chats take turns, so that a busy moment hits them alike.
Milliseconds are CPU time of the process that does the work; beside those over HTTP stands what
passed until the page was there. Prints one JSON line.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import msgspec
from msgspec import Struct

from bench.longchats import new_chat, scripted_workspace
from bench.processes import Process, running
from tests.http import Client
from tests.postgres import free_port
from windowpane.web.pages.opening import PAGE_TURNS

SIZES = (100, 100_500)
ROUNDS = 9
READS = 10
DRAWINGS = 10
STARTS = 3
GOAL_RATIO = 1.3
GOAL_MESSAGES = 300


class Drawn(Struct, frozen=True, kw_only=True):
    """One chat's page over HTTP: CPU on average, the clock in the middle of several rounds."""

    cpu_ms: float
    wall_ms: float
    kilobytes: float
    messages: int


async def prepared(folder: Path) -> tuple[dict[int, str], dict[int, float]]:
    """The chats, and the CPU milliseconds of reading the newest page of each."""
    found: dict[int, list[float]] = {turns: [] for turns in SIZES}
    async with scripted_workspace(folder) as workspace:
        chats = {turns: await new_chat(workspace, turns=turns) for turns in SIZES}
        for _ in range(ROUNDS):
            for turns, chat_id in chats.items():
                start = process_time()
                for _ in range(READS):
                    await workspace.page(chat_id, before_depth=None, limit=PAGE_TURNS)
                found[turns].append((process_time() - start) / READS * 1000)
    return chats, {turns: median(each) for turns, each in found.items()}


@contextmanager
def served(folder: Path) -> Generator[tuple[Process, Client]]:
    port = free_port()
    words = ("windowpane", "serve", "--no-open", "--port", str(port))
    with running(*words, port=port, more={"WINDOWPANE_DATA": str(folder)}) as process:
        yield process, Client.let_in(process.line().split()[-1])


def first_ms(folder: Path, chats: dict[int, str]) -> dict[int, float]:
    """Until the first page that a server is asked for is there."""
    found: dict[int, list[float]] = {turns: [] for turns in chats}
    for _ in range(STARTS):
        for turns, chat_id in chats.items():
            with served(folder) as (_, client):
                start = time.perf_counter()
                opened(client, chat_id)
                found[turns].append((time.perf_counter() - start) * 1000)
    return {turns: median(each) for turns, each in found.items()}


def opened(client: Client, chat_id: str) -> bytes:
    answer = client.get(f"/chats/{chat_id}", {"accept": "text/html"})
    assert answer.status == 200, answer
    return answer.body


def drawn(folder: Path, chats: dict[int, str]) -> dict[int, Drawn]:
    # CPU time of another process comes in hundredths of a second: only many make it exact.
    cpu = dict.fromkeys(chats, 0.0)
    wall: dict[int, list[float]] = {turns: [] for turns in chats}
    with served(folder) as (process, client):
        pages = {turns: opened(client, chat_id) for turns, chat_id in chats.items()}
        for _ in range(ROUNDS):
            for turns, chat_id in chats.items():
                before, start = process.cpu_seconds(), time.perf_counter()
                for _ in range(DRAWINGS):
                    opened(client, chat_id)
                wall[turns].append((time.perf_counter() - start) / DRAWINGS * 1000)
                cpu[turns] += process.cpu_seconds() - before
    return {
        turns: Drawn(
            cpu_ms=round(cpu[turns] / (ROUNDS * DRAWINGS) * 1000, 2),
            wall_ms=round(median(wall[turns]), 2),
            kilobytes=round(len(page) / 1000, 1),
            messages=page.count(b'class="ask') + page.count(b'class="answer"'),
        )
        for turns, page in pages.items()
    }


def measure(folder: Path) -> dict[str, object]:
    chats, reads = asyncio.run(prepared(folder))
    pages = drawn(folder, chats)
    firsts = first_ms(folder, chats)
    short, long = SIZES
    return {
        "bench": "opening",
        "read_ms": {str(turns): round(ms, 2) for turns, ms in reads.items()},
        "read_ratio": round(reads[long] / reads[short], 2),
        "http": {str(turns): page for turns, page in pages.items()},
        "http_cpu_ratio": round(pages[long].cpu_ms / pages[short].cpu_ms, 2),
        "http_wall_ratio": round(pages[long].wall_ms / pages[short].wall_ms, 2),
        "first_wall_ms": {str(turns): round(ms, 1) for turns, ms in firsts.items()},
        "goal_ratio": GOAL_RATIO,
        "goal_messages": GOAL_MESSAGES,
    }


def main() -> None:
    with TemporaryDirectory(prefix="windowpane-bench-") as folder:
        print(msgspec.json.encode(measure(Path(folder))).decode())


if __name__ == "__main__":
    main()
