"""The route table and what surrounds it: what is served, and under which rules.

``create_app`` is given an open workspace; opening it, listening and printing are the command
line's work.
"""

from __future__ import annotations

from collections.abc import Callable

from litestar import Litestar, get
from litestar.config.compression import CompressionConfig
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.template.config import TemplateConfig
from litestar.types import ASGIApp
from msgspec import Struct

from windowpane import __version__
from windowpane.errors import WindowpaneError
from windowpane.settings import Settings
from windowpane.web.access import Access
from windowpane.web.api import API_HANDLERS
from windowpane.web.gate import Gate
from windowpane.web.html import environment
from windowpane.web.live import LiveChats
from windowpane.web.login import LOGIN_HANDLERS
from windowpane.web.pages import PAGE_HANDLERS
from windowpane.web.pages.home import FirstSteps
from windowpane.web.refusals import refuse_http, refuse_known, refuse_unexpected
from windowpane.web.static import STATIC_HANDLERS
from windowpane.workspace import Workspace

BODY_LIMIT_BYTES = 16_000_000


class Health(Struct, frozen=True, kw_only=True):
    status: str
    version: str


@get("/healthz")
async def healthz() -> Health:
    return Health(status="ok", version=__version__)


def access_from(settings: Settings, *, session_key: bytes) -> Access:
    names = (name.strip().lower() for name in settings.allowed_hosts.split(","))
    return Access(
        session_key=session_key,
        password=settings.password,
        host=settings.host,
        allowed_hosts=frozenset(name for name in names if name),
    )


def create_app(
    workspace: Workspace, *, access: Access, port: int, announce: Callable[[str], None]
) -> ASGIApp:
    """The whole web face. ``announce`` gets the next one-time token when one was used."""
    cookie = f"windowpane_{port}"
    live = LiveChats(workspace)
    first_steps = FirstSteps(workspace)

    async def the_workspace() -> Workspace:
        return workspace

    async def the_access() -> Access:
        return access

    async def the_cookie() -> str:
        return cookie

    async def the_live_chats() -> LiveChats:
        return live

    async def the_first_steps() -> FirstSteps:
        return first_steps

    app = Litestar(
        route_handlers=[
            healthz,
            *API_HANDLERS,
            *LOGIN_HANDLERS,
            *PAGE_HANDLERS,
            *STATIC_HANDLERS,
        ],
        dependencies={
            "workspace": Provide(the_workspace),
            "access": Provide(the_access),
            "cookie": Provide(the_cookie),
            "live": Provide(the_live_chats),
            "first_steps": Provide(the_first_steps),
        },
        exception_handlers={
            WindowpaneError: refuse_known,
            HTTPException: refuse_http,
            Exception: refuse_unexpected,
        },
        template_config=TemplateConfig(
            instance=JinjaTemplateEngine.from_environment(environment())
        ),
        compression_config=CompressionConfig(
            backend="gzip", gzip_compress_level=5, exclude=[r"/stream$", r"/events$", r"^/static/"]
        ),
        openapi_config=OpenAPIConfig(
            title="Windowpane",
            version=__version__,
            path="/api",
            render_plugins=[JsonRenderPlugin(path="/openapi.json")],
        ),
        request_max_body_size=BODY_LIMIT_BYTES,
        logging_config=None,
    )
    return Gate(app, access=access, cookie=cookie, announce=announce)
