"""Work for somebody who waits for it: when they leave, it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from litestar import Request
from litestar.exceptions import HTTPException

Result = TypeVar("Result")
# What nginx writes into its log for this; nobody is there to read it.
CLIENT_LEFT = 499


async def unless_left(request: Request[Any, Any, Any], act: Coroutine[Any, Any, Result]) -> Result:
    """The result of ``act``, which is cancelled if the client goes away before there is one."""
    work = asyncio.create_task(act)
    leaving = asyncio.create_task(_left(request))
    try:
        await asyncio.wait({work, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise HTTPException(status_code=CLIENT_LEFT, detail="The client left.")
        return work.result()
    finally:
        work.cancel()
        leaving.cancel()


async def _left(request: Request[Any, Any, Any]) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
