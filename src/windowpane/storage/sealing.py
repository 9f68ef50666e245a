"""Sealing: a record's bytes become ciphertext that opens only with its key, in its own place.

Owns the vault key as a value and the envelope around each record. Where keys are kept on disk is
``keys``; what the bytes mean is ``vault``.

    envelope = version (1 byte) | key id (5) | nonce (12) | AES-256-GCM(zstd(plain)) with tag (16)

Table and id are authenticated along with the header, so a record that is moved to another id, or
to another table, does not open there. A random nonce is safe for 2³² records under one key.
"""

from __future__ import annotations

import hmac
import os
import threading
from base64 import b32encode
from dataclasses import dataclass, field
from functools import cached_property

import zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from windowpane.errors import RecordDamaged, StorageError
from windowpane.storage.base import Table

KEY_BYTES = 32
KEY_ID_BYTES = 5
NONCE_BYTES = 12
TAG_BYTES = 16
VERSION = b"\x01"
HEADER_BYTES = len(VERSION) + KEY_ID_BYTES
SEALED_AT = HEADER_BYTES + NONCE_BYTES

# A longer record could be written only by a fault: the largest thing stored is an attachment.
PLAIN_LIMIT_BYTES = 256 * 1024 * 1024

# Level 3 saves 2-6 % over level 1 on chat text and costs 20-50 % more time per record.
COMPRESSION_LEVEL = 1


@dataclass(frozen=True)
class VaultKey:
    """The secret of one vault. ``key_id`` names it in public and says nothing about it."""

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) != KEY_BYTES:
            raise ValueError(f"a vault key has {KEY_BYTES} bytes, not {len(self.secret)}")

    def __repr__(self) -> str:
        return f"VaultKey({self.key_id})"

    @cached_property
    def fingerprint(self) -> bytes:
        return hmac.digest(self.secret, b"windowpane key id", "sha256")[:KEY_ID_BYTES]

    @cached_property
    def key_id(self) -> str:
        return _named(self.fingerprint)

    @cached_property
    def header(self) -> bytes:
        return VERSION + self.fingerprint

    @cached_property
    def cipher(self) -> AESGCM:
        """One cipher for all threads: it copies its state for every call."""
        return AESGCM(self.secret)


def new_vault_key() -> VaultKey:
    return VaultKey(os.urandom(KEY_BYTES))


def seal(key: VaultKey, *, table: Table, id: str, plain: bytes) -> bytes:
    if len(plain) > PLAIN_LIMIT_BYTES:
        raise StorageError(
            f"A record of {len(plain):,} bytes cannot be stored; at most {PLAIN_LIMIT_BYTES:,} can."
        )
    nonce = os.urandom(NONCE_BYTES)
    packed = _zstd.compressor.compress(plain)
    place = _place(key.header, table=table, id=id)
    return key.header + nonce + key.cipher.encrypt(nonce, packed, place)


def unseal(key: VaultKey, *, table: Table, id: str, sealed: bytes) -> bytes:
    header = sealed[:HEADER_BYTES]
    if header != key.header or len(sealed) < SEALED_AT + TAG_BYTES:
        raise RecordDamaged(table=table, id=id, why=_why_refused(sealed, key=key))
    nonce, ciphertext = sealed[HEADER_BYTES:SEALED_AT], sealed[SEALED_AT:]
    try:
        packed = key.cipher.decrypt(nonce, ciphertext, _place(header, table=table, id=id))
    except InvalidTag:
        why = "its contents were altered or belong to another record"
        raise RecordDamaged(table=table, id=id, why=why) from None
    return _unpacked(packed, table=table, id=id)


def key_id_of(sealed: bytes) -> str:
    """The name of the key that sealed this, read without any key."""
    if len(sealed) < HEADER_BYTES or not sealed.startswith(VERSION):
        raise StorageError(
            "These bytes were not sealed by Windowpane, or by a version newer than this one."
        )
    return _named(sealed[len(VERSION) : HEADER_BYTES])


class _Zstd(threading.local):
    """Compression contexts are costly to make and not safe to share: one pair per thread."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_zstd = _Zstd()


def _unpacked(packed: bytes, *, table: Table, id: str) -> bytes:
    # The frame says how large it is before anything is allocated; -1 means that it does not say.
    try:
        plain_bytes = zstandard.frame_content_size(packed)
        if 0 <= plain_bytes <= PLAIN_LIMIT_BYTES:
            return _zstd.decompressor.decompress(packed, allow_extra_data=False)
    except zstandard.ZstdError as error:
        why = f"its contents do not decompress ({error})"
        raise RecordDamaged(table=table, id=id, why=why) from error
    why = f"its contents do not say that they have at most {PLAIN_LIMIT_BYTES:,} bytes"
    raise RecordDamaged(table=table, id=id, why=why)


def _place(header: bytes, *, table: Table, id: str) -> bytes:
    """No table has a NUL in its name, so no two places are written alike."""
    return header + f"{table}\0{id}".encode()


def _why_refused(sealed: bytes, *, key: VaultKey) -> str:
    if not sealed:
        return "it is empty"
    if not sealed.startswith(VERSION):
        return f"unknown envelope version {sealed[0]}; a newer Windowpane may have written it"
    if len(sealed) < SEALED_AT + TAG_BYTES:
        return "it was cut off"
    return f"sealed with another key ({key_id_of(sealed)}; this vault's key is {key.key_id})"


def _named(fingerprint: bytes) -> str:
    return b32encode(fingerprint).decode().lower()
