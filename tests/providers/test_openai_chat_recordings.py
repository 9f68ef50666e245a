"""Recorded traffic of real servers through the adapter's mapper, where recordings are to be had.

``WINDOWPANE_RECORDINGS`` names a folder of JSON files, one for each HTTP exchange, each with what
is to come out of it under ``expect``.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from tests.providers.asking import Answer, answer_of
from windowpane.errors import FailureKind
from windowpane.messages import Finish
from windowpane.providers.classify import complaint_from, failure_from
from windowpane.providers.openai_chat_stream import ChatStreamMapper
from windowpane.usage import TokenUsage


class ExpectedCall(Struct):
    id: str | None
    name: str
    args: object


class ExpectedError(Struct):
    kind: str
    message: str | None


class ExpectedUsage(Struct):
    input: int | None
    output: int | None
    cache_read: int | None
    cache_write: int | None
    reasoning: int | None

    def normalised(self) -> TokenUsage | None:
        if self.input is None:
            return None
        cached = (self.cache_read or 0) + (self.cache_write or 0)
        return TokenUsage(
            input_tokens=self.input - cached,
            output_tokens=self.output or 0,
            cache_read_tokens=self.cache_read or 0,
            cache_write_tokens=self.cache_write or 0,
            reasoning_tokens=self.reasoning or 0,
        )


class Expected(Struct):
    text: str
    thinking: str
    refusal: str | None
    tool_calls: list[ExpectedCall]
    finish: Finish | None
    usage: ExpectedUsage
    error: ExpectedError | None
    complete: bool

    @property
    def kind(self) -> FailureKind | None:
        if self.error is None:
            return None if self.complete else "net"
        kind = "overflow" if self.error.kind == "context_overflow" else self.error.kind
        return msgspec.convert(kind, FailureKind)


class Recording(Struct):
    id: str
    api: str
    response_status: int
    response_headers: dict[str, str]
    response_body: str
    expect: Expected


class _Api(Struct):
    api: str = ""


def recordings() -> Iterator[Recording]:
    folder = os.environ.get("WINDOWPANE_RECORDINGS")
    for path in sorted(Path(folder).glob("*.json")) if folder else ():
        body = path.read_bytes()
        if msgspec.json.decode(body, type=_Api).api == "openai_chat":
            yield msgspec.json.decode(body, type=Recording)


RECORDINGS = list(recordings())


def heard(recording: Recording, *, block_bytes: int) -> Answer:
    body = recording.response_body.encode()
    if recording.response_status >= 400:
        complaint = complaint_from(body, http_status=recording.response_status)
        failure = failure_from(complaint, secret="", retry_after_seconds=None)
        return answer_of((), failure=failure)
    mapper = ChatStreamMapper(secret="")
    if not recording.response_headers["content-type"].startswith("text/event-stream"):
        return answer_of(mapper.whole(body), failure=mapper.failure)
    events = [
        event
        for start in range(0, len(body), block_bytes)
        for event in mapper.feed(body[start : start + block_bytes])
    ]
    events += mapper.end()
    return answer_of(events, failure=mapper.failure)


@pytest.mark.skipif(not RECORDINGS, reason="WINDOWPANE_RECORDINGS names no recordings")
@pytest.mark.parametrize("block_bytes", [10**9, 61])
@pytest.mark.parametrize("recording", RECORDINGS, ids=[recording.id for recording in RECORDINGS])
def test_a_recorded_answer_is_understood(recording: Recording, block_bytes: int) -> None:
    expect = recording.expect
    answer = heard(recording, block_bytes=block_bytes)
    assert answer.text == expect.text + (expect.refusal or "")
    assert answer.reasoning == expect.thinking
    assert [(call.name, _arguments(call.arguments)) for call in answer.calls] == [
        (call.name, call.args) for call in expect.tool_calls
    ]
    for call, expected in zip(answer.calls, expect.tool_calls, strict=True):
        assert call.call_id == expected.id or not expected.id
    assert answer.usage == expect.usage.normalised()
    assert (answer.failure and answer.failure.kind) == expect.kind
    if expect.error is not None and expect.error.message is not None:
        assert answer.failure is not None
        assert answer.failure.message == expect.error.message
    if answer.failure is None:
        assert answer.finish == (expect.finish or ("tool_use" if answer.calls else "stop"))


def _arguments(text: str) -> object:
    return msgspec.json.decode(text) if text.strip() else {}
