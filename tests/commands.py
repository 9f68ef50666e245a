"""The real program as tests run it: a process of its own, in an environment of its own."""

from __future__ import annotations

import asyncio
import fcntl
import os
import select
import subprocess
import sys
import termios
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from tests.workspaces import script
from windowpane.agent.chat_page import ChatPage
from windowpane.cli.opening import opened_workspace
from windowpane.providers.scripted import Reply
from windowpane.settings import Settings
from windowpane.tools.scripted import ToolScript
from windowpane.turns import TurnContent

PROGRAM = (sys.executable, "-m", "windowpane")
PATIENCE_SECONDS = 60


def environment(data: Path, more: Mapping[str, str]) -> dict[str, str]:
    """Nothing of the person who runs the tests, except where programs are found."""
    return {
        **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
        "HOME": str(data.parent),
        "LANG": "C.UTF-8",
        "WINDOWPANE_DATA": str(data),
        **more,
    }


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line on standard error that a refused command leaves."""
        assert self.err.count("\n") == 1, self.err
        assert self.err.startswith("windowpane: "), self.err
        return self.err.removeprefix("windowpane: ").rstrip("\n")


def run(
    *words: str | Path,
    data: Path,
    stdin: str | bytes = "",
    more: Mapping[str, str] = {},
    as_user: Sequence[str] = (),
) -> Outcome:
    done = subprocess.run(
        [*as_user, *PROGRAM, *words],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env=environment(data, more),
        cwd=data.parent,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Outcome(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())


@contextmanager
def started(
    *words: str | Path, data: Path, more: Mapping[str, str] = {}
) -> Generator[subprocess.Popen[str]]:
    """A command that runs until the test ends it; at the end it is gone in any case."""
    process = subprocess.Popen(
        [*PROGRAM, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(data, more),
        cwd=data.parent,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def give_script(data: Path, *, replies: Sequence[Reply], tools: Sequence[ToolScript] = ()) -> None:
    """Make ``script/scripted`` answer with these replies, in every process that opens the vault."""

    async def store() -> None:
        async with opened_workspace(Settings(data=str(data))) as workspace:
            await script(workspace, folder=data, replies=replies, tools=tools)

    asyncio.run(store())


def turns_in(data: Path) -> list[TurnContent]:
    """Every turn of every chat, as another process finds them."""
    return [turn for page in pages_in(data) for turn in page.turns]


def pages_in(data: Path) -> list[ChatPage]:
    """Every chat, with the part that is being written if there is one."""

    async def opened() -> list[ChatPage]:
        async with opened_workspace(Settings(data=str(data))) as workspace:
            return [
                await workspace.page(chat.id, before_depth=None, limit=100)
                for project in (await workspace.projects()).values
                for chat in (await workspace.chats(project.id)).values
            ]

    return asyncio.run(opened())


class Terminal:
    """A person at a terminal: sees what is printed there, types, presses Ctrl+C and Ctrl+D."""

    def __init__(self, *words: str, data: Path, more: Mapping[str, str]) -> None:
        self._ours, theirs = os.openpty()
        self._process = subprocess.Popen(
            [*PROGRAM, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment(data, {"TERM": "dumb", **more}),
            cwd=data.parent,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self.seen = ""
        self._read_to = 0

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def until(self, text: str) -> str:
        """Wait until something is printed, and give what was printed up to it."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        start = self._read_to
        while text not in self.seen[start:]:
            assert time.monotonic() < deadline, f"{text!r} did not come: {self.seen!r}"
            if not self._read_more():
                raise AssertionError(f"{text!r} did not come before the end: {self.seen!r}")
        # What stands behind it may have come in the same breath: the next wait begins there.
        self._read_to = self.seen.index(text, start) + len(text)
        return self.seen[start : self._read_to]

    def end(self) -> int:
        while self._read_more():
            pass
        return self._process.wait(timeout=PATIENCE_SECONDS)

    def _read_more(self) -> bool:
        if not select.select([self._ours], [], [], PATIENCE_SECONDS)[0]:
            return False
        try:
            more = os.read(self._ours, 4096)
        except OSError:  # what Linux says when the other side is closed
            return False
        self.seen += more.decode(errors="replace")
        return bool(more)
