"""The sealed store against bare SQLite, in one run; prints one JSON line.

Loading 10,000 messages is compared with the least that it can cost: the same rows of the same
file selected, opened and decompressed in a loop, and nothing made of them. The two take turns.
Commits are counted one after the other and from a hundred tasks at once.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import msgspec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from zstandard import ZstdDecompressor

from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.parts import Text
from windowpane.storage.base import Put, Store
from windowpane.storage.choose import store_from
from windowpane.storage.sealing import VaultKey, new_vault_key, seal, unseal
from windowpane.storage.shelves import RECORDS
from windowpane.storage.vault import Vault

ROUNDS = 9
MESSAGES = 10_000
MESSAGE_BYTES = 1_000
COMMITS = 2_000
TASKS = 100
TURN_ID = "trn_bench"
WORDS = (
    "window pane model context token budget boundary summary receipt turn filter branch topic "
    "the a of to and in is that it for was on are as with they be at one have this from by hot "
    "provider stream message answer question because therefore however remember forget"
).split()


def prose(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=MESSAGE_BYTES))[:MESSAGE_BYTES]


def messages(chance: random.Random) -> list[Message]:
    now = datetime.now(UTC)
    return [
        Message(id=new_id("record"), role="user", parts=(Text(text=prose(chance)),), created_at=now)
        for _ in range(MESSAGES)
    ]


def puts(vault: Vault, chance: random.Random) -> list[Put]:
    return [
        vault.put(
            RECORDS,
            message,
            id=message.id,
            parent_id=TURN_ID,
            position=position,
            expected_version=0,
        )
        for position, message in enumerate(messages(chance))
    ]


def load_bare(path: Path, key: VaultKey) -> int:
    """The floor: select, open, decompress. Nothing is checked and nothing is made of it."""
    cipher, decompressor = AESGCM(key.secret), ZstdDecompressor()
    connection = sqlite3.connect(path)
    rows = connection.execute(
        "SELECT id, sealed FROM records WHERE parent_id = ? ORDER BY position", (TURN_ID,)
    )
    loaded_bytes = 0
    for id, sealed in rows:
        place = key.header + b"records\0" + id.encode()
        packed = cipher.decrypt(sealed[6:18], sealed[18:], place)
        loaded_bytes += len(decompressor.decompress(packed))
    connection.close()
    return loaded_bytes


async def load_sealed(store: Store, key: VaultKey) -> int:
    rows = await store.children(
        "records",
        [TURN_ID],
        from_position=None,
        to_position=None,
        newest_first=False,
        limit=None,
    )
    opened = [unseal(key, table="records", id=row.id, sealed=row.sealed) for row in rows]
    return sum(len(plain) for plain in opened)


async def seconds_of(work: Callable[[], Coroutine[object, object, object]]) -> float:
    start = perf_counter()
    await work()
    return perf_counter() - start


async def loading(path: Path, *, vault: Vault, key: VaultKey) -> dict[str, float]:
    bare: list[float] = []
    sealed: list[float] = []
    decoded: list[float] = []

    async def floor() -> None:
        load_bare(path, key)

    for _ in range(ROUNDS):
        bare.append(await seconds_of(floor))
        sealed.append(await seconds_of(lambda: load_sealed(vault.store, key)))
        decoded.append(await seconds_of(lambda: vault.all_children(RECORDS, [TURN_ID])))
    return {
        "load_bare_ms": round(median(bare) * 1000, 1),
        "load_opened_ms": round(median(sealed) * 1000, 1),
        "load_opened_ratio": round(median(map(float.__truediv__, sealed, bare)), 2),
        "load_decoded_ms": round(median(decoded) * 1000, 1),
        "load_decoded_ratio": round(median(map(float.__truediv__, decoded, bare)), 2),
        "goal_ratio": 2.0,
    }


def sealing(key: VaultKey, chance: random.Random) -> dict[str, float]:
    plains = [prose(chance).encode() for _ in range(2_000)]
    seal_us: list[float] = []
    unseal_us: list[float] = []
    for _ in range(ROUNDS):
        start = perf_counter()
        sealed = [seal(key, table="records", id=TURN_ID, plain=plain) for plain in plains]
        middle = perf_counter()
        for record in sealed:
            unseal(key, table="records", id=TURN_ID, sealed=record)
        seal_us.append((middle - start) / len(plains) * 1e6)
        unseal_us.append((perf_counter() - middle) / len(plains) * 1e6)
    return {
        "seal_us_per_kb": round(median(seal_us), 1),
        "unseal_us_per_kb": round(median(unseal_us), 1),
    }


async def committing(store: Store, sealed: bytes) -> dict[str, float]:
    async def commit() -> None:
        put = Put(
            table="events",
            id=new_id("record"),
            parent_id=TURN_ID,
            position=0,
            sealed=sealed,
            expected_version=0,
        )
        await store.commit([put])

    async def one_after_the_other() -> None:
        for _ in range(COMMITS):
            await commit()

    async def at_once() -> None:
        async def some() -> None:
            for _ in range(COMMITS // TASKS):
                await commit()

        await asyncio.gather(*(some() for _ in range(TASKS)))

    cpu = process_time()
    alone_seconds = await seconds_of(one_after_the_other)
    cpu_alone, cpu = process_time() - cpu, process_time()
    together_seconds = await seconds_of(at_once)
    cpu_together = process_time() - cpu
    return {
        "commits_per_s_alone": round(COMMITS / alone_seconds),
        "commits_per_s_100_tasks": round(COMMITS / together_seconds),
        "cpu_us_per_commit_alone": round(cpu_alone / COMMITS * 1e6),
        "cpu_us_per_commit_100_tasks": round(cpu_together / COMMITS * 1e6),
    }


async def measure(folder: Path) -> dict[str, str | float]:
    chance = random.Random(20_261_118)
    key, path = new_vault_key(), folder / "bench.sqlite3"
    vault = Vault(store_from(str(path)), key=key)
    await vault.open()
    await vault.commit(puts(vault, chance))
    loaded = await loading(path, vault=vault, key=key)
    sealed = seal(key, table="events", id=TURN_ID, plain=prose(chance).encode())
    committed = await committing(vault.store, sealed)
    await vault.close()
    return {"bench": "storage", "messages": MESSAGES, **loaded, **sealing(key, chance), **committed}


def main() -> None:
    with TemporaryDirectory(prefix="windowpane-bench-") as folder:
        result = asyncio.run(measure(Path(folder)))
    print(msgspec.json.encode(result).decode())


if __name__ == "__main__":
    main()
