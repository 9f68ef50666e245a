"""The HTTP side of a provider: sends a ``WireRequest``, gives back the answer as it comes in.

Whatever goes wrong on the way leaves here as a ``Failure``. It knows no family's words, and the
session, with its connections, belongs to the caller.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from urllib.request import getproxies, proxy_bypass

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientOSError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    ConnectionTimeoutError,
    ServerDisconnectedError,
    TraceConfig,
    TraceConnectionReuseconnParams,
)
from msgspec import structs
from yarl import URL

from windowpane.errors import Failure, InvalidInput, ProviderFailed
from windowpane.providers.base import WireRequest
from windowpane.providers.classify import complaint_from, failure_from, masked
from windowpane.providers.incoming import Incoming, Timeouts
from windowpane.providers.retry_after import wait_in_headers

ERROR_BODY_LIMIT_BYTES = 64 * 1024
BODY_LIMIT_BYTES = 64 * 1024 * 1024
# When a request was signed is no secret, and an error about a wrong clock quotes it.
SIGNED_AT = "x-amz-date"
# A connection that was closed before it was used again breaks as soon as the request arrives. What
# breaks later may have been worked on, and paid for: whoever keeps receipts decides about that.
STALE_SECONDS = 1.0

# The headers that carry secrets, for the request that they go with.
Authorise = Callable[[WireRequest], Mapping[str, str]]
# Told the headers of every answer, a refusal's as well.
Hear = Callable[[Mapping[str, str]], None]


class Sending:
    """What a session made with ``used_connections`` tells of one request."""

    def __init__(self) -> None:
        self.is_over_used_connection = False
        self._began = time.monotonic()

    def was_unread(self, error: ServerDisconnectedError | ClientOSError) -> bool:
        """The connection was dead when the request went out, so nobody has begun to answer it."""
        is_soon = time.monotonic() - self._began < STALE_SECONDS
        return self.is_over_used_connection and is_soon and not _has_head(error)


def used_connections() -> TraceConfig:
    tracing = TraceConfig()
    tracing.on_connection_reuseconn.append(_note_used)
    return tracing


async def _note_used(
    session: ClientSession, context: SimpleNamespace, params: TraceConnectionReuseconnParams
) -> None:
    sending: object = context.trace_request_ctx
    if isinstance(sending, Sending):
        sending.is_over_used_connection = True


class Upstream:
    """One provider's address, secrets and patience.

    ``authorise`` gives the headers that carry secrets, for the request they go with; ``secrets``
    are the texts that must never show in an error.
    """

    def __init__(
        self,
        session: ClientSession,
        *,
        base_url: str,
        authorise: Authorise,
        secrets: Sequence[str],
        timeouts: Timeouts,
    ) -> None:
        self._session = session
        self._base_url = _checked_url(base_url)
        self._authorise = authorise
        self._secrets = tuple(secrets)
        self._timeouts = timeouts
        self._proxy = _proxy_for(self._base_url)

    @asynccontextmanager
    async def open(self, wire: WireRequest, *, hear: Hear) -> AsyncGenerator[Incoming, None]:
        """The answer to a request that was accepted. Leaving closes what was not read."""
        authorised = self._authorise(wire)
        secrets = (*self._secrets, *(authorised[name] for name in authorised if name != SIGNED_AT))
        incoming = Incoming(await self._send(wire, authorised), timeouts=self._timeouts)
        try:
            hear(incoming.headers)
            if incoming.status >= 300:
                raise ProviderFailed(await self._refusal(incoming, secrets=secrets))
            yield incoming
        finally:
            incoming.close()

    async def _send(self, wire: WireRequest, authorised: Mapping[str, str]) -> ClientResponse:
        timeouts = self._timeouts
        try:
            return await self._sent(wire, authorised)
        except ConnectionTimeoutError as error:
            why = f"no connection came about within {timeouts.connect_seconds:g} seconds"
            raise self._unreachable(why) from error
        except TimeoutError as error:
            raise self._unreachable("it did not answer in time") from error
        # A proxy of another kind than HTTP is a ``ValueError``.
        except (ClientError, OSError, ValueError) as error:
            raise self._unreachable(_reason(error)) from error

    async def _sent(self, wire: WireRequest, authorised: Mapping[str, str]) -> ClientResponse:
        """A server may close a connection just when it is used again: then it is sent once more."""
        sending = Sending()
        try:
            return await self._request(wire, authorised, sending)
        except (ServerDisconnectedError, ClientOSError) as error:
            if not sending.was_unread(error):
                raise
        return await self._request(wire, authorised, Sending())

    async def _request(
        self, wire: WireRequest, authorised: Mapping[str, str], sending: Sending
    ) -> ClientResponse:
        return await self._session.request(
            wire.method,
            # As it was shown, and perhaps signed: not a colon is to be written differently.
            URL(wire.url, encoded=True),
            data=wire.body or None,
            headers={**wire.headers, **authorised},
            proxy=self._proxy,
            # A redirect would carry the conversation to an address nobody configured.
            allow_redirects=False,
            timeout=ClientTimeout(
                total=None,
                # All of it: the name, the socket, the encryption, and a proxy's word.
                connect=self._timeouts.connect_seconds,
                sock_read=self._timeouts.first_byte_seconds,
            ),
            trace_request_ctx=sending,
        )

    async def _refusal(self, incoming: Incoming, *, secrets: Sequence[str]) -> Failure:
        body = await incoming.beginning(limit_bytes=ERROR_BODY_LIMIT_BYTES)
        status, headers = incoming.status, incoming.headers
        complaint = complaint_from(body, http_status=status)
        # Amazon says the kind of an error in a header, with an address behind a colon.
        if amazon := headers.get("x-amzn-errortype"):
            complaint = structs.replace(complaint, code=amazon.partition(":")[0])
        failure = failure_from(
            complaint,
            secrets=secrets,
            retry_after_seconds=wait_in_headers(headers, status=status, now=datetime.now(UTC)),
        )
        if failure.kind == "invalid" and (status < 400 or status in (404, 405)):
            told = f"{failure.message} Nothing of this kind is at {self._base_url}: "
            failure = Failure(
                kind="invalid", message=told + "check the base URL.", http_status=status
            )
        return failure

    def _unreachable(self, why: str) -> ProviderFailed:
        message = (
            f"{self._base_url} cannot be reached: {why}. "
            "Check that the server runs and that the base URL is right."
        )
        message = masked(message, secrets=self._secrets)
        return ProviderFailed(Failure(kind="net", message=message))


def _has_head(error: Exception) -> bool:
    """Whether some of an answer had come; the client then tells it instead of a sentence."""
    return isinstance(error, ServerDisconnectedError) and not isinstance(error.message, str)


def _reason(error: ClientError | OSError | ValueError) -> str:
    """In the system's words where it has some; the client's hold brackets and tuples."""
    if _has_head(error):
        return "it hung up within the head of its answer"
    cause = error.os_error if isinstance(error, ClientConnectorError) else error
    if not isinstance(cause, OSError):
        return str(cause) or type(cause).__name__
    if cause.errno is not None and cause.errno in errno.errorcode:
        return os.strerror(cause.errno).lower()
    return (cause.strerror or str(cause) or type(cause).__name__).lower()


def _checked_url(base_url: str) -> URL:
    try:
        url = URL(base_url)
    except ValueError as error:
        raise InvalidInput(f"The base URL {base_url!r} cannot be used: {error}.") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise InvalidInput(
            f"The base URL {base_url!r} cannot be used: it begins with http:// or https:// "
            "and names a host."
        )
    if url.user is not None or url.password is not None:
        raise InvalidInput("The base URL holds a user or password. Put the key in its own field.")
    return url


def checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Raises ``InvalidInput`` for what no header can be."""
    for name, value in headers.items():
        if not (name.isascii() and name.isprintable() and name.strip() == name and name):
            raise InvalidInput(f"The extra header {name!r} has a name that no header has.")
        if not (value.isascii() and value.isprintable()):
            raise InvalidInput(
                f"The API key or header {name} holds characters that none has. Paste it again."
            )
    return dict(headers)


def _proxy_for(url: URL) -> str | None:
    """The proxy that the environment names for this address.

    aiohttp's own ``trust_env`` also reads ``.netrc`` in a thread at each request, and refuses to
    send if the host is in it.
    """
    if url.host and proxy_bypass(url.host):
        return None
    return getproxies().get(url.scheme)
