"""What ``windowpane serve`` does: listen, open the vault, serve the page until told to stop.

The one place where the command line knows the web face: it starts it.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from socket import socket

import uvloop
from litestar.types import ASGIApp
from uvicorn import Config, Server

from windowpane.cli.browser import open_browser
from windowpane.cli.exits import DONE
from windowpane.cli.listening import address_of, listener_on
from windowpane.cli.opening import opened_workspace
from windowpane.errors import PasswordMissing
from windowpane.settings import Settings
from windowpane.web.access import is_loopback
from windowpane.web.app import access_from, create_app

# An open page holds its stream for as long as it is open, so only requests are waited for.
GRACE_SECONDS = 1
BACKLOG = 2048


class GracefulServer(Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Uvicorn would raise the signal again afterwards, before the vault is closed."""
        loop = asyncio.get_running_loop()
        for number in _stopping_signals():
            loop.add_signal_handler(number, self._stop)
        yield

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        # It calls the streams that it cuts now an error, and they are none.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)

    def _stop(self) -> None:
        """Asked twice, it does not wait for requests; asked once more, for nothing at all."""
        if self.should_exit:
            self.force_exit = True
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        self.should_exit = True


def serve_until_stopped(settings: Settings) -> int:
    if not is_loopback(settings.host) and not settings.password:
        raise PasswordMissing(host=settings.host)
    # Taken first: a port that is in use is told before anything is made.
    with (
        listener_on(settings.host, port=settings.port, backlog=BACKLOG) as listener,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        runner.run(_serve(settings, listener=listener))
    return DONE


async def _serve(settings: Settings, *, listener: socket) -> None:
    address = address_of(listener)
    async with opened_workspace(settings) as workspace:
        access = access_from(settings, session_key=workspace.session_key)
        app = create_app(
            workspace,
            access=access,
            port=listener.getsockname()[1],
            announce=lambda token: _tell(f"For another browser: {address}/?token={token}"),
        )
        entrance = f"{address}/?token={access.new_token()}"
        _tell(f"Windowpane is at {entrance}")
        _tell(f"Its data is in {settings.data}")
        if settings.open_browser:
            open_browser(entrance)
        await GracefulServer(_config(app)).serve(sockets=[listener])


def _stopping_signals() -> list[signal.Signals]:
    """Closing the terminal ends the server too, unless it was started with nohup."""
    is_bound = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if is_bound else [])]


def _config(app: ASGIApp) -> Config:
    return Config(
        app,
        http="httptools",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        backlog=BACKLOG,
    )


def _tell(line: str) -> None:
    with suppress(OSError):  # whoever read this has gone, and that is no reason to stop serving
        print(line, flush=True)
