"""What a server sent goes back to it as the recorded second turns of real clients sent it."""

from typing import cast

import msgspec
import pytest

from tests.providers.asking import message, request
from tests.providers.recordings import Recording, recordings
from tests.providers.test_recordings import heard
from windowpane.providers.openai_responses_body import responses_body

Item = dict[str, object]


def items_of(body: object) -> list[Item]:
    return cast("dict[str, list[Item]]", body)["input"]


def following(recording: Recording) -> Recording | None:
    turns = (one for one in recordings() if one.conversation == recording.conversation)
    return next((one for one in turns if one.seq == recording.seq + 1), None)


def sent_back(recording: Recording) -> list[Item]:
    """The answer as it stands in the request that follows it."""
    parts = heard(recording, block_bytes=61).parts
    body = responses_body(request(message("assistant", *parts), model="gpt-5")).body
    return items_of(msgspec.json.decode(body))


def thoughts(items: list[Item]) -> list[tuple[object, ...]]:
    return [
        tuple(item.get(name) or [] for name in ("id", "encrypted_content", "summary", "content"))
        for item in items
        if item.get("type") == "reasoning"
    ]


def calls(items: list[Item]) -> list[tuple[object, object, object]]:
    """Amazon counts calls within an answer; the recorded client put the answer's id before it."""
    return [
        (
            str(item["call_id"]).rpartition(":")[2],
            item["name"],
            msgspec.json.decode(str(item["arguments"])),
        )
        for item in items
        if item.get("type") == "function_call"
    ]


def is_in(found: list[tuple[object, ...]], recorded: list[tuple[object, ...]]) -> bool:
    """Whether the recorded request has them, one after the other and nothing between."""
    size = len(found)
    return any(recorded[start : start + size] == found for start in range(len(recorded) + 1))


FIRST_TURNS = [
    one
    for one in recordings()
    if one.api == "openai_responses"
    and one.expect.error is None
    and (second := following(one)) is not None
    and (thoughts(items_of(second.request_body)) or calls(items_of(second.request_body)))
]


@pytest.mark.skipif(not FIRST_TURNS, reason="WINDOWPANE_RECORDINGS names no recordings")
@pytest.mark.parametrize("recording", FIRST_TURNS, ids=[one.id for one in FIRST_TURNS])
def test_an_answer_goes_back_as_a_real_client_sent_it(recording: Recording) -> None:
    second = following(recording)
    assert second is not None
    ours, recorded = sent_back(recording), items_of(second.request_body)
    assert is_in(thoughts(ours), thoughts(recorded))
    assert is_in(list(calls(ours)), list(calls(recorded)))
    assert thoughts(ours) or calls(ours)
