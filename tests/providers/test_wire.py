"""What holds for every family: the bytes that are shown are the bytes that a server receives."""

import asyncio
from contextlib import aclosing
from hashlib import sha256

import msgspec
import pytest
from aiohttp import ClientSession

from tests.providers.asking import first_delta, heard, say, streamed
from tests.providers.loopback import STREAM_HEAD, Line, loopback
from tests.providers.wires import wires
from windowpane.context.request import CacheMark, ModelRequest, ToolDefinition
from windowpane.definitions import Family, ProviderDefinition
from windowpane.options import ReasoningOptions, RequestOptions
from windowpane.parts import Image, Native, Reasoning, Text, ToolCall, ToolResult
from windowpane.providers.anthropic import BedrockMessagesDialect
from windowpane.providers.base import Dialect
from windowpane.providers.choose import dialect_of
from windowpane.providers.http import Upstream
from windowpane.providers.incoming import Timeouts
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
# The blocks of a thought, a text and a call as each family writes them itself.
BLOCKS: dict[Family, tuple[str, str, str]] = {
    "openai_chat": ('{"reasoning_content":"I should look."}', "{}", "{}"),
    "openai_responses": (
        '{"id":"rs_1","type":"reasoning","encrypted_content":"c2VhbA==","summary":[]}',
        '{"id":"msg_1","type":"message","role":"assistant","content":'
        '[{"type":"output_text","text":"Let me look.","annotations":[]}]}',
        '{"id":"fc_1","type":"function_call","call_id":"call_1","name":"look",'
        '"arguments":"{\\"at\\": \\"it\\"}"}',
    ),
    "anthropic": (
        '{"type":"thinking","thinking":"I should look.","signature":"c2ln"}',
        '{"type":"text","text":"Let me look."}',
        '{"type":"tool_use","id":"call_1","name":"look","input":{"at":"it"}}',
    ),
    "bedrock": (
        '{"reasoningContent":{"reasoningText":{"text":"I should look.","signature":"c2ln"}}}',
        '{"text":"Let me look."}',
        '{"toolUse":{"toolUseId":"call_1","name":"look","input":{"at":"it"}}}',
    ),
    "google": (
        '[{"text":"I should look.","thought":true,"thoughtSignature":"c2ln"}]',
        '[{"text":"Let me look."}]',
        '[{"functionCall":{"id":"call_1","name":"look","args":{"at":"it"}},'
        '"thoughtSignature":"c2ln"}]',
    ),
}


def full_request(family: Family, *, is_streamed: bool) -> ModelRequest:
    """A plan's request with something of everything, after an answer of the same family."""
    thought, speech, call = (Native(family=family, block=block) for block in BLOCKS[family])
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
            Reasoning(text="I should look.", native=thought),
            Text(text="Let me look.", native=speech),
            ToolCall(call_id="call_1", name="look", arguments='{"at": "it"}', native=call),
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


def roads(base_url: str) -> dict[str, Dialect]:
    """Every family at this address, and Claude by way of Amazon."""
    definitions = {
        family: ProviderDefinition(
            id="prv_1", name="test", family=family, base_url=base_url, api_key=KEY
        )
        for family in REMOTE
    }
    dialects: dict[str, Dialect] = {
        name: dialect_of(definition) for name, definition in definitions.items()
    }
    return {**dialects, "on_bedrock": BedrockMessagesDialect(definitions["anthropic"])}


def provider_of(dialect: Dialect, session: ClientSession) -> RemoteProvider:
    upstream = Upstream(
        session,
        base_url=dialect.base_url,
        authorise=dialect.authorise,
        secrets=dialect.secrets,
        timeouts=Timeouts(connect_seconds=10, first_byte_seconds=60, chunk_seconds=60),
    )
    return RemoteProvider(dialect, upstream, listing=None, pace=Pace(0.0))


@pytest.mark.parametrize(
    ("road", "family"), [*((family, family) for family in REMOTE), ("on_bedrock", "anthropic")]
)
@pytest.mark.parametrize("is_streamed", [True, False])
async def test_the_bytes_that_are_shown_are_the_bytes_that_are_received(
    road: str, family: Family, is_streamed: bool
) -> None:
    request = full_request(family, is_streamed=is_streamed)
    async with loopback(refuse) as server, ClientSession() as session:
        provider = provider_of(roads(server.url)[road], session)
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
async def test_stopping_closes_the_connection_within_a_second(family: Family) -> None:
    begun, gone = wires(family)["text"].body, asyncio.Event()
    kind = "application/vnd.amazon.eventstream" if family == "bedrock" else "text/event-stream"

    async def talk_on(line: Line) -> bool:
        await line.send(STREAM_HEAD.replace(b"text/event-stream", kind.encode()))
        await line.send_chunk(begun[: len(begun) * 3 // 4])
        await line.hung_up()
        gone.set()
        return False

    async with loopback(talk_on) as server, ClientSession() as session:
        provider = provider_of(roads(server.url)[family], session)
        async with aclosing(streamed(provider, full_request(family, is_streamed=True))) as stream:
            assert await first_delta(stream)
            assert not gone.is_set()
        async with asyncio.timeout(1):
            await gone.wait()


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
