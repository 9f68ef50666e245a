"""The fixtures that every part's tests share: a data folder, a database, a browser.

Whatever the machine lacks is named once at the top of the run and where it is missed.
"""

import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import FrameType
from uuid import uuid4

import pytest
from hypothesis import settings
from psycopg.sql import SQL, Identifier

from tests import machine
from tests.databases import POSTGRES, database_of
from tests.postgres import PostgresServer, private_postgres
from tests.workspaces import Clock, put_forward, workspace_over
from windowpane.storage.base import Store
from windowpane.storage.choose import store_from
from windowpane.workspace import Workspace

# Examples vary in cost by orders of magnitude on shared machines: never a deadline.
settings.register_profile("default", deadline=None, max_examples=50)
settings.register_profile("long", deadline=None, max_examples=10_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

MARKED_BY_FIXTURE = {"browser_name": "browser", "postgres_url": "postgres"}
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def _unmoved(number: int, frame: FrameType | None) -> None:
    pass


# A shell that runs something in the background lets it ignore interrupts, nohup lets it ignore the
# end of its terminal, and what is ignored is inherited: the programs that tests end would never
# hear of it. What is handled is not.
signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, _unmoved)


def pytest_report_header() -> list[str]:
    return machine.missing_parts()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture, marker in MARKED_BY_FIXTURE.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(marker)
    # Playwright keeps an event loop running in this thread once it has started, and no other
    # loop can run beside it: the browser comes last.
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(scope="session", autouse=True)
def no_data_of_the_person_running_this(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WINDOWPANE_DATA", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that the product takes for its data folder."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("WINDOWPANE_DATA", str(folder))
    return folder


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time as workspaces see it that are opened after this; a test can put it forward."""
    return put_forward(monkeypatch)


@pytest.fixture
def store(data_dir: Path) -> Store:
    return store_from(str(data_dir / "windowpane.sqlite3"))


@pytest.fixture
async def workspace(store: Store, clock: Clock, data_dir: Path) -> AsyncIterator[Workspace]:
    """An open workspace that has no answers yet; its time is the clock's."""
    async with workspace_over(store, folder=data_dir, replies=()) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    binaries = machine.postgres_binaries()
    if binaries is None:
        machine.give_up(machine.POSTGRES_MISSING)
    with private_postgres(binaries) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_url(postgres_server: PostgresServer) -> str:
    """The URL of the server's own database, for what needs no tables of its own."""
    return postgres_server.url("postgres")


@pytest.fixture
def postgres_database(postgres_server: PostgresServer, postgres_url: str) -> Iterator[str]:
    """The URL of a new, empty database that only this test sees."""
    name = f"test_{uuid4().hex}"
    postgres_server.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    yield postgres_server.url(name)
    postgres_server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture(params=["sqlite", POSTGRES])
def shared_database(request: pytest.FixtureRequest, data_dir: Path) -> str:
    """What the ``database`` setting says, for each engine that more than one process can use."""
    return database_of(request, data_dir)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    executable = machine.chromium()
    if executable is None:
        machine.give_up(machine.CHROMIUM_MISSING)
    return {"executable_path": executable, "args": CHROMIUM_ARGUMENTS}


@pytest.fixture(scope="session")
def base_url() -> None:
    """No server runs until a test starts one; that test gives its own address."""
