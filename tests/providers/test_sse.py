from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowpane.errors import ProviderFailed
from windowpane.providers import sse
from windowpane.providers.sse import SseParser

payloads_without_newlines = st.binary(max_size=20).map(
    lambda data: data.replace(b"\r", b"").replace(b"\n", b"")
)


def parsed(*blocks: bytes) -> list[bytes]:
    parser = SseParser()
    payloads = [payload for block in blocks for payload in parser.feed(block)]
    return payloads + parser.end()


@given(
    payloads=st.lists(st.lists(payloads_without_newlines, min_size=1, max_size=3), max_size=5),
    newline=st.sampled_from([b"\n", b"\r\n", b"\r"]),
    noise=st.sampled_from([b"", b": comment", b"event: ping", b"id: 1"]),
    data=st.data(),
)
def test_payloads_survive_any_line_ends_noise_and_pieces(
    payloads: list[list[bytes]], newline: bytes, noise: bytes, data: st.DataObject
) -> None:
    """A payload of several lines is sent as several data lines and comes back joined."""
    lines: list[bytes] = []
    for payload in payloads:
        lines += [noise, *(b"data: " + line for line in payload), b""]
    body = b"".join(line + newline for line in lines)
    places = data.draw(st.lists(st.integers(0, len(body)), max_size=8))
    blocks = [body[start:end] for start, end in pairwise([0, *sorted(places), len(body)])]
    # Without noise the empty line before an event is one more that closes nothing.
    assert parsed(*blocks) == [b"\n".join(payload) for payload in payloads]


def test_an_event_is_told_as_soon_as_its_empty_line_is_there() -> None:
    assert SseParser().feed(b"data: now\n\ndata: la") == [b"now"]


def test_only_one_space_after_the_colon_is_not_part_of_the_payload() -> None:
    assert parsed(b"data:a\n\ndata: b\n\ndata:  c \n\n") == [b"a", b"b", b" c "]


def test_a_last_event_that_nothing_closes_is_told_at_the_end() -> None:
    assert parsed(b"data: a\n\ndata: [DONE]") == [b"a", b"[DONE]"]


def test_an_event_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "EVENT_LIMIT_BYTES", 100)
    parser = SseParser()
    with pytest.raises(ProviderFailed, match="more than 100 bytes"):
        for _ in range(20):
            parser.feed(b"data: too long")
