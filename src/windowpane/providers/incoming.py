"""One answer as it comes in over HTTP: blocks until the end, however it ends.

What a block means is the adapter's business; how long a silence may last is known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import ClientError, ClientPayloadError, ClientResponse
from msgspec import Struct

from windowpane.errors import Failure, ProviderFailed
from windowpane.providers.classify import CUT

# After the answer's last word the end of the body is due at once; only if it comes can the
# connection be used again.
REST_SECONDS = 0.5


class Timeouts(Struct, frozen=True, kw_only=True):
    """The longest silence: before the answer begins, and within it. There is no total.

    A local server reads the whole prompt before its first byte, and some say hello before that:
    an answer begins with its body.
    """

    connect_seconds: float
    first_byte_seconds: float
    chunk_seconds: float


class Incoming:
    """From here on it is this that watches the connection: the silence on it, and its end."""

    def __init__(self, response: ClientResponse, *, timeouts: Timeouts) -> None:
        self._response = response
        self._timeouts = timeouts
        self._patience_seconds = timeouts.first_byte_seconds
        self._closed: asyncio.Future[None] | None = None
        # An answer that came whole has no connection any more.
        if response.connection is not None and response.connection.protocol is not None:
            protocol = response.connection.protocol
            protocol.read_timeout = None
            protocol.start_timeout()
            self._closed = protocol.closed
        if self._closed is not None:
            self._closed.add_done_callback(self._break_off)

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        return self._response.headers

    @property
    def content_type(self) -> str:
        return self._response.content_type

    async def next_block(self) -> bytes:
        """What has arrived since; empty at the end, whether it was orderly or not.

        Only the adapter can tell whether an answer that broke off was complete by then.
        """
        try:
            return await self._read()
        except (ClientError, OSError):
            return b""

    async def whole(self, *, limit_bytes: int) -> bytes:
        """A body that is understood as a whole or not at all. Raises if it broke off."""
        try:
            return await _gathered(self._read, limit_bytes=limit_bytes)
        except (ClientError, OSError) as error:
            raise ProviderFailed(CUT) from error

    async def beginning(self, *, limit_bytes: int) -> bytes:
        """As much of a body as came, for a refusal that is one in any case."""
        return await _gathered(self.next_block, limit_bytes=limit_bytes)

    async def rest(self) -> None:
        """Nothing more is wanted: read what is there, so that the connection can be used again."""
        try:
            async with asyncio.timeout(REST_SECONDS):
                while await self.next_block():
                    pass
        except (TimeoutError, ProviderFailed):
            self.close()

    def close(self) -> None:
        """At once: whoever is still sending sees the connection go."""
        if self._closed is not None:
            self._closed.remove_done_callback(self._break_off)
            self._closed.remove_done_callback(_heed)
            self._closed.add_done_callback(_heed)
        self._response.close()

    async def _read(self) -> bytes:
        """Until the next call nothing is read from the socket: what comes meanwhile waits there.

        So it is read at once, a break cannot overtake it, and a reader that is slow is not taken
        for a provider that is silent.
        """
        self._listen(is_listening=True)
        try:
            async with asyncio.timeout(self._patience_seconds):
                block = await self._response.content.readany()
        except TimeoutError as error:
            raise _given_up(self._patience_seconds) from error
        finally:
            self._listen(is_listening=False)
        self._patience_seconds = self._timeouts.chunk_seconds
        return block

    def _listen(self, *, is_listening: bool) -> None:
        connection = self._response.connection
        if connection is None or connection.transport is None:
            return
        if is_listening:
            connection.transport.resume_reading()
        else:
            connection.transport.pause_reading()

    def _break_off(self, closed: asyncio.Future[None]) -> None:
        """Bytes that are no HTTP close the connection, and aiohttp lets the reader wait on."""
        _heed(closed)
        content = self._response.content
        if not content.is_eof() and content.exception() is None:
            content.set_exception(ClientPayloadError("The connection was closed."))


def _heed(closed: asyncio.Future[None]) -> None:
    """Why it was closed is known by then; nobody asking would be told to the log."""
    if not closed.cancelled():
        closed.exception()


async def _gathered(read: Callable[[], Awaitable[bytes]], *, limit_bytes: int) -> bytes:
    blocks: list[bytes] = []
    size_bytes = 0
    while size_bytes < limit_bytes and (block := await read()):
        blocks.append(block)
        size_bytes += len(block)
    return b"".join(blocks)[:limit_bytes]


def _given_up(seconds: float) -> ProviderFailed:
    message = f"The provider said nothing for {seconds:g} seconds; it was given up."
    return ProviderFailed(Failure(kind="net", message=message))
