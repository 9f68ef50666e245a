"""A thousand sends into one chat: what a receipt takes, and all that is stored, send by send.

The baseline is the first hundred sends, against which the last hundred stand: with storage that
grows linearly both take the same. Bytes are those of sealed rows; the database's own are beside
them, as they are in its file after everything was written to it. Prints one JSON line.
"""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from bench.longchats import new_chat, scripted_workspace
from bench.sending import send
from windowpane.storage.base import TABLES

SENDS = 1_000
STEP = 100
# The same bytes but for numbers that get longer.
GOAL_RATIO = 1.1


def sealed_bytes(path: Path) -> dict[str, int]:
    """What is stored in each table; the whole file under its own name."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        sums = {
            table: database.execute(f"SELECT total(length(sealed)) FROM {table}").fetchone()[0]
            for table in TABLES
        }
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        (free,) = database.execute("PRAGMA freelist_count").fetchone()
        (page_bytes,) = database.execute("PRAGMA page_size").fetchone()
    return {**sums, "database": (pages - free) * page_bytes}


async def grown(folder: Path) -> list[dict[str, int]]:
    """What is stored before the first send, and after every hundred."""
    async with scripted_workspace(folder) as workspace:
        chat_id = await new_chat(workspace, turns=0)
        path = Path(workspace.settings.database_or_default)
        found = [sealed_bytes(path)]
        for number in range(1, SENDS + 1):
            await send(workspace, chat_id)
            if number % STEP == 0:
                found.append(sealed_bytes(path))
    return found


def measure(folder: Path) -> dict[str, object]:
    found = asyncio.run(grown(folder))

    def per_send(name: str, step: int) -> int:
        return round((found[step + 1][name] - found[step][name]) / STEP)

    last = SENDS // STEP - 1
    numbers: dict[str, object] = {"bench": "receipts", "sends": SENDS}
    for name in ("receipts", "texts", "usage", "database"):
        numbers[f"{name}_bytes_first"] = per_send(name, 0)
        numbers[f"{name}_bytes_last"] = per_send(name, last)
    return {
        **numbers,
        "receipts_ratio": round(per_send("receipts", last) / per_send("receipts", 0), 2),
        "database_ratio": round(per_send("database", last) / per_send("database", 0), 2),
        "goal_ratio": GOAL_RATIO,
    }


def main() -> None:
    with TemporaryDirectory(prefix="windowpane-bench-") as folder:
        print(msgspec.json.encode(measure(Path(folder))).decode())


if __name__ == "__main__":
    main()
