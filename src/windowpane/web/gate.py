"""The gate before every request: right host, right origin, let in; and the headers of trust.

One plain ASGI layer, so that pages, API, stream and files cannot forget it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
from litestar import Request
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from litestar.types.asgi_types import HTTPResponseBodyEvent, HTTPResponseStartEvent

from windowpane.web.access import SESSION_SECONDS, Access
from windowpane.web.html import drawn

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN_PATHS = frozenset({"/healthz", "/login", "/favicon.ico"})
OPEN_PREFIX = "/static/"

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
TRUST_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    # Not "no-referrer": a form would then not say where it came from either.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
NO_STORE = (b"cache-control", b"no-store")


class Gate:
    """``announce`` is told when a token was used, so that the next address can be printed."""

    def __init__(
        self, app: ASGIApp, *, access: Access, cookie: str, announce: Callable[[str], None]
    ) -> None:
        self._app = app
        self._access = access
        self._cookie = cookie
        self._announce = announce

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if not self._access.is_host(_text(headers, b"host")):
            refusal = "This server does not answer to that host name (setting allowed_hosts)."
            await _refuse(send, 421, code="wrong_host", message=refusal)
        elif scope["method"] not in SAFE_METHODS and not _is_same_origin(headers):
            refusal = "This request came from another site and was refused."
            await _refuse(send, 403, code="wrong_origin", message=refusal)
        elif _is_open(scope["path"]) or self._has_session(headers):
            await self._app(scope, receive, _trusting(send))
        else:
            await self._let_in_or_refuse(scope, send)

    def _has_session(self, headers: dict[bytes, bytes]) -> bool:
        morsel = SimpleCookie(_text(headers, b"cookie")).get(self._cookie)
        return morsel is not None and self._access.is_session(
            morsel.value, now_seconds=int(time.time())
        )

    async def _let_in_or_refuse(self, scope: HTTPScope, send: Send) -> None:
        query = parse_qsl(scope["query_string"].decode("latin1"))
        token = next((value for key, value in query if key == "token"), "")
        if token and scope["method"] == "GET" and self._access.redeem(token):
            self._announce(self._access.new_token())
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            location = scope["path"] + (f"?{rest}" if rest else "")
            await _redirect(send, location, cookie=self.session_cookie())
        elif self._access.needs_password and _wants_page(scope):
            await _redirect(send, "/login", cookie=None)
        elif _wants_page(scope):
            page = drawn("pages/locked.html", request=_request(scope), has_token=bool(token))
            await _respond(send, 401, b"text/html; charset=utf-8", page.encode())
        else:
            refusal = "Not let in: open the address that the server printed, or log in."
            await _refuse(send, 401, code="not_let_in", message=refusal)

    def session_cookie(self) -> str:
        value = self._access.new_session(now_seconds=int(time.time()))
        return session_cookie(self._cookie, value)


def session_cookie(name: str, value: str) -> str:
    return f"{name}={value}; Path=/; Max-Age={SESSION_SECONDS}; HttpOnly; SameSite=Lax"


def _text(headers: dict[bytes, bytes], name: bytes) -> str:
    return headers.get(name, b"").decode("latin1")


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(OPEN_PREFIX)


def _is_same_origin(headers: dict[bytes, bytes]) -> bool:
    """Browsers name the origin of every unsafe request; programs that are none need no check."""
    origin = _text(headers, b"origin")
    if origin:
        return urlsplit(origin).netloc == _text(headers, b"host")
    return _text(headers, b"sec-fetch-site") in ("", "same-origin", "none")


def _request(scope: HTTPScope) -> Request[Any, Any, Any]:
    """What a template needs to know: where it is, and the theme."""
    return Request(scope)


def _wants_page(scope: HTTPScope) -> bool:
    accept = _text(dict(scope["headers"]), b"accept")
    return scope["method"] == "GET" and "text/html" in accept


def _trusting(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            names = {name.lower() for name, _ in headers}
            headers.extend(TRUST_HEADERS)
            if b"cache-control" not in names:
                headers.append(NO_STORE)
            message["headers"] = headers
        await send(message)

    return with_headers


async def _redirect(send: Send, location: str, *, cookie: str | None) -> None:
    headers = [(b"location", location.encode("latin1"))]
    if cookie is not None:
        headers.append((b"set-cookie", cookie.encode("latin1")))
    await _respond(send, 303, b"text/plain", b"", more=headers)


async def _refuse(send: Send, status: int, *, code: str, message: str) -> None:
    body = msgspec.json.encode({"code": code, "message": message})
    await _respond(send, status, b"application/json", body)


async def _respond(
    send: Send,
    status: int,
    content_type: bytes,
    body: bytes,
    *,
    more: Iterable[tuple[bytes, bytes]] = (),
) -> None:
    headers = [
        (b"content-type", content_type),
        (b"content-length", str(len(body)).encode()),
        *more,
    ]
    start: HTTPResponseStartEvent = {
        "type": "http.response.start",
        "status": status,
        "headers": headers,
    }
    rest: HTTPResponseBodyEvent = {
        "type": "http.response.body",
        "body": body,
        "more_body": False,
    }
    trusted = _trusting(send)
    await trusted(start)
    await trusted(rest)
