"""The real server as a process of its own, and a line to it that can be cut.

For tests that speak HTTP to it or drive a browser: it can be killed and started again on the same
port with the same data, as a machine does it to a user.
"""

from __future__ import annotations

import asyncio
import select
import socket
import subprocess
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from tests.commands import PROGRAM, environment
from tests.postgres import free_port
from tests.workspaces import MODEL, script
from windowpane.cli.opening import opened_workspace, unlocked_key
from windowpane.projects import Chat
from windowpane.providers.scripted import Reply
from windowpane.settings import Settings
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.tools.scripted import ToolScript
from windowpane.workspace import Workspace

ANNOUNCEMENT = "Windowpane is at "
Result = TypeVar("Result")


class Server:
    """``entrance`` lets one browser in; afterwards its cookie opens ``address``.

    Servers that share a folder have different names.
    """

    def __init__(self, data: Path, more: Mapping[str, str] = {}, *, name: str = "server") -> None:
        self._data = data
        self._more = more
        self._name = name
        self._port = free_port()
        self._process: subprocess.Popen[str] | None = None
        self.address = f"http://127.0.0.1:{self._port}"
        self.entrance = ""

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server runs"
        return self._process.pid

    def start(self) -> None:
        self.launch()
        self.wait_until_ready()

    def launch(self) -> None:
        """Begin to start, and wait for nothing."""
        with self._log().open("a") as log:
            self._process = subprocess.Popen(
                [*PROGRAM, "serve", "--no-open", "--port", str(self._port)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment(self._data, self._more),
                cwd=self._data.parent,
            )

    def wait_until_ready(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith(ANNOUNCEMENT), self._log().read_text() or line
        self.entrance = line.removeprefix(ANNOUNCEMENT).strip()

    def kill(self) -> None:
        """As a power cut does it: nothing is told, nothing is saved."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def complaints(self) -> str:
        """What it wrote to standard error since it was first started."""
        return self._log().read_text()

    def _log(self) -> Path:
        return self._data.parent / f"{self._name}.log"


class Line:
    """A connection to a server that passes everything on until it is cut."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def entrance(self) -> str:
        return self._server.entrance.replace(self._server.address, self.address)

    def cut(self) -> None:
        """Break every connection there is; new ones get through."""
        ends, self._ends = self._ends, []
        for end in ends:
            _shut(end)

    def close(self) -> None:
        _shut(self._listener)
        self.cut()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with self._listener, suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                thread = threading.Thread(target=self._pass_on, args=(near,))
                self._threads.append(thread)
                thread.start()

    def _pass_on(self, near: socket.socket) -> None:
        port = int(self._server.address.rpartition(":")[2])
        with near, suppress(OSError), socket.create_connection(("127.0.0.1", port)) as far:
            self._ends += [near, far]
            while ready := select.select([near, far], [], [])[0]:
                for source in ready:
                    data = source.recv(65536)
                    if not data:
                        return
                    (far if source is near else near).sendall(data)


def _shut(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


def in_workspace(
    data: Path, act: Callable[[Workspace], Awaitable[Result]], *, database: str = ""
) -> Result:
    """Do something in a workspace of this process's own, beside whoever else has it open."""

    async def opened() -> Result:
        settings = Settings(data=str(data), database=database)
        async with opened_workspace(settings) as workspace:
            return await act(workspace)

    return _aside(opened)


def in_vault(
    data: Path, act: Callable[[Vault], Awaitable[Result]], *, database: str = ""
) -> Result:
    """Read and write below the workspace, in a vault that it has made."""
    settings = Settings(data=str(data), database=database)

    async def opened() -> Result:
        vault = Vault(store_from(settings.database_or_default), key=unlocked_key(settings))
        await vault.open()
        try:
            return await act(vault)
        finally:
            await vault.close()

    return _aside(opened)


def _aside(act: Callable[[], Coroutine[None, None, Result]]) -> Result:
    """In a thread of its own: Playwright keeps an event loop in the thread of the tests."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(act())).result()


async def scripted_chat(
    workspace: Workspace,
    *,
    folder: Path,
    replies: Sequence[Reply],
    tools: Sequence[ToolScript] = (),
) -> Chat:
    """A first project with an empty chat that answers from a script, as new chats then do too."""
    await script(workspace, folder=folder, replies=replies, tools=tools)
    project = await workspace.create_project(name="Home")
    chat = await workspace.create_chat(project.id)
    return await workspace.choose_model(chat.id, model=MODEL)
