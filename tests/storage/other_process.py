"""A second process on the same database: ``python -m tests.storage.other_process DATABASE WHAT``.

Prints one line when it has begun, and does what it was asked to until it is ended or done.
"""

import asyncio
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

from tests.storage.rows import put
from windowpane.storage.base import Store
from windowpane.storage.choose import store_from

REPOSITORY = Path(__file__).parents[2]


async def live(store: Store, process_id: str) -> None:
    await store.join(process_id)
    print("begun", flush=True)
    await asyncio.Event().wait()


async def write(store: Store, name: str) -> None:
    """Pairs that belong together, without end; the number of each that was stored is printed."""
    n = 0
    while True:
        await store.commit([put(f"{name} {n} left"), put(f"{name} {n} right")])
        print(n, flush=True)
        n += 1


async def count(store: Store, times: str) -> None:
    print("begun", flush=True)
    for _ in range(int(times)):
        await store.commit([put("counter")])
        print(await store.next_epoch(), flush=True)


async def tell(store: Store, chat_id: str) -> None:
    """Change something that others are told of."""
    await store.commit([put(chat_id, parent_id="", table="runs")])
    print("begun", flush=True)
    await asyncio.Event().wait()


async def main(database: str, what: str, argument: str) -> None:
    store = store_from(database)
    await store.open()
    acts = {"live": live, "write": write, "count": count, "tell": tell}
    await acts[what](store, argument)
    await store.close()


@contextmanager
def other_process(database: str, what: str, argument: str) -> Generator[Popen[str]]:
    """The process, once it has printed its first line; killed in the end, if it has not ended."""
    command = [sys.executable, "-m", __name__, database, what, argument]
    with Popen(command, stdout=PIPE, text=True, cwd=REPOSITORY, env={**os.environ}) as process:
        try:
            read_line(process)
            yield process
        finally:
            process.kill()


def read_line(process: Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    assert line, "the other process ended early"
    return line


def lines_left(process: Popen[str]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.read().split("\n")[:-1]


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
