"""Ids: 160 random bits in base32 behind a prefix that says what they name.

They carry no time and no order; order is a column of its own.
"""

from __future__ import annotations

import secrets
from base64 import b32encode
from typing import Literal

Kind = Literal[
    "project",
    "chat",
    "turn",
    "record",
    "provider",
    "process",
    "topic",
    "view",
    "receipt",
    "usage",
    "output",
    "segment",
    "deletion",
]

PREFIXES: dict[Kind, str] = {
    "project": "prj",
    "chat": "cht",
    "turn": "trn",
    "record": "rec",
    "provider": "prv",
    "process": "prc",
    "topic": "top",
    "view": "vw",
    "receipt": "rct",
    "usage": "use",
    "output": "out",
    "segment": "seg",
    "deletion": "del",
}


def new_id(kind: Kind) -> str:
    return f"{PREFIXES[kind]}_{b32encode(secrets.token_bytes(20)).decode().lower()}"


def new_revision() -> int:
    """Never one that was used before, not even by a change that was refused or made elsewhere."""
    return secrets.randbits(53)
