"""Whole requests, to the byte: one plan with something of everything, at each kind of server."""

from pathlib import Path

import msgspec
import pytest
from msgspec import Raw, Struct

from tests.providers.asking import say
from windowpane.context.request import CacheMark, ModelRequest, ToolDefinition
from windowpane.definitions import ProviderDefinition
from windowpane.options import ReasoningOptions, RequestOptions
from windowpane.parts import Image, Native, Reasoning, Text, ToolCall, ToolResult
from windowpane.providers.choose import dialect_of

FOLDER = Path(__file__).parents[1] / "wire/openai_chat/requests"


class Golden(Struct, forbid_unknown_fields=True):
    """``body`` in the order of its fields; ``thought`` is what this server once sent as its own."""

    about: str
    base_url: str
    model: str
    thought: Raw
    url: str
    body: Raw


GOLDEN = {
    path.stem: msgspec.json.decode(path.read_bytes(), type=Golden)
    for path in sorted(FOLDER.glob("*.json"))
}


def planned(golden: Golden) -> ModelRequest:
    native = Native(family="openai_chat", block=bytes(golden.thought).decode())
    picture = Image(media_type="image/png", data="aGk=")
    return ModelRequest(
        model=golden.model,
        system="Be exact.\n\nPrevious Conversation Summary:\nThey spoke of pixels.",
        messages=(
            say("rec_1", "user", Text(text="What is on it?"), picture),
            say(
                "rec_2",
                "assistant",
                Reasoning(text="I should look.", native=native),
                Text(text="Let me look."),
                ToolCall(call_id="call_1", name="look", arguments='{"at": "it"}'),
            ),
            say("rec_3", "tool", ToolResult(call_id="call_1", name="look", text="A pixel.")),
            say("rec_4", "assistant", Text(text="A pixel.")),
            say("rec_5", "user", Text(text="And its colour?")),
        ),
        tools=(
            ToolDefinition(
                name="look", description="Looks at a thing.", schema=Raw(b'{"type":"object"}')
            ),
        ),
        marks=(CacheMark(after_message_id=None), CacheMark(after_message_id="rec_4")),
        max_output_tokens=4096,
        options=RequestOptions(
            temperature=0.5,
            reasoning=ReasoningOptions(effort="high"),
            has_web_search=True,
            prefill="It is",
        ),
    )


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_a_whole_request_is_exactly_this(golden: Golden) -> None:
    definition = ProviderDefinition(
        id="prv_1", name="test", family="openai_chat", base_url=golden.base_url
    )
    wire = dialect_of(definition).to_wire(planned(golden))
    assert wire.url == golden.url
    assert wire.body == msgspec.json.format(golden.body, indent=-1)
