"""Answers of Anthropic and Gemini as the wire brings them, in whatever pieces."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.providers.asking import Answer, answer_of
from tests.providers.recordings import dialect_for
from tests.providers.wires import Wire, assert_is, cut_at, wires
from windowpane.definitions import Family

FAMILIES: tuple[Family, ...] = ("anthropic", "google")
WIRES = [
    pytest.param(family, wire, id=f"{family}-{name}")
    for family in FAMILIES
    for name, wire in wires(family).items()
]
every_wire = pytest.mark.parametrize(("family", "wire"), WIRES)


def answered(family: Family, blocks: Iterable[bytes]) -> Answer:
    mapper = dialect_for(family).mapper()
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
@given(data=st.data())
def test_an_answer_is_understood_in_any_pieces(
    family: Family, wire: Wire, data: st.DataObject
) -> None:
    places = data.draw(st.lists(st.integers(0, len(wire.body)), max_size=12))
    assert_is(answered(family, cut_at(wire.body, places)), wire.answer)


@every_wire
@given(data=st.data())
def test_a_damaged_answer_ends_in_valid_events(
    family: Family, wire: Wire, data: st.DataObject
) -> None:
    body = bytearray(wire.body)
    place = data.draw(st.integers(0, len(body) - 1))
    body[place] ^= 1 << data.draw(st.integers(0, 7))
    answer = answered(family, [bytes(body)])
    assert (answer.finish is None) == (answer.failure is not None)
