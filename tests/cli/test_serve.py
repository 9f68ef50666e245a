"""``windowpane serve``: where it listens, what it prints, how it ends."""

import json
import signal
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener, urlopen

import pytest

from tests.commands import PATIENCE_SECONDS, give_script, run, started, turns_in
from tests.workspaces import MODEL, does
from windowpane.providers.scripted import Hang, Say


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


class Serving:
    """A server that runs, with what it printed and a browser that was let in."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        self.lines = process.stdout
        self.entrance = self.lines.readline().removeprefix("Windowpane is at ").strip()
        self.whereabouts = self.lines.readline()
        self.address = self.entrance.partition("/?token=")[0]
        self._browser: OpenerDirector | None = None

    def let_in(self) -> OpenerDirector:
        if self._browser is None:
            self._browser = build_opener(HTTPCookieProcessor())
            assert self._browser.open(self.entrance).status == 200
        return self._browser

    def post(self, path: str, body: object) -> dict[str, str]:
        headers = {"content-type": "application/json"}
        request = Request(self.address + path, json.dumps(body).encode(), headers)
        with self.let_in().open(request) as response:
            return json.loads(response.read() or b"{}")

    def end(self, number: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(number)
        code = self.process.wait(timeout=PATIENCE_SECONDS)
        assert self.process.stderr is not None
        return code, self.process.stderr.read()


@contextmanager
def serving(*words: str, data: Path, **more: str) -> Generator[Serving]:
    with started("serve", "--port", "0", *words, data=data, more=more) as process:
        yield Serving(process)


def test_the_printed_address_lets_one_browser_in_and_says_where_the_data_lies(data: Path) -> None:
    with serving(data=data) as server:
        assert server.entrance.startswith("http://127.0.0.1:")
        assert server.whereabouts == f"Its data is in {data}\n"
        with pytest.raises(HTTPError, match="401"):
            urlopen(f"{server.address}/api/projects")
        assert server.let_in().open(f"{server.address}/api/projects").status == 200
        with pytest.raises(HTTPError, match="401"):
            urlopen(server.entrance)
        assert server.end(signal.SIGINT) == (0, "")


def test_the_next_browser_gets_the_next_address(data: Path) -> None:
    with serving(data=data) as server:
        server.let_in()
        line = server.lines.readline()
        assert line.startswith(f"For another browser: {server.address}/?token=")
        entrance = line.removeprefix("For another browser: ").strip()
        assert build_opener(HTTPCookieProcessor()).open(entrance).status == 200


def test_browsers_are_let_in_also_when_nobody_reads_what_is_printed(data: Path) -> None:
    with serving(data=data) as server:
        server.lines.close()
        assert server.let_in().open(f"{server.address}/healthz").status == 200
        server.process.terminate()
        assert server.process.wait(timeout=PATIENCE_SECONDS) in (0, 141)
        assert server.process.stderr is not None
        assert server.process.stderr.read() == ""


def test_without_a_command_it_serves(data: Path) -> None:
    with started("--port", "0", "--no-open", data=data) as process:
        server = Serving(process)
        with urlopen(f"{server.address}/healthz") as response:
            assert response.status == 200


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ending_the_server_keeps_what_was_being_written(number: signal.Signals, data: Path) -> None:
    give_script(data, replies=[does(Say(chunks=("So far",)), Hang())])
    with serving(data=data) as server:
        project = server.post("/api/projects", {"name": "Ledger"})
        chat = server.post(f"/api/projects/{project['id']}/chats", {})
        # A page that is open must not keep the server from ending.
        events = server.let_in().open(f"{server.address}/api/chats/{chat['id']}/events")
        server.post(f"/api/chats/{chat['id']}/send", {"text": "go", "model": MODEL})
        while "So far" not in events.readline().decode():
            pass
        assert server.end(number) == (0, "")
        events.close()
    [turn] = turns_in(data)
    assert (turn.turn.state, turn.messages[-1].text) == ("interrupted", "So far")


def test_a_port_in_use_is_told_before_anything_is_made(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = run("serve", "--port", str(port), data=data)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.complaint.startswith(f"Port {port} on 127.0.0.1 is in use")
    assert not data.exists()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.invalid"])
def test_beyond_this_machine_a_password_is_needed(host: str, data: Path) -> None:
    outcome = run("serve", "--port", "0", "--host", host, data=data)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.complaint.startswith(f"Listening on {host} lets other machines in")
    assert not data.exists()


@pytest.mark.parametrize(
    ("host", "sentence"),
    [
        ("192.0.2.1", "192.0.2.1 is not an address of this machine."),
        ("example.invalid", "There is no host called example.invalid."),
    ],
)
def test_a_host_that_is_not_here_is_told(host: str, sentence: str, data: Path) -> None:
    more = {"WINDOWPANE_PASSWORD": "open sesame"}
    outcome = run("serve", "--port", "0", "--host", host, data=data, more=more)
    assert outcome.code == 1
    assert outcome.complaint.startswith(sentence)


def test_other_names_of_this_machine_need_no_password(data: Path) -> None:
    with serving("--host", "localhost", data=data) as server:
        assert server.let_in().open(f"{server.address}/healthz").status == 200


def test_a_vault_that_does_not_open_is_told_and_the_server_ends(data: Path) -> None:
    give_script(data, replies=[])
    (data / "vault.key").chmod(0o644)
    outcome = run("serve", "--port", "0", data=data)
    assert (outcome.code, outcome.out) == (1, "")
    assert "chmod 600" in outcome.complaint


def browser_that_notes(folder: Path) -> tuple[str, Path]:
    """A browser that only writes down which address it was given."""
    noted, program = folder / "noted", folder / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" > {noted}.part && mv {noted}.part {noted}\n')
    program.chmod(0o755)
    return str(program), noted


def test_the_browser_is_opened_at_the_address(data: Path, tmp_path: Path) -> None:
    browser, noted = browser_that_notes(tmp_path)
    with serving(data=data, BROWSER=browser) as server:
        while server.process.poll() is None and not noted.exists():
            pass
        assert noted.read_text().strip() == server.entrance


def test_the_browser_is_left_alone_when_asked(data: Path, tmp_path: Path) -> None:
    browser, noted = browser_that_notes(tmp_path)
    with serving("--no-open", data=data, BROWSER=browser) as server:
        server.let_in()
        assert server.end(signal.SIGTERM)[0] == 0
    assert not noted.exists()
