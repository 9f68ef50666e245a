"""A private PostgreSQL server for tests: its own folder, its own port, gone afterwards.

Listens on loopback over TCP only: a socket file would tie the temporary folder's name to the
107 bytes that a socket's path may have. Knows nothing about the product's tables.
"""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGINT

import psycopg
from psycopg.sql import Composed

# Tests want speed; what a crash of the machine would lose is thrown away anyway.
UNSAFE_BUT_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
PATIENCE_SECONDS = 30


@contextmanager
def private_postgres(binaries: Path) -> Generator["PostgresServer", None, None]:
    with tempfile.TemporaryDirectory(prefix="windowpane-postgres-") as folder:
        server = PostgresServer(binaries, folder=Path(folder), port=free_port())
        server.initialise()
        try:
            server.start()
            yield server
        finally:
            server.stop()


class PostgresServer:
    """One server; `stop` and `start` again is a restart on the same port with the same data."""

    def __init__(self, binaries: Path, *, folder: Path, port: int) -> None:
        self._binaries = binaries
        self.folder = folder
        self._port = port
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self._port}/{database}"

    def initialise(self) -> None:
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        options = ("--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C")
        command = self._command("initdb", *options, "--no-sync")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def start(self) -> None:
        settings = ("listen_addresses=127.0.0.1", "unix_socket_directories=", *UNSAFE_BUT_FAST)
        options = [f"--{setting}" for setting in settings]
        with open(self.folder / "log", "ab") as log:
            command = self._command("postgres", "-p", str(self._port), *options)
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        self._wait_until_ready(self._process)

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(SIGINT)  # "fast": ends open sessions, loses nothing
            self._process.wait(timeout=PATIENCE_SECONDS)
            self._process = None

    def execute(self, statement: Composed) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            with suppress(psycopg.OperationalError):
                psycopg.connect(self.url("postgres"), connect_timeout=2).close()
                return
            time.sleep(0.05)
        raise RuntimeError(f"PostgreSQL did not start:\n{(self.folder / 'log').read_text()}")

    def _command(self, program: str, *arguments: str) -> list[str]:
        """PostgreSQL refuses to run as root, so root becomes the user that Debian made for it."""
        command = [str(self._binaries / program), "-D", str(self.folder / "data"), *arguments]
        if os.geteuid() != 0:
            return command
        user = pwd.getpwnam("postgres")
        identity = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        return ["setpriv", "--pdeathsig=INT", *identity, *command]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
