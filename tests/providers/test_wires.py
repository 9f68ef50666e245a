"""Answers of every family as the wire brings them: whole, in any pieces, cut off and damaged."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.providers.asking import Answer, answer_of
from tests.providers.frames import wrapped
from tests.providers.recordings import dialect_for
from tests.providers.test_wire import REMOTE
from tests.providers.wires import Wire, assert_is, cut_at, wires
from windowpane.definitions import Family
from windowpane.parts import Text
from windowpane.providers import sse
from windowpane.providers.base import StreamMapper

NAMED: dict[str, tuple[Family, Wire]] = {
    f"{family}-{name}": (family, wire) for family in REMOTE for name, wire in wires(family).items()
}
CLAUDES = wires("anthropic")
every_wire = pytest.mark.parametrize(("family", "wire"), NAMED.values(), ids=NAMED)
some_wire = st.sampled_from(list(NAMED.values()))
CUT_EVERY_BYTES = 10
FLIPS = 60


def answered(family: Family, blocks: Iterable[bytes]) -> Answer:
    return read(dialect_for(family).mapper(), blocks)


def read(mapper: StreamMapper, blocks: Iterable[bytes]) -> Answer:
    events = [event for block in blocks for event in mapper.feed(block)]
    events += mapper.end()
    return answer_of(events, failure=mapper.failure)


@every_wire
def test_an_answer_is_understood_whole(family: Family, wire: Wire) -> None:
    assert_is(answered(family, [wire.body]), wire.answer)


@every_wire
def test_an_answer_is_understood_byte_by_byte(family: Family, wire: Wire) -> None:
    assert_is(answered(family, (bytes([byte]) for byte in wire.body)), wire.answer)


@every_wire
@pytest.mark.parametrize("block_bytes", [2, 7, 61])
def test_an_answer_is_understood_in_blocks_of_any_size(
    family: Family, wire: Wire, block_bytes: int
) -> None:
    places = range(block_bytes, len(wire.body), block_bytes)
    assert_is(answered(family, cut_at(wire.body, places)), wire.answer)


@given(data=st.data())
def test_an_answer_is_understood_in_any_pieces(data: st.DataObject) -> None:
    for family, wire in data.draw(st.lists(some_wire, min_size=5, max_size=5)):
        places = data.draw(st.lists(st.integers(0, len(wire.body)), max_size=12))
        assert_is(answered(family, cut_at(wire.body, places)), wire.answer)


def assert_is_beginning(answer: Answer, whole: Answer) -> None:
    """Text by text, because two may be written at once."""
    texts, whole_texts = (
        [part.text for part in one.parts if isinstance(part, Text)] for one in (answer, whole)
    )
    assert len(texts) <= len(whole_texts)
    for text, whole_text in zip(texts, whole_texts, strict=False):
        assert whole_text.startswith(text)


@every_wire
def test_an_answer_cut_anywhere_is_a_net_failure_with_the_text_so_far(
    family: Family, wire: Wire
) -> None:
    body, whole = wire.body, answered(family, [wire.body])
    told = ""
    for end in range(0, len(body), CUT_EVERY_BYTES):
        answer = answered(family, [body[:end]])
        assert_is_beginning(answer, whole)
        assert len(answer.text) >= len(told), "what was told stays told"
        told = answer.text
        if answer.failure is None:
            # All that was missing is what follows the last word.
            assert (answer.text, answer.finish) == (whole.text, whole.finish)
        elif whole.failure is None:
            assert answer.failure.kind == "net"
        else:
            assert answer.failure.kind in ("net", whole.failure.kind)


@pytest.mark.parametrize("family", [family for family in REMOTE if family != "bedrock"])
def test_an_event_without_end_breaks_off_an_answer_that_keeps_its_text(
    family: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Amazon's frames say their size first and have a limit of their own."""
    cut = wires(family)["cut"]
    monkeypatch.setattr(sse, "EVENT_LIMIT_BYTES", 10_000)
    answer = answered(family, [cut.body, b"x" * 20_000])
    assert answer.failure is not None
    assert "more than 10,000 bytes" in answer.failure.message
    assert answer.parts == cut.answer.parts


def assert_ends_well(family: Family, wire: Wire, *, place: int, bit: int) -> None:
    body = bytearray(wire.body or b"\n")
    body[place] ^= 1 << bit
    answer = answered(family, [bytes(body)])
    assert (answer.finish is None) == (answer.failure is not None)
    if family == "bedrock":
        assert answer.failure is not None, "a checksum finds every flipped bit"
        assert answer.failure.kind == "net" or wire.answer.failure is not None


@every_wire
def test_a_damaged_answer_ends_in_valid_events(family: Family, wire: Wire) -> None:
    size = len(wire.body) or 1
    for place in range(0, size, max(1, size // FLIPS)):
        assert_ends_well(family, wire, place=place, bit=place % 8)


@given(data=st.data())
def test_an_answer_damaged_anywhere_ends_in_valid_events(data: st.DataObject) -> None:
    for family, wire in data.draw(st.lists(some_wire, min_size=5, max_size=5)):
        place = data.draw(st.integers(0, max(0, len(wire.body) - 1)))
        assert_ends_well(family, wire, place=place, bit=data.draw(st.integers(0, 7)))


@pytest.mark.parametrize("wire", CLAUDES.values(), ids=CLAUDES)
@pytest.mark.parametrize("block_bytes", [10**9, 1, 61])
def test_claude_inside_amazons_frames_says_the_same(wire: Wire, block_bytes: int) -> None:
    payloads = [line[6:] for line in wire.lines if line.startswith("data: ")]
    body = b"".join(wrapped(payload.encode()) for payload in payloads)
    mapper = dialect_for("anthropic", base_url="bedrock:us-east-1").mapper()
    assert_is(read(mapper, cut_at(body, range(block_bytes, len(body), block_bytes))), wire.answer)
