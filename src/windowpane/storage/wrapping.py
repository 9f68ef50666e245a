"""Wrapping: a vault key under a passphrase, by argon2id and AES-256-GCM.

Owns the wrapped form as a value. Reading and writing the file that holds it is ``keys``.
"""

from __future__ import annotations

import os
from typing import Annotated, Literal
from unicodedata import normalize

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Meta, Struct

from windowpane.errors import InvalidInput, WrongPassphrase
from windowpane.storage.sealing import KEY_BYTES, NONCE_BYTES, TAG_BYTES, VaultKey

SALT_BYTES = 16
WRAPPED_BYTES = KEY_BYTES + TAG_BYTES

# RFC 9106, second recommended option: 64 MiB, three passes, four lanes.
MEMORY_KIB = 64 * 1024
PASSES = 3
LANES = 4


class WrappedKey(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The wrapped form as it is written; all but ``wrapped`` is authenticated with it."""

    format: Literal["windowpane wrapped key 1"]
    key_id: str
    kdf: Literal["argon2id"]
    # Bounded so that a hostile file cannot ask for all memory, or for a wait without end.
    memory_kib: Annotated[int, Meta(ge=8, le=4 * 1024 * 1024)]
    passes: Annotated[int, Meta(ge=1, le=100)]
    lanes: Annotated[int, Meta(ge=1, le=64)]
    salt: Annotated[bytes, Meta(min_length=SALT_BYTES, max_length=64)]
    nonce: Annotated[bytes, Meta(min_length=NONCE_BYTES, max_length=NONCE_BYTES)]
    wrapped: Annotated[bytes, Meta(min_length=WRAPPED_BYTES, max_length=WRAPPED_BYTES)]


def wrap(key: VaultKey, *, passphrase: str) -> WrappedKey:
    if not passphrase:
        raise InvalidInput("The passphrase is empty. Choose one, or keep the key without.")
    bare = WrappedKey(
        format="windowpane wrapped key 1",
        key_id=key.key_id,
        kdf="argon2id",
        memory_kib=MEMORY_KIB,
        passes=PASSES,
        lanes=LANES,
        salt=os.urandom(SALT_BYTES),
        nonce=os.urandom(NONCE_BYTES),
        wrapped=b"",
    )
    cipher = _cipher(bare, passphrase=passphrase)
    ciphertext = cipher.encrypt(bare.nonce, key.secret, msgspec.json.encode(bare))
    return msgspec.structs.replace(bare, wrapped=ciphertext)


def unwrap(wrapped: WrappedKey, *, passphrase: str) -> VaultKey:
    bare = msgspec.structs.replace(wrapped, wrapped=b"")
    cipher = _cipher(bare, passphrase=passphrase)
    try:
        secret = cipher.decrypt(wrapped.nonce, wrapped.wrapped, msgspec.json.encode(bare))
    except InvalidTag:
        raise WrongPassphrase from None
    return VaultKey(secret)


def _cipher(wrapped: WrappedKey, *, passphrase: str) -> AESGCM:
    # Imported where it is needed: most vaults have no passphrase, and it costs 30 ms.
    from argon2.low_level import Type, hash_secret_raw

    # The same passphrase typed on another keyboard may arrive in another composition; one from
    # the environment may hold bytes that are no text.
    secret = normalize("NFKC", passphrase).encode(errors="surrogatepass")
    derived = hash_secret_raw(
        secret,
        wrapped.salt,
        time_cost=wrapped.passes,
        memory_cost=wrapped.memory_kib,
        parallelism=wrapped.lanes,
        hash_len=KEY_BYTES,
        type=Type.ID,
    )
    return AESGCM(derived)
