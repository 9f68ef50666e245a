import hashlib
import pickle
from collections.abc import Iterator
from typing import cast

import msgspec
import pytest

from tests.providers.asking import Answer, Folding, answer_of
from tests.providers.recordings import Recording, dialect_for, recordings
from windowpane.errors import Failure
from windowpane.events import StreamEvent
from windowpane.parts import ToolResult
from windowpane.providers.base import StreamMapper
from windowpane.providers.classify import complaint_from, failure_from

RECORDINGS = recordings()
ANSWERS = [one for one in RECORDINGS if one.response_status < 400]
REFUSALS = [one for one in RECORDINGS if one.response_status >= 400]
STREAMS = [one for one in ANSWERS if one.is_streamed]
WHOLE = [one for one in ANSWERS if not one.is_streamed]
CUT_EVERY_BYTES = 50
KEPT_EVERY_BYTES = 4000
FLIPS = 40
needs_recordings = pytest.mark.skipif(
    not RECORDINGS, reason="WINDOWPANE_RECORDINGS names no recordings"
)


def every(recorded: list[Recording]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("recording", recorded, ids=[one.id for one in recorded])


def played(recording: Recording, body: bytes, *, block_bytes: int) -> Answer:
    """A body through the mapper of its family, in blocks of one size."""
    mapper = dialect_for(recording.family).mapper()
    if not recording.is_streamed:
        return answer_of(mapper.whole(body), failure=mapper.failure)
    events: list[StreamEvent] = []
    for start in range(0, len(body), block_bytes):
        events += mapper.feed(body[start : start + block_bytes])
    events += mapper.end()
    return answer_of(events, failure=mapper.failure)


def heard(recording: Recording, *, block_bytes: int) -> Answer:
    if recording.response_status >= 400:
        return answer_of((), failure=refusal(recording))
    return played(recording, recording.body, block_bytes=block_bytes)


def refusal(recording: Recording) -> Failure:
    complaint = complaint_from(recording.body, http_status=recording.response_status)
    if amazon := recording.response_headers.get("x-amzn-errortype"):
        complaint = msgspec.structs.replace(complaint, code=amazon.partition(":")[0])
    return failure_from(complaint, secrets=(), retry_after_seconds=None)


@needs_recordings
@pytest.mark.parametrize("block_bytes", [10**9, 61])
@every(RECORDINGS)
def test_a_recorded_answer_is_understood(recording: Recording, block_bytes: int) -> None:
    assert_as_expected(heard(recording, block_bytes=block_bytes), recording)


def assert_as_expected(answer: Answer, recording: Recording) -> None:
    expect = recording.expect
    assert answer.text == expect.text + (expect.refusal or "")
    assert answer.reasoning == expect.thinking
    assert [(call.name, _arguments(call.arguments)) for call in answer.calls] == [
        (call.name, call.args) for call in expect.tool_calls
    ]
    for call, expected in zip(answer.calls, expect.tool_calls, strict=True):
        assert call.call_id == expected.id or not expected.id
        assert call.call_id, "results refer to an id, so there is always one"
    assert list(answer.citations) == expect.citations
    assert answer.usage == expect.usage.normalised(web_searches=expect.web_searches) or (
        answer.usage is None and expect.usage.input is None
    )
    assert (answer.failure and answer.failure.kind) == expect.kind
    if expect.error is not None and expect.error.message is not None:
        assert answer.failure is not None
        assert answer.failure.message == expect.error.message
    if answer.failure is None:
        assert answer.finish == (expect.finish or ("tool_use" if answer.calls else "stop"))


@needs_recordings
@every(ANSWERS)
def test_signatures_and_sealed_thoughts_are_kept_as_they_came(recording: Recording) -> None:
    if not recording.expect.complete:
        pytest.skip("a cut answer need not have its signatures")
    kept = {
        digest for text in _natives(heard(recording, block_bytes=61)) for digest in _hashes(text)
    }
    for thought in recording.expect.thinking_blocks:
        if thought.sig_sha256 is not None:
            assert {thought.sig_sha256, thought.sig_sha256_alt} & kept


@needs_recordings
@every(STREAMS)
def test_a_stream_cut_at_every_fiftieth_byte_keeps_its_text_and_says_so(
    recording: Recording,
) -> None:
    whole = heard(recording, block_bytes=10**9)
    told = 0
    for answer in cut_answers(recording):
        assert whole.text.startswith(answer.text)
        assert len(answer.text) >= told, "what was told stays told"
        told = len(answer.text)
        if answer.failure is None:
            # All that was missing is what follows the last word.
            assert (answer.text, answer.finish) == (whole.text, whole.finish)
        elif whole.failure is None:
            assert answer.failure.kind == "net"


def cut_answers(recording: Recording) -> Iterator[Answer]:
    """The answer up to every fiftieth byte.

    From time to time the state is kept, so that not every one begins at the beginning.
    """
    body, mapper, folding = recording.body, dialect_for(recording.family).mapper(), Folding()
    for start in range(0, len(body), KEPT_EVERY_BYTES):
        state = pickle.dumps((mapper, folding), pickle.HIGHEST_PROTOCOL)
        window = body[start : start + KEPT_EVERY_BYTES]
        for end in range(0, len(window), CUT_EVERY_BYTES):
            cut, folded = cast("tuple[StreamMapper, Folding]", pickle.loads(state))
            folded.add([*cut.feed(window[:end]), *cut.end()])
            yield folded.answer(failure=cut.failure)
        folding.add(mapper.feed(window))


@needs_recordings
@every(WHOLE)
def test_an_answer_in_one_piece_cut_anywhere_is_a_net_failure(recording: Recording) -> None:
    body, whole = recording.body, heard(recording, block_bytes=10**9)
    # What is not all of it is nothing, wherever it ends: long ones are cut less often.
    for end in range(CUT_EVERY_BYTES, len(body), max(CUT_EVERY_BYTES, len(body) // 200)):
        answer = played(recording, body[:end], block_bytes=10**9)
        assert answer.failure is not None
        assert (answer.text, answer.finish) == ("", None)
        assert answer.failure.kind in ("net", whole.failure and whole.failure.kind)


@needs_recordings
@every(REFUSALS)
def test_a_refusal_cut_at_every_fiftieth_byte_is_still_one(recording: Recording) -> None:
    for end in range(0, len(recording.body), CUT_EVERY_BYTES):
        cut = complaint_from(recording.body[:end], http_status=recording.response_status)
        failure = failure_from(cut, secrets=(), retry_after_seconds=None)
        assert failure.http_status == recording.response_status
        assert failure.message


@needs_recordings
@every(STREAMS)
def test_how_an_answer_is_cut_into_blocks_changes_nothing(recording: Recording) -> None:
    whole = heard(recording, block_bytes=10**9)
    for block_bytes in (7, 211, 4096):
        assert heard(recording, block_bytes=block_bytes) == whole


@needs_recordings
@every(ANSWERS)
def test_a_flipped_bit_ends_in_valid_events(recording: Recording) -> None:
    for body in _flipped(recording.body):
        answer = played(recording, body, block_bytes=10**9)
        assert (answer.finish is None) == (answer.failure is not None)
        if recording.family == "bedrock" and recording.is_streamed:
            assert answer.failure is not None
            assert "CRC" in answer.failure.message or recording.expect.kind is not None


@needs_recordings
@every(REFUSALS)
def test_a_refusal_with_a_flipped_bit_is_still_one(recording: Recording) -> None:
    for body in _flipped(recording.body):
        complaint = complaint_from(body, http_status=recording.response_status)
        failure_from(complaint, secrets=(), retry_after_seconds=None)


def _flipped(body: bytes) -> Iterator[bytes]:
    for position in range(0, len(body), max(1, len(body) // FLIPS)):
        damaged = bytearray(body)
        damaged[position] ^= 1 << (position % 8)
        yield bytes(damaged)


def _arguments(text: str) -> object:
    """What a model wrote wrongly, or not to the end, is marked as such in the expectations."""
    try:
        return msgspec.json.decode(text) if text.strip() else {}
    except msgspec.DecodeError:
        return {"__invalid_json__": text}


def _natives(answer: Answer) -> Iterator[str]:
    for part in answer.parts:
        if not isinstance(part, ToolResult) and part.native is not None:
            yield part.native.block


def _hashes(block: str) -> Iterator[str]:
    """The digest of every text inside a JSON block."""
    waiting: list[object] = [msgspec.json.decode(block)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield hashlib.sha256(value.encode()).hexdigest()
        elif isinstance(value, dict):
            waiting.extend(cast(dict[str, object], value).values())
        elif isinstance(value, list):
            waiting.extend(cast(list[object], value))
