"""Every operation of the API, asked with whatever its own description allows and forbids."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.http import Client
from tests.server import Server, in_workspace, scripted_chat
from tests.workspaces import says
from windowpane.projects import Chat
from windowpane.workspace import Workspace

EXAMPLES = 12
# It answers for as long as somebody listens.
ENDLESS = "/events$"


@pytest.mark.slow
def test_no_request_breaks_the_server(data_dir: Path) -> None:
    async def prepare(workspace: Workspace) -> Chat:
        return await scripted_chat(workspace, folder=data_dir, replies=[says("One.")])

    in_workspace(data_dir, prepare)
    server = Server(data_dir)
    server.start()
    try:
        client = Client.let_in(server.entrance)
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "run"),
            f"{server.address}/api/openapi.json",
            *("--header", f"cookie: {client.cookie}"),
            *("--checks", "not_a_server_error"),
            *("--phases", "examples,coverage,fuzzing"),
            *("--max-examples", str(EXAMPLES)),
            *("--exclude-path-regex", ENDLESS),
            *("--seed", "1"),
            *("--suppress-health-check", "all"),
            *("--request-timeout", "30"),
            *("--generation-database", "none"),
            "--continue-on-failure",
            "--no-color",
        ]
        run = subprocess.run(command, capture_output=True, text=True, cwd=data_dir, check=False)
        assert client.get("/healthz").status == 200
    finally:
        server.kill()
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
