"""Frames of Amazon's event stream, as a test wants them."""

import struct
from base64 import b64encode
from zlib import crc32

import msgspec


def frame(payload: object, **headers: str) -> bytes:
    """``message_type="event"`` becomes the header ``:message-type``."""
    named = b"".join(
        _header(f":{name.replace('_', '-')}", value) for name, value in headers.items()
    )
    body = msgspec.json.encode(payload)
    prelude = struct.pack(">II", 16 + len(named) + len(body), len(named))
    message = prelude + struct.pack(">I", crc32(prelude)) + named + body
    return message + struct.pack(">I", crc32(message))


def event(kind: str, payload: object) -> bytes:
    return frame(payload, message_type="event", event_type=kind)


def exception(kind: str, payload: object) -> bytes:
    return frame(payload, message_type="exception", exception_type=kind)


def wrapped(payload: bytes) -> bytes:
    """Somebody else's event, as Amazon passes it on."""
    return event("chunk", {"bytes": b64encode(payload).decode(), "p": "ab"})


def _header(name: str, value: str) -> bytes:
    size = struct.pack(">H", len(value))
    return bytes([len(name)]) + name.encode() + b"\x07" + size + value.encode()
