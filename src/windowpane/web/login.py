"""The password's page, for servers that other machines can reach."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated

from litestar import Response, get, post
from litestar.enums import RequestEncodingType
from litestar.params import Body
from litestar.response import Template
from msgspec import Struct

from windowpane.web.access import Access
from windowpane.web.gate import session_cookie

# Guessing one password at a time, each after this pause, is not worth anybody's while.
WRONG_PASSWORD_SECONDS = 1.0


class Login(Struct, frozen=True, kw_only=True):
    password: str


@get("/login")
async def login_page() -> Template:
    return Template(template_name="pages/login.html", context={"problem": ""})


@post("/login")
async def log_in(
    access: Access,
    cookie: str,
    data: Annotated[Login, Body(media_type=RequestEncodingType.URL_ENCODED)],
) -> Response[str] | Template:
    async with _GUESSING:
        if not access.is_password(data.password):
            await asyncio.sleep(WRONG_PASSWORD_SECONDS)
            problem = "That is not the password. Try again."
            return Template(
                template_name="pages/login.html", context={"problem": problem}, status_code=403
            )
    session = access.new_session(now_seconds=int(time.time()))
    headers = {"location": "/", "set-cookie": session_cookie(cookie, session)}
    return Response("", status_code=303, headers=headers)


_GUESSING = asyncio.Lock()

LOGIN_HANDLERS = [login_page, log_in]
