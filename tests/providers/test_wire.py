"""What holds for every family: the bytes that are shown are the bytes that a server receives."""

from hashlib import sha256

import msgspec
import pytest
from aiohttp import ClientSession

from tests.providers.asking import heard, message
from tests.providers.loopback import Line, loopback
from windowpane.context.request import CacheMark, ModelRequest, ToolDefinition
from windowpane.definitions import Family, ProviderDefinition
from windowpane.messages import Message, Role
from windowpane.options import ReasoningOptions, RequestOptions
from windowpane.parts import Image, Part, Reasoning, Text, ToolCall, ToolResult
from windowpane.providers.choose import dialect_of
from windowpane.providers.http import Timeouts, Upstream
from windowpane.providers.pace import Pace
from windowpane.providers.remote import RemoteProvider

REMOTE: tuple[Family, ...] = (
    "openai_chat",
    "openai_responses",
    "anthropic",
    "bedrock",
    "google",
)
MODELS: dict[Family, str] = {
    "openai_chat": "gpt-5.2",
    "openai_responses": "gpt-5.2",
    "anthropic": "claude-sonnet-4-5",
    "bedrock": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "google": "gemini-3-pro-preview",
}
KEY = "sk-very-secret"
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg"
    "=="
)
every_family = pytest.mark.parametrize("family", REMOTE)


def say(id: str, role: Role, *parts: Part) -> Message:
    return msgspec.structs.replace(message(role, *parts), id=id)


def full_request(family: Family, *, is_streamed: bool) -> ModelRequest:
    """A plan's request with something of everything."""
    messages = (
        say(
            "rec_1",
            "user",
            Text(text="What is on it? »Grüße« \u2028"),
            Image(media_type="image/png", data=PIXEL),
        ),
        say(
            "rec_2",
            "assistant",
            Reasoning(text="I should look."),
            Text(text="Let me look."),
            ToolCall(call_id="call_1", name="look", arguments='{"at": "it"}'),
        ),
        say("rec_3", "tool", ToolResult(call_id="call_1", name="look", text="A pixel.")),
        say("rec_4", "assistant", Text(text="A pixel.")),
        say("rec_5", "user", Text(text="Thank you. And its colour?")),
    )
    return ModelRequest(
        model=MODELS[family],
        system="Be exact.\n\nPrevious Conversation Summary:\nThey spoke of pixels.",
        messages=messages,
        tools=(
            ToolDefinition(
                name="look",
                description="Looks at a thing.",
                schema=msgspec.Raw(b'{"type":"object","properties":{"at":{"type":"string"}}}'),
            ),
        ),
        marks=(CacheMark(after_message_id=None), CacheMark(after_message_id="rec_4")),
        max_output_tokens=4096,
        options=RequestOptions(
            reasoning=ReasoningOptions(effort="high", budget_tokens=2048),
            is_streamed=is_streamed,
        ),
    )


async def refuse(line: Line) -> bool:
    await line.send_whole(400, b'{"error": {"message": "no"}}')
    return True


@every_family
@pytest.mark.parametrize("is_streamed", [True, False])
async def test_the_bytes_that_are_shown_are_the_bytes_that_are_received(
    family: Family, is_streamed: bool
) -> None:
    request = full_request(family, is_streamed=is_streamed)
    async with loopback(refuse) as server, ClientSession() as session:
        definition = ProviderDefinition(
            id="prv_1", name="test", family=family, base_url=server.url, api_key=KEY
        )
        dialect = dialect_of(definition)
        upstream = Upstream(
            session,
            base_url=dialect.base_url,
            authorise=dialect.authorise,
            secrets=dialect.secrets,
            timeouts=Timeouts(connect_seconds=10, first_byte_seconds=60, chunk_seconds=60),
        )
        provider = RemoteProvider(dialect, upstream, listing=None, pace=Pace(0.0))
        shown = provider.to_wire(request)
        await heard(provider, request)
        [received] = server.received
    assert sha256(received.body).digest() == sha256(shown.body).digest()
    method, target, _ = received.line.split(" ")
    assert method == shown.method
    assert shown.url.endswith(target)
    assert {name: received.headers[name] for name in shown.headers} == shown.headers
    assert KEY not in repr(shown)
    assert any(KEY in value for value in received.headers.values())


@every_family
def test_every_source_of_a_request_has_its_place_in_the_body(family: Family) -> None:
    request = full_request(family, is_streamed=True)
    definition = ProviderDefinition(id="prv_1", name="test", family=family, api_key=KEY)
    shown = dialect_of(definition).to_wire(request)
    msgspec.json.decode(shown.body)
    sources = {(span.kind, span.id) for span in shown.spans}
    assert sources == {
        ("system", ""),
        ("tool", "look"),
        *(("message", one.id) for one in request.messages),
    }
    for span in shown.spans:
        msgspec.json.decode(shown.body[span.start : span.end])


@every_family
def test_the_same_request_gives_the_same_bytes(family: Family) -> None:
    definition = ProviderDefinition(id="prv_1", name="test", family=family, api_key=KEY)
    first, second = (
        dialect_of(definition).to_wire(full_request(family, is_streamed=True)) for _ in range(2)
    )
    assert first == second
