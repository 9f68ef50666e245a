"""The HTTP side of a provider: sends a ``WireRequest``, reads the answer as it comes.

Whatever goes wrong on the way leaves here as a ``Failure``. It knows no family's words, and the
session, with its connections, belongs to the caller.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.request import getproxies, proxy_bypass

from aiohttp import ClientConnectorError, ClientError, ClientResponse, ClientSession, ClientTimeout
from msgspec import Struct, structs
from yarl import URL

from windowpane.errors import Failure, FailureKind, InvalidInput, ProviderFailed
from windowpane.providers.base import WireRequest
from windowpane.providers.classify import complaint_from, failure_from, masked

ERROR_BODY_LIMIT_BYTES = 64 * 1024
BODY_LIMIT_BYTES = 64 * 1024 * 1024
# After the answer's last word the end of the body is due at once; only if it comes can the
# connection be used again.
REST_SECONDS = 0.5
# A smaller number in the place of a moment is something else, as seconds to wait or since 1970.
MILLISECONDS_OF_2001 = 1e12


# The headers that carry secrets, for the request that they go with.
Authorise = Callable[[WireRequest], Mapping[str, str]]


class Timeouts(Struct, frozen=True, kw_only=True):
    """The longest silence: before the answer begins, and within it. There is no total.

    A local server reads the whole prompt before its first byte.
    """

    connect_seconds: float
    first_byte_seconds: float
    chunk_seconds: float


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
    async def open(self, wire: WireRequest) -> AsyncGenerator[ClientResponse, None]:
        """The answer to a request that was accepted. Leaving closes what was not read."""
        response = await self._send(wire)
        _allow_silence(response, seconds=self._timeouts.chunk_seconds)
        try:
            if response.status >= 300:
                raise ProviderFailed(await self._refusal(response))
            yield response
        finally:
            response.close()

    async def next_block(self, response: ClientResponse) -> bytes:
        """What has arrived since; empty at the end, whether it was orderly or not.

        A broken connection is an end like any other: only the adapter can tell whether the
        answer was complete by then. Until the next call nothing is read from the socket: what
        comes meanwhile waits there to be read at once, and a break cannot overtake it.
        """
        _resume_reading(response)
        try:
            return await response.content.readany()
        except TimeoutError as error:
            seconds = self._timeouts.chunk_seconds
            raise self._failed(
                "net", f"The provider said nothing for {seconds:g} seconds; it was given up."
            ) from error
        except (ClientError, OSError):
            return b""
        finally:
            _pause_reading(response)

    async def read_whole(self, response: ClientResponse, *, limit_bytes: int) -> bytes:
        blocks: list[bytes] = []
        size_bytes = 0
        while size_bytes < limit_bytes and (block := await self.next_block(response)):
            blocks.append(block)
            size_bytes += len(block)
        return b"".join(blocks)[:limit_bytes]

    async def read_rest(self, response: ClientResponse) -> None:
        try:
            async with asyncio.timeout(REST_SECONDS):
                while await self.next_block(response):
                    pass
        except (TimeoutError, ProviderFailed):
            response.close()

    async def _send(self, wire: WireRequest) -> ClientResponse:
        timeouts = self._timeouts
        try:
            return await self._session.request(
                wire.method,
                # As it was shown, and perhaps signed: not a colon is to be written differently.
                URL(wire.url, encoded=True),
                data=wire.body or None,
                headers={**wire.headers, **self._authorise(wire)},
                proxy=self._proxy,
                # A redirect would carry the conversation to an address nobody configured.
                allow_redirects=False,
                timeout=ClientTimeout(
                    total=None,
                    sock_connect=timeouts.connect_seconds,
                    sock_read=timeouts.first_byte_seconds,
                ),
            )
        except TimeoutError as error:
            raise self._failed("net", self._no_answer("it did not answer in time")) from error
        except (ClientError, OSError) as error:
            raise self._failed("net", self._no_answer(_reason(error))) from error

    async def _refusal(self, response: ClientResponse) -> Failure:
        body = await self.read_whole(response, limit_bytes=ERROR_BODY_LIMIT_BYTES)
        complaint = complaint_from(body, http_status=response.status)
        # Amazon says the kind of an error in a header, with an address behind a colon.
        if amazon := response.headers.get("x-amzn-errortype"):
            complaint = structs.replace(complaint, code=amazon.partition(":")[0])
        failure = failure_from(
            complaint,
            secrets=self._secrets,
            retry_after_seconds=_retry_after_seconds(response.headers, now=datetime.now(UTC)),
        )
        if failure.kind == "invalid" and (response.status < 400 or response.status in (404, 405)):
            told = f"{failure.message} Nothing of this kind is at {self._base_url}: "
            failure = Failure(
                kind="invalid",
                message=told + "check the base URL.",
                http_status=response.status,
            )
        return failure

    def _no_answer(self, why: str) -> str:
        return (
            f"{self._base_url} cannot be reached: {why}. "
            "Check that the server runs and that the base URL is right."
        )

    def _failed(self, kind: FailureKind, message: str) -> ProviderFailed:
        return ProviderFailed(Failure(kind=kind, message=masked(message, secrets=self._secrets)))


def _reason(error: ClientError | OSError) -> str:
    """In the system's words where it has some; the client's hold brackets and tuples."""
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


def _allow_silence(response: ClientResponse, *, seconds: float) -> None:
    """From now on wait this long for each piece; an answer that came whole has no connection."""
    if response.connection is not None and response.connection.protocol is not None:
        response.connection.protocol.read_timeout = seconds
        response.connection.protocol.start_timeout()


def _resume_reading(response: ClientResponse) -> None:
    if response.connection is not None and response.connection.transport is not None:
        response.connection.transport.resume_reading()


def _pause_reading(response: ClientResponse) -> None:
    if response.connection is not None and response.connection.transport is not None:
        response.connection.transport.pause_reading()


def _retry_after_seconds(headers: Mapping[str, str], *, now: datetime) -> float | None:
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        return max(0.0, (parsedate_to_datetime(text) - now).total_seconds())
    except (TypeError, ValueError):
        return _until_reset_seconds(headers, now=now)


def _until_reset_seconds(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """OpenRouter: the moment, in milliseconds since 1970, from which on requests count anew."""
    reset = _number(headers.get("x-ratelimit-reset", ""))
    if reset is None or reset < MILLISECONDS_OF_2001:
        return None
    return max(0.0, reset / 1000 - now.timestamp())


def _number(text: str) -> float | None:
    return float(text) if text.replace(".", "", 1).isdecimal() else None
