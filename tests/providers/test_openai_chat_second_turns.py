"""What a server sent goes back to it as the recorded second turns of real clients sent it."""

from collections.abc import Iterator
from typing import cast

import msgspec
import pytest

from tests.providers.asking import message, request
from tests.providers.recordings import Recording, recordings
from tests.providers.test_recordings import heard
from windowpane.providers.openai_chat_body import chat_body
from windowpane.providers.openai_chat_hosts import host_of

BASE_URLS = {
    "cerebras": "https://api.cerebras.ai/v1",
    "deepseek": "https://api.deepseek.com",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
    "groq": "https://api.groq.com/openai/v1",
    "mistral": "https://api.mistral.ai/v1",
    "oai": "https://api.openai.com/v1",
    "ollama": "http://localhost:11434/v1",
}

Wire = dict[str, object]


def following(recording: Recording) -> Recording | None:
    return next(
        (
            one
            for one in recordings()
            if one.conversation == recording.conversation and one.seq == recording.seq + 1
        ),
        None,
    )


def sent_back(recording: Recording) -> Wire:
    """The answer as it stands in the request that follows it."""
    base_url = BASE_URLS[recording.conversation.partition("-")[0]]
    parts = heard(recording, block_bytes=61).parts
    asking = request(message("assistant", *parts), model="m1")
    body = chat_body(asking, host=host_of(base_url)).body
    (sent,) = cast("list[Wire]", msgspec.json.decode(body)["messages"])
    return sent


def recorded_answers(recording: Recording) -> Iterator[Wire]:
    body = cast("dict[str, list[Wire]]", recording.request_body)
    return (one for one in body["messages"] if one["role"] == "assistant")


FIRST_TURNS = [
    one
    for one in recordings()
    if one.api == "openai_chat"
    and one.expect.error is None
    and (second := following(one)) is not None
    and list(recorded_answers(second))
]


def meaning(wire: Wire, *, has_ids: bool) -> tuple[str, str, list[tuple[object, ...]]]:
    """Reasoning, text and calls, wherever a client puts them."""
    content = wire.get("content") or ""
    if isinstance(content, list):
        content = "".join(part["text"] for part in cast("list[dict[str, str]]", content))
    text = str(content)
    reasoning = str(wire.get("reasoning_content") or wire.get("reasoning") or "")
    if text.startswith("<think>\n"):
        reasoning, _, text = text.removeprefix("<think>\n").partition("\n</think>")
    return reasoning, text.strip(), [call_of(call)[not has_ids :] for call in calls_of(wire)]


def calls_of(wire: Wire) -> list[Wire]:
    return cast("list[Wire]", wire.get("tool_calls") or [])


def call_of(call: Wire) -> tuple[object, ...]:
    function = cast("dict[str, str]", call["function"])
    return call["id"], function["name"], msgspec.json.decode(function["arguments"])


@pytest.mark.skipif(not FIRST_TURNS, reason="WINDOWPANE_RECORDINGS names no recordings")
@pytest.mark.parametrize("recording", FIRST_TURNS, ids=[one.id for one in FIRST_TURNS])
def test_an_answer_goes_back_as_a_real_client_sent_it(recording: Recording) -> None:
    second = following(recording)
    assert second is not None
    # Where the server gave no ids, the recorded client made up its own.
    has_ids = all(call.id for call in recording.expect.tool_calls)
    recorded = [meaning(one, has_ids=has_ids) for one in recorded_answers(second)]
    assert meaning(sent_back(recording), has_ids=has_ids) in recorded
