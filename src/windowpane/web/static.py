"""The files a page is made of: one joined stylesheet, script modules, icons.

Their address carries a hash of all of them, so a browser may keep them for ever and relative
imports between modules stay inside one version. What comes from npm is not served.
"""

from __future__ import annotations

import gzip
import re
from functools import cache
from hashlib import sha256
from os.path import normpath
from pathlib import Path
from typing import Any
from urllib.parse import quote

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from markupsafe import Markup
from msgspec import Struct

from windowpane.render import math_stylesheet

FOLDER = Path(__file__).parent / "static"
STYLESHEET = "app.css"
MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
IMPORT = re.compile(r'^import [^;]*?from "(.+)";$', re.MULTILINE)
FOR_EVER = "public, max-age=31536000, immutable"


class Asset(Struct, frozen=True, kw_only=True):
    media_type: str
    body: bytes
    gzipped: bytes


class Assets(Struct, frozen=True, kw_only=True):
    version: str
    files: dict[str, Asset]


@cache
def assets() -> Assets:
    bodies = {STYLESHEET: _joined_stylesheet()}
    for pattern in ("js/**/*.js", "icons/*.svg"):
        for path in sorted(FOLDER.glob(pattern)):
            bodies[path.relative_to(FOLDER).as_posix()] = path.read_bytes()
    digest = sha256()
    for name, body in bodies.items():
        digest.update(f"{name}\0{len(body)}\0".encode() + body)
    return Assets(
        version=digest.hexdigest()[:16],
        files={name: _asset(name, body) for name, body in bodies.items()},
    )


def static_url(name: str) -> str:
    """Relative to the root of the site: a page that lies deeper puts its way up before it."""
    assert name in assets().files, f"there is no static file {name}"
    return f"static/{assets().version}/{name}"


def module_urls(entry: str) -> list[str]:
    """A page's script and all that it imports, to be named at once instead of one after another."""
    return [static_url(name) for name in _modules(entry)]


@cache
def _modules(entry: str) -> list[str]:
    found, waiting = {entry}, [entry]
    while waiting:
        name = waiting.pop()
        source = assets().files[name].body.decode()
        imported = {_beside(name, path) for path in IMPORT.findall(source)} - found
        found |= imported
        waiting += imported
    return sorted(found)


def _beside(name: str, path: str) -> str:
    return normpath((Path(name).parent / path).as_posix())


@cache
def icon(name: str) -> Markup:
    """An icon's own markup: drawn inline, it takes the colour of the text around it."""
    return Markup((FOLDER / "icons" / f"{name}.svg").read_text().strip())


def favicon_url() -> str:
    """The page's icon in its own address: one request less on the way to the first word."""
    return f"data:image/svg+xml,{quote(assets().files['icons/favicon.svg'].body)}"


@get("/static/{version:str}/{name:path}", include_in_schema=False)
async def static_file(request: Request[Any, Any, Any], version: str, name: str) -> Response[bytes]:
    asset = assets().files.get(name.removeprefix("/"))
    if asset is None or version != assets().version:
        raise NotFoundException("There is no such file in this version. Reload the page.")
    return _response(asset, accepts=request.headers.get("accept-encoding", ""))


@get("/favicon.ico", include_in_schema=False)
async def favicon(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Asked for by browsers on pages that name no icon, such as a plain error."""
    asset = assets().files["icons/favicon.svg"]
    return _response(asset, accepts=request.headers.get("accept-encoding", ""))


def _response(asset: Asset, *, accepts: str) -> Response[bytes]:
    is_gzipped = "gzip" in accepts
    headers = {"cache-control": FOR_EVER, "vary": "accept-encoding"}
    if is_gzipped:
        headers["content-encoding"] = "gzip"
    body = asset.gzipped if is_gzipped else asset.body
    return Response(body, media_type=asset.media_type, headers=headers)


def _joined_stylesheet() -> bytes:
    files = [path.read_text() for path in sorted(FOLDER.glob("css/*.css"))]
    return "\n".join([*files, "@layer parts {", math_stylesheet(), "}"]).encode()


def _asset(name: str, body: bytes) -> Asset:
    # Without a time in it, the same file compresses to the same bytes.
    gzipped = gzip.compress(body, mtime=0)
    return Asset(media_type=MEDIA_TYPES[Path(name).suffix], body=body, gzipped=gzipped)


STATIC_HANDLERS = [static_file, favicon]
