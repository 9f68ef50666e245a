"""The files of the page: addressed by what is in them, and nothing else is served."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http import Client
from tests.server import Server, in_workspace
from windowpane.web.static import assets, icon, module_urls, static_url
from windowpane.workspace import Workspace


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("static") / "data"

    async def nothing(workspace: Workspace) -> None: ...

    in_workspace(data, nothing)
    server = Server(data)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def stranger(server: Server) -> Client:
    """The files hold nothing of anybody: the login page needs them too."""
    return Client(server.address)


def test_a_file_may_be_kept_for_ever(stranger: Client) -> None:
    answer = stranger.get(f"/{static_url('app.css')}")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]
    assert b"@layer" in answer.body


def test_a_file_comes_small_to_who_can_unpack_it(stranger: Client) -> None:
    path = f"/{static_url('js/app.js')}"
    small = stranger.get(path, {"accept-encoding": "gzip, br"})
    assert small.headers["content-encoding"] == "gzip"
    assert gzip.decompress(small.body) == stranger.get(path).body


@pytest.mark.parametrize(
    "path",
    [
        "/static/0000000000000000/app.css",
        "/static/{version}/lib/temml.min.js",
        "/static/{version}/../static.py",
        "/static/{version}/js/../../static.py",
        "/static/{version}/",
    ],
)
def test_nothing_else_is_served(path: str, stranger: Client) -> None:
    assert stranger.get(path.format(version=assets().version)).status == 404


def test_an_address_leads_on_below_a_base_path() -> None:
    assert not static_url("app.css").startswith("/")
    assert all(not url.startswith("/") for url in module_urls("js/app.js"))


def test_modules_import_each_other_by_relative_paths_that_exist() -> None:
    for name, asset in assets().files.items():
        for found in re.findall(r'from "([^"]+)"', asset.body.decode()):
            assert found.startswith("."), f"{name} imports {found}"
            parts: list[str] = []
            for part in (Path(name).parent / found).parts:
                if part == "..":
                    parts.pop()
                elif part != ".":
                    parts.append(part)
            assert "/".join(parts) in assets().files, f"{name} imports {found}"


def test_a_page_names_the_modules_that_it_needs_and_no_others() -> None:
    chat = {url.partition("/js/")[2] for url in module_urls("js/app.js")}
    assert {"app.js", "page.js", "elements/chat-log.js", "logic/words.js"} <= chat
    assert "providers.js" not in chat


def test_icons_take_the_colour_of_their_text() -> None:
    assert 'stroke="currentColor"' in icon("mark")
