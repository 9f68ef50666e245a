"""Server-sent events, as bytes come in: blocks of any size → the payloads of whole events.

Only ``data`` matters to the model services; event names, ids and comments are read over. What a
payload means is the adapter's business.
"""

from __future__ import annotations

from windowpane.errors import Failure, ProviderFailed

# Generated images arrive as one event of several megabytes; beyond this it is no answer.
EVENT_LIMIT_BYTES = 64 * 1024 * 1024
# How a stream begins: with an event's data or name, or with a comment.
BEGINNINGS = (b"data:", b"event:", b":")


def is_sse(body: bytes) -> bool:
    """Whether a body in one piece is a stream that is not called one."""
    return body.lstrip().startswith(BEGINNINGS)


class SseParser:
    def __init__(self) -> None:
        # The line that has not ended yet, in pieces: joining it at each block would be quadratic.
        self._line: list[bytes] = []
        self._line_bytes = 0
        self._data: list[bytes] = []

    def feed(self, block: bytes) -> list[bytes]:
        """The payloads of the events that this block completes."""
        if b"\n" not in block and b"\r" not in block:
            self._keep(block)
            return []
        lines = b"".join((*self._line, block)).splitlines(keepends=True)
        self._line.clear()
        self._line_bytes = 0
        # A trailing "\r" may be half of "\r\n": it waits for what follows.
        if not lines[-1].endswith(b"\n"):
            self._keep(lines.pop())
        return self._payloads(lines)

    def end(self) -> list[bytes]:
        """The payload of a last event that nothing closed: many servers end just so."""
        return self._payloads([*b"".join(self._line).splitlines(), b""])

    def _payloads(self, lines: list[bytes]) -> list[bytes]:
        payloads: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                # Of the space around the value only the one after the colon is not part of it.
                start = 6 if line.startswith(b"data: ") else 5
                self._data.append(line[start:].rstrip(b"\r\n"))
            elif self._data and not line.rstrip(b"\r\n"):
                payloads.append(b"\n".join(self._data))
                self._data.clear()
        return payloads

    def _keep(self, piece: bytes) -> None:
        self._line.append(piece)
        self._line_bytes += len(piece)
        if self._line_bytes > EVENT_LIMIT_BYTES:
            raise ProviderFailed(
                Failure(
                    kind="server",
                    message=f"The provider sent an event of more than {EVENT_LIMIT_BYTES:,} bytes; "
                    "the answer was given up.",
                )
            )
