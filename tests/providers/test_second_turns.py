"""What a provider said goes back to it as it was: the recorded second turns are the proof."""

import re
from typing import cast

import msgspec
import pytest
from msgspec import structs

from tests.providers.asking import message, request
from tests.providers.recordings import Recording, dialect_for, recordings
from tests.providers.test_recordings import heard, needs_recordings
from windowpane.context.request import ToolDefinition

Json = dict[str, object]
TURNS = {(one.conversation, one.seq): one for one in recordings()}
ROLES = ("assistant", "model")
FAMILIES = ("anthropic", "google", "bedrock")


def spoken_in(recording: Recording) -> list[Json]:
    body = cast(Json, recording.request_body)
    return cast(list[Json], body.get("messages") or body.get("contents"))


def has_answer(recording: Recording) -> bool:
    return any(one["role"] in ROLES for one in spoken_in(recording))


PAIRS = [
    (first, TURNS[conversation, seq + 1])
    for (conversation, seq), first in TURNS.items()
    if first.family in FAMILIES
    and (conversation, seq + 1) in TURNS
    and has_answer(TURNS[conversation, seq + 1])
]
# The recorder gave ids to calls that had none.
INVENTED = re.compile(r"pyd_ai_[0-9a-f]+")


def blocks_in(recording: Recording) -> list[Json]:
    """The blocks of the recorded request's last words of the model."""
    last = next(one for one in reversed(spoken_in(recording)) if one["role"] in ROLES)
    return cast(list[Json], last.get("content") or last.get("parts"))


def sent_back(first: Recording) -> list[Json]:
    answer = heard(first, block_bytes=61)
    assistant = structs.replace(message("assistant", *answer.parts), finish=answer.finish)
    # Converse wants tools wherever there are calls.
    tool = ToolDefinition(name="tool", description="", schema=msgspec.Raw(b"{}"))
    asked = structs.replace(request(assistant, model="model-x"), tools=(tool,))
    body = msgspec.json.decode(dialect_for(first.family).to_wire(asked).body)
    [spoken] = body.get("messages") or body.get("contents")
    return spoken.get("content") or spoken.get("parts")


def comparable(block: Json) -> object:
    """Without what the recorder added, in one alphabet of base64, and without cache marks."""
    text = INVENTED.sub("", msgspec.json.encode(block).decode()).replace("-", "+").replace("_", "/")
    fields = cast(Json, msgspec.json.decode(text))
    fields.pop("cache/control", None)
    call = cast(Json, fields.get("functionCall") or {})
    if not call.get("id"):
        call.pop("id", None)
    return fields


def is_recorders_own(block: Json) -> bool:
    """Cache marks, and a thought without a signature, which it put into the text."""
    return "cachePoint" in block or str(block.get("text", "")).startswith("<think>")


@needs_recordings
@pytest.mark.parametrize(("first", "second"), PAIRS, ids=[one.id for one, _ in PAIRS])
def test_the_blocks_of_an_answer_go_back_as_the_recorded_request_has_them(
    first: Recording, second: Recording
) -> None:
    expected = [comparable(one) for one in blocks_in(second) if not is_recorders_own(one)]
    given = [comparable(one) for one in sent_back(first)]
    for block in expected:
        assert block in given
