"""PostgreSQL that is not there, goes away, comes back, or is not as it should be."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from traceback import format_exception
from urllib.parse import quote
from uuid import uuid4

import psycopg
import pytest
import uvloop
from psycopg.sql import SQL, Identifier

from tests import machine
from tests.postgres import PostgresServer, free_port, private_postgres
from tests.storage.conftest import OpenStore
from tests.storage.hearing import listening
from tests.storage.proxy import hanging_up_at_commit
from tests.storage.rows import below, ids_below, put
from windowpane.errors import BadSetting, StorageError, StoreUnreachable
from windowpane.storage import postgres_link
from windowpane.storage.base import Notice, Store
from windowpane.storage.choose import store_from

pytestmark = pytest.mark.postgres
PASSWORD = "s3cr3t-pässword"
PATIENCE_SECONDS = 60

Restart = Callable[[], Awaitable[None]]


@pytest.fixture(scope="module")
def lasting_thread() -> Iterator[Executor]:
    """A server that root starts ends with the thread that started it: this one outlives a test."""
    with ThreadPoolExecutor(max_workers=1) as executor:
        yield executor


@pytest.fixture(scope="module")
def own_server(lasting_thread: Executor) -> Iterator[PostgresServer]:
    """A server that the tests may stop and start."""
    binaries = machine.postgres_binaries()
    if binaries is None:
        machine.give_up(machine.POSTGRES_MISSING)
    with private_postgres(binaries) as server:
        yield server


@pytest.fixture
def restart(own_server: PostgresServer, lasting_thread: Executor) -> Restart:
    def stop_and_start() -> None:
        own_server.stop()
        own_server.start()

    async def restart_beside_the_loop() -> None:
        await asyncio.get_running_loop().run_in_executor(lasting_thread, stop_and_start)

    return restart_beside_the_loop


@pytest.fixture
def own_database(own_server: PostgresServer) -> str:
    name = f"test_{uuid4().hex}"
    own_server.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    return own_server.url(name)


def with_password(url: str) -> str:
    return url.replace("postgres@", f"postgres:{quote(PASSWORD)}@")


async def test_a_server_that_is_not_there_is_named(open_store: OpenStore) -> None:
    port = free_port()
    url = f"postgresql://me:{quote(PASSWORD)}@127.0.0.1:{port}/chats"
    with pytest.raises(StoreUnreachable) as caught:
        await open_store(url)
    said = str(caught.value)
    assert said.startswith(f"PostgreSQL at postgresql://me@127.0.0.1:{port}/chats cannot be used")
    assert "Connection refused" in said and "Check that it runs" in said
    assert PASSWORD not in "".join(format_exception(caught.value))


async def test_a_database_that_does_not_exist_is_named(
    postgres_server: PostgresServer, open_store: OpenStore
) -> None:
    with pytest.raises(StoreUnreachable, match='database "nowhere" does not exist'):
        await open_store(postgres_server.url("nowhere"))


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:{PASSWORD}%zz@localhost/chats",
        f"postgresql://me:{PASSWORD}@localhost/chats?no_such_option=1",
        f"postgresql://me:{PASSWORD}@[localhost/chats",
    ],
)
def test_a_malformed_url_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(BadSetting, match="The setting database is not a PostgreSQL URL") as caught:
        store_from(url)
    assert PASSWORD not in str(caught.value)
    assert caught.value.__suppress_context__


async def test_the_password_is_in_no_error_and_no_log(
    own_server: PostgresServer,
    own_database: str,
    open_store: OpenStore,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(postgres_link, "PATIENCE_SECONDS", 1)
    store = await open_store(with_password(own_database))
    await store.join("prc_1")
    own_server.stop()
    try:
        with pytest.raises(StoreUnreachable, match="has not answered for 1 seconds") as caught:
            await store.commit([put("row")])
    finally:
        own_server.start()
    assert PASSWORD not in str(caught.value)
    assert PASSWORD not in caplog.text
    assert PASSWORD not in repr(vars(store))


async def test_the_search_path_of_the_url_chooses_the_schema(
    postgres_database: str, open_store: OpenStore
) -> None:
    with psycopg.connect(postgres_database) as connection:
        connection.execute("CREATE SCHEMA mine")
        connection.execute("CREATE TABLE records (of_another_program text)")
    chosen = f"{postgres_database}?options={quote('-c search_path=mine')}"
    store = await open_store(chosen)
    await store.commit([put("row")])
    assert await store.size_bytes() > 0
    with psycopg.connect(postgres_database) as connection:
        assert connection.execute("SELECT id FROM mine.records").fetchall() == [("row",)]


async def test_tables_of_another_program_are_left_alone(
    postgres_database: str, open_store: OpenStore
) -> None:
    with psycopg.connect(postgres_database) as connection:
        connection.execute("CREATE TABLE records (of_another_program text)")
    with pytest.raises(StorageError, match='relation "records" already exists'):
        await open_store(postgres_database)
    with psycopg.connect(postgres_database) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        assert found.fetchall() == [("records",)]


async def test_a_schema_that_does_not_exist_is_named(
    postgres_database: str, open_store: OpenStore
) -> None:
    with pytest.raises(
        StoreUnreachable, match="None of the schemas in the connection's search_path"
    ):
        await open_store(f"{postgres_database}?options={quote('-c search_path=nowhere')}")


async def test_an_account_that_may_not_write_is_named(
    postgres_database: str, open_store: OpenStore
) -> None:
    await open_store(postgres_database)
    read_only = f"{postgres_database}?options={quote('-c default_transaction_read_only=on')}"
    store = await open_store(read_only)
    with pytest.raises(StorageError, match="does not let Windowpane write: cannot execute INSERT"):
        await store.commit([put("row")])
    assert await ids_below(store, "parent") == []


async def test_text_that_postgres_cannot_hold_is_refused_and_the_store_goes_on(
    postgres_database: str, open_store: OpenStore
) -> None:
    store = await open_store(postgres_database)
    with pytest.raises(StorageError, match="refused: PostgreSQL text fields cannot contain NUL"):
        await store.commit([put("before"), put("a\0b")])
    await store.commit([put("after")])
    assert await ids_below(store, "parent") == ["after"]


async def test_idle_connections_outlive_a_restart_unnoticed(
    own_database: str, restart: Restart, open_store: OpenStore
) -> None:
    store = await open_store(own_database)
    await asyncio.gather(*(store.commit([put(f"before {n}")]) for n in range(20)))
    await restart()
    await store.commit([put("after")])
    assert len(await below(store, "parent")) == 21


async def test_who_has_to_say_anew_that_he_lives_is_not_taken_for_dead(
    own_database: str, restart: Restart, open_store: OpenStore
) -> None:
    mine, other = [await open_store(own_database) for _ in range(2)]
    await mine.join("prc_mine")
    await restart()
    assert await other.is_alive("prc_mine")
    await mine.close()
    assert not await other.is_alive("prc_mine")


async def test_who_listened_before_a_restart_is_told_that_something_may_be_missing(
    own_database: str, restart: Restart, open_store: OpenStore
) -> None:
    listener, writer = [await open_store(own_database) for _ in range(2)]
    ear = await listening(listener)
    await restart()
    await ear.until(lambda: ear.heard == [None])
    await writer.commit([put("cht_1", parent_id="", table="runs")])
    await ear.until(lambda: len(ear.heard) == 2)
    assert ear.heard[1] == Notice(table="runs", id="cht_1", parent_id="")


async def test_a_restart_under_load_loses_and_doubles_nothing(
    own_database: str, restart: Restart, open_store: OpenStore
) -> None:
    stores = [await open_store(own_database) for _ in range(2)]

    async def disturb() -> None:
        for _ in range(3):
            await asyncio.sleep(0.3)
            await restart()

    stored, failed, unknown = await write_during(stores, disturb)

    assert failed == unknown == set()
    await expect_exactly(stores, stored)


async def test_connections_that_are_cut_at_any_moment_lose_and_double_nothing(
    own_server: PostgresServer, own_database: str, open_store: OpenStore
) -> None:
    stores = [await open_store(own_database) for _ in range(2)]
    cut = SQL(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'windowpane'"
    ).format()

    async def disturb() -> None:
        for _ in range(40):
            await asyncio.to_thread(own_server.execute, cut)

    stored, failed, unknown = await write_during(stores, disturb)

    assert unknown == set()
    assert not failed & {row.id for row in await below(stores[0], "parent")}
    await expect_exactly(stores, stored)


async def test_a_commit_whose_answer_got_lost_is_not_made_twice(
    postgres_database: str, open_store: OpenStore
) -> None:
    direct = await open_store(postgres_database)
    async with hanging_up_at_commit(postgres_database) as (url, relay):
        store = store_from(url)
        await store.open()
        await store.commit([put("row", expected_version=0), put("row", expected_version=1)])
        assert relay.times == 1
        await store.close()
    [row] = await direct.get("records", ["row"])
    assert row.version == 2


async def write_during(
    stores: list[Store], disturb: Callable[[], Awaitable[None]]
) -> tuple[set[str], set[str], set[str]]:
    """Many tasks write pairs until the disturbance is over: what was stored, what failed."""
    stored: set[str] = set()
    failed: set[str] = set()
    unknown: set[str] = set()
    disturbing = asyncio.ensure_future(disturb())

    async def write(store: Store, name: int) -> None:
        n = 0
        while not disturbing.done():
            pair = [put(f"{name}-{n}-{side}", expected_version=0) for side in ("left", "right")]
            try:
                await store.commit(pair)
                stored.update(row.id for row in pair)
            except StorageError as error:
                outcome = unknown if "cannot say whether it did" in str(error) else failed
                outcome.update(row.id for row in pair)
            await store.count("records", "parent")
            n += 1

    await asyncio.gather(*(write(stores[name % 2], name) for name in range(10)))
    await disturbing
    return stored, failed, unknown


async def expect_exactly(stores: list[Store], ids: set[str]) -> None:
    assert len(ids) > 20
    for store in stores:
        rows = await below(store, "parent")
        assert {row.id for row in rows} == ids
        assert {row.version for row in rows} == {1}


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_either_event_loop_will_do(
    request: pytest.FixtureRequest,
    new_loop: Callable[[], asyncio.AbstractEventLoop],
    engine: str,
    data_dir: os.PathLike[str],
) -> None:
    database = f"{data_dir}/windowpane.sqlite3"
    if engine == "postgres":
        database = request.getfixturevalue("postgres_database")

    async def use() -> list[str]:
        store = store_from(database)
        await store.open()
        await store.join("prc_1")
        await asyncio.gather(*(store.commit([put(f"{n}")]) for n in range(20)))
        assert await store.is_alive("prc_1")
        ids = await ids_below(store, "parent")
        await store.close()
        return ids

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert len(runner.run(use())) == 20
