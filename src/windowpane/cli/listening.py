"""The socket that the server listens on, taken before anything else happens."""

from __future__ import annotations

import errno
import socket

from windowpane.errors import PortTaken, ServerError

# Listening on all addresses of a machine is listening on this one too.
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def listener_on(host: str, *, port: int, backlog: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=backlog)
    except socket.gaierror:
        raise ServerError(f"There is no host called {host}. Choose another with --host.") from None
    except OSError as error:
        raise _explained(error, host=host, port=port) from error


def address_of(listener: socket.socket) -> str:
    """As a browser on this machine would write it."""
    host: str = listener.getsockname()[0]
    port: int = listener.getsockname()[1]
    name = WILDCARDS.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def _explained(error: OSError, *, host: str, port: int) -> ServerError:
    match error.errno:
        case errno.EADDRINUSE:
            return PortTaken(host=host, port=port)
        case errno.EACCES:
            return ServerError(
                f"This account may not listen on port {port}. Choose one above 1023 with --port."
            )
        case errno.EADDRNOTAVAIL:
            return ServerError(
                f"{host} is not an address of this machine. Choose another with --host."
            )
        case _:
            return ServerError(f"Listening on {host}, port {port}, failed: {error.strerror}.")
