"""What is sealed opens with its key, in its place, unaltered; and not otherwise."""

import os
import threading

import pytest
import zstandard
from hypothesis import assume, given
from hypothesis import strategies as st

from windowpane.errors import RecordDamaged, StorageError
from windowpane.storage import sealing
from windowpane.storage.base import TABLES, Table
from windowpane.storage.sealing import VaultKey, key_id_of, new_vault_key, seal, unseal

KEY = VaultKey(bytes(range(32)))
tables = st.sampled_from(TABLES)
ids = st.text(max_size=20)


def sealed_words(*, key: VaultKey = KEY, plain: bytes = b"words") -> bytes:
    return seal(key, table="records", id="rec_1", plain=plain)


def opened(sealed: bytes, *, key: VaultKey = KEY) -> bytes:
    return unseal(key, table="records", id="rec_1", sealed=sealed)


@given(
    plain=st.binary(max_size=5000), table=tables, id=ids, secret=st.binary(min_size=32, max_size=32)
)
def test_what_was_sealed_opens(plain: bytes, table: Table, id: str, secret: bytes) -> None:
    key = VaultKey(secret)
    sealed = seal(key, table=table, id=id, plain=plain)
    assert unseal(VaultKey(secret), table=table, id=id, sealed=sealed) == plain
    assert key_id_of(sealed) == key.key_id


@given(plain=st.binary(max_size=100), data=st.data())
def test_any_flipped_bit_is_noticed(plain: bytes, data: st.DataObject) -> None:
    sealed = bytearray(sealed_words(plain=plain))
    bit = data.draw(st.integers(0, len(sealed) * 8 - 1))
    sealed[bit // 8] ^= 1 << bit % 8
    with pytest.raises(RecordDamaged, match="The record records/rec_1 cannot be opened: "):
        opened(bytes(sealed))


@given(plain=st.binary(max_size=100), data=st.data())
def test_any_cut_is_noticed(plain: bytes, data: st.DataObject) -> None:
    sealed = sealed_words(plain=plain)
    with pytest.raises(RecordDamaged):
        opened(sealed[: data.draw(st.integers(0, len(sealed) - 1))])
    with pytest.raises(RecordDamaged):
        opened(sealed + data.draw(st.binary(min_size=1, max_size=20)))


@given(one=st.tuples(tables, ids), other=st.tuples(tables, ids))
def test_a_record_opens_only_in_its_own_place(
    one: tuple[Table, str], other: tuple[Table, str]
) -> None:
    assume(one != other)
    sealed = seal(KEY, table=one[0], id=one[1], plain=b"words")
    with pytest.raises(RecordDamaged, match="were altered or belong to another record"):
        unseal(KEY, table=other[0], id=other[1], sealed=sealed)


def test_each_kind_of_damage_has_its_own_sentence() -> None:
    sealed = sealed_words()
    other = new_vault_key()
    damages = {
        b"": "it is empty",
        b"\x02" + sealed[1:]: "unknown envelope version 2; a newer Windowpane may have written it",
        sealed[:20]: "it was cut off",
        sealed[:-1]: "its contents were altered or belong to another record",
        sealed_words(key=other): (
            f"sealed with another key ({other.key_id}; this vault's key is {KEY.key_id})"
        ),
    }
    for damaged, why in damages.items():
        with pytest.raises(RecordDamaged) as caught:
            opened(damaged)
        assert str(caught.value) == f"The record records/rec_1 cannot be opened: {why}."
        assert (caught.value.table, caught.value.id) == ("records", "rec_1")


def test_nothing_of_the_record_can_be_read_in_its_envelope() -> None:
    sealed = sealed_words(plain=b"canary " * 100)
    assert b"canary" not in sealed
    assert b"rec_1" not in sealed
    assert len(sealed) < 100


def test_sealing_twice_gives_different_bytes() -> None:
    assert sealed_words() != sealed_words()


def test_the_key_id_is_stable_and_says_nothing() -> None:
    assert KEY.key_id == VaultKey(bytes(range(32))).key_id
    assert KEY.key_id == key_id_of(sealed_words())
    assert len(KEY.key_id) == 8
    assert KEY.fingerprint not in KEY.secret


def test_a_key_never_shows_its_secret() -> None:
    key = VaultKey(b"\x07" * 32)
    assert repr(key) == str(key) == f"VaultKey({key.key_id})"


def test_a_key_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="a vault key has 32 bytes, not 31"):
        VaultKey(bytes(31))
    assert len({new_vault_key().secret for _ in range(100)}) == 100


def test_the_key_id_of_something_else_is_refused() -> None:
    for bytes_of_something_else in (b"", b"\x01abc", b"\x07" + bytes(40)):
        with pytest.raises(StorageError, match="were not sealed by Windowpane"):
            key_id_of(bytes_of_something_else)


def sealed_frame(frame: bytes) -> bytes:
    """An envelope that is genuine around a frame that ``seal`` would not have written."""
    nonce = os.urandom(12)
    place = KEY.header + b"records\0rec_1"
    return KEY.header + nonce + KEY.cipher.encrypt(nonce, frame, place)


def test_a_bomb_is_refused_before_it_unfolds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "PLAIN_LIMIT_BYTES", 1000)
    bomb = zstandard.ZstdCompressor().compress(bytes(1001))
    with pytest.raises(RecordDamaged, match="do not say that they have at most 1,000 bytes"):
        opened(sealed_frame(bomb))
    with pytest.raises(
        StorageError, match="A record of 1,001 bytes cannot be stored; at most 1,000"
    ):
        sealed_words(plain=bytes(1001))
    assert opened(sealed_words(plain=bytes(1000))) == bytes(1000)


def test_a_frame_that_hides_its_size_is_refused() -> None:
    frame = zstandard.ZstdCompressor(write_content_size=False).compress(b"words")
    with pytest.raises(RecordDamaged, match="do not say that they have at most"):
        opened(sealed_frame(frame))


def test_contents_that_do_not_decompress_are_named() -> None:
    frame = zstandard.ZstdCompressor().compress(b"words" * 100)
    for damaged in (b"no frame", frame[:-3], frame + b"more"):
        with pytest.raises(RecordDamaged, match="its contents do not decompress"):
            opened(sealed_frame(damaged))


def test_many_threads_seal_and_open_with_one_key() -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for n in range(300):
                plain = f"{number} {n} ".encode() * (n + 1)
                assert opened(sealed_words(plain=plain)) == plain
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
