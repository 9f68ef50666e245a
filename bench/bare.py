"""A bare litestar app with one page: what any server of this make needs to start."""

from __future__ import annotations

import sys

import uvicorn
from litestar import Litestar, get


@get("/")
async def page() -> str:
    return "ready"


if __name__ == "__main__":
    app = Litestar(route_handlers=[page], openapi_config=None, logging_config=None)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
