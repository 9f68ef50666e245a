"""The built wheel, installed with the lock into an empty environment, is the whole product."""

import os
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

import windowpane
from tests.postgres import free_port

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).with_name("uv")
PATIENCE_SECONDS = 60

pytestmark = pytest.mark.slow


def uv(*arguments: str | Path) -> None:
    subprocess.run([UV, "--quiet", *arguments], cwd=ROOT, check=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--wheel", "--build-constraint", "requirements-dev.lock", "--out-dir", folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    environment = tmp_path_factory.mktemp("installed") / "environment"
    uv("venv", "--python", sys.executable, environment)
    install = ("pip", "install", "--python", environment, "--no-deps")
    uv(*install, "--require-hashes", "--requirement", "requirements.lock")
    uv(*install, wheel)
    return environment / "bin" / "windowpane"


@pytest.fixture
def address(program: Path, data_dir: Path) -> Iterator[str]:
    port = free_port()
    # Nothing of whoever runs this: a variable that is no setting would be refused. The default
    # browser of this environment is a command that does nothing.
    environment = {
        "PATH": os.environ["PATH"],
        "BROWSER": "true",
        "WINDOWPANE_DATA": str(data_dir),
    }
    command = [program, "serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=data_dir, env=environment) as server:
        wait_until_listening(server, port)
        yield f"http://127.0.0.1:{port}"
        server.terminate()


def wait_until_listening(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    server.kill()
    pytest.fail("The installed server did not start: its own words are above.")


def test_the_wheel_brings_the_files_from_npm(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        library = {Path(name).name for name in archive.namelist() if "/web/static/lib/" in name}
    assert library == {"temml.min.js", "temml.LICENSE"}


def test_the_installed_program_tells_its_version(program: Path) -> None:
    told = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    assert windowpane.__version__ in told.stdout


def test_the_installed_server_answers(address: str) -> None:
    with urlopen(f"{address}/healthz") as response:
        assert response.status == 200
