"""How an answer comes in, or does not: silence, breaks and bytes that are none of HTTP's."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

import msgspec
import pytest
from aiohttp import ClientSession

from tests.providers.asking import Answer, answered, asked, first_delta, streamed
from tests.providers.loopback import END_OF_BODY, STREAM_HEAD, Answering, Line, loopback
from tests.providers.recordings import dialect_for
from windowpane.errors import ProviderFailed
from windowpane.events import Finished
from windowpane.providers.http import Upstream
from windowpane.providers.incoming import Timeouts
from windowpane.providers.pace import Pace
from windowpane.providers.remote import RemoteProvider

SOON = 0.2
# What is sent apart by this much is received apart.
PACKET_SECONDS = 0.02
LATE = 60.0
QUESTION = asked("Hello?", model="m1")
KEY = "sk-very-secret"
HELLO = b'data: {"choices": [{"index": 0, "delta": {"content": "Hello."}}]}\n\n'
ENDED = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
WHOLE = b'{"choices": [{"message": {"content": "Hello."}, "finish_reason": "stop"}]}'


def timeouts(*, connect: float = LATE, first_byte: float = LATE, chunk: float = LATE) -> Timeouts:
    return Timeouts(connect_seconds=connect, first_byte_seconds=first_byte, chunk_seconds=chunk)


@asynccontextmanager
async def provider_at(url: str, patience: Timeouts) -> AsyncGenerator[RemoteProvider, None]:
    async with ClientSession() as session:
        dialect = dialect_for("openai_chat", base_url=url)
        upstream = Upstream(
            session,
            base_url=dialect.base_url,
            authorise=dialect.authorise,
            secrets=dialect.secrets,
            timeouts=patience,
        )
        yield RemoteProvider(dialect, upstream, listing=None, pace=Pace(0.0))


async def heard(answering: Answering, patience: Timeouts) -> Answer:
    async with loopback(answering) as server, provider_at(server.url, patience) as provider:
        return await answered(provider, QUESTION)


def sending(*pieces: bytes) -> Answering:
    """Send these bytes, one after the other, and hang up."""

    async def answer(line: Line) -> bool:
        for piece in pieces:
            await line.send(piece)
            await asyncio.sleep(PACKET_SECONDS)
        return False

    return answer


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def falling_silent_after(*pieces: bytes) -> Answering:
    async def answer(line: Line) -> bool:
        for piece in pieces:
            await line.send(piece)
        await line.hung_up()
        return False

    return answer


async def test_a_connection_that_does_not_come_about_is_given_up() -> None:
    """The socket is there, but nobody speaks TLS behind it."""
    async with (
        loopback(falling_silent_after()) as server,
        provider_at(server.url.replace("http:", "https:"), timeouts(connect=SOON)) as provider,
    ):
        answer = await answered(provider, QUESTION)
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert "no connection came about within 0.2 seconds" in answer.failure.message


async def test_a_proxy_that_never_says_a_word_is_given_up_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with loopback(falling_silent_after()) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        async with provider_at("https://model.invalid/v1", timeouts(connect=SOON)) as provider:
            answer = await answered(provider, QUESTION)
        assert proxy.received[0].line.startswith("CONNECT model.invalid:443")
    assert answer.failure is not None
    assert "no connection came about" in answer.failure.message


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1080", "127.0.0.1:1", "http://127.0.0.1:1"])
async def test_a_proxy_that_cannot_be_used_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    async with provider_at("http://model.invalid/v1", timeouts()) as provider:
        answer = await answered(provider, QUESTION)
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert "cannot be reached" in answer.failure.message


async def test_an_answer_that_does_not_begin_is_given_up() -> None:
    answer = await heard(falling_silent_after(), timeouts(first_byte=SOON, chunk=LATE))
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert "did not answer in time" in answer.failure.message


async def test_an_answer_begins_with_its_body_not_with_its_headers() -> None:
    """Some servers send headers at once and read the prompt only then."""
    patience = timeouts(first_byte=SOON, chunk=LATE)
    answer = await heard(falling_silent_after(STREAM_HEAD), patience)
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert "nothing for 0.2 seconds" in answer.failure.message

    async def think_long(line: Line) -> bool:
        await line.send(STREAM_HEAD)
        await asyncio.sleep(2 * SOON)
        await line.send(chunked(HELLO + ENDED) + END_OF_BODY)
        return True

    answer = await heard(think_long, timeouts(first_byte=LATE, chunk=SOON))
    assert (answer.text, answer.failure) == ("Hello.", None)


async def test_silence_within_an_answer_has_a_limit_of_its_own() -> None:
    answer = await heard(falling_silent_after(STREAM_HEAD, chunked(HELLO)), timeouts(chunk=SOON))
    assert answer.text == "Hello."
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert "nothing for 0.2 seconds" in answer.failure.message


async def test_a_reader_that_is_slow_is_not_taken_for_a_silent_provider() -> None:
    """As when the database is gone for a while."""

    async def say_the_rest(line: Line) -> bool:
        await line.send(STREAM_HEAD + chunked(HELLO))
        await asyncio.sleep(SOON / 2)
        await line.send(chunked(ENDED) + END_OF_BODY)
        return True

    async with (
        loopback(say_the_rest) as server,
        provider_at(server.url, timeouts(chunk=SOON)) as provider,
        aclosing(streamed(provider, QUESTION)) as stream,
    ):
        assert await first_delta(stream) == "Hello."
        await asyncio.sleep(3 * SOON)
        rest = [event async for event in stream]
    assert rest[-1] == Finished(finish="stop")


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        (HEAD % len(WHOLE), WHOLE[:30]),
        # Without a length nothing but the JSON tells that it is not all.
        (b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", WHOLE[:30]),
        (STREAM_HEAD, b"ffff\r\n", HELLO),
        (STREAM_HEAD, chunked(HELLO), b"not a length\r\n"),
        (STREAM_HEAD.replace(b"\r\n\r\n", b"\r\ncontent-encoding: gzip\r\n\r\n"), chunked(b"zip")),
    ],
)
async def test_an_answer_that_breaks_off_is_a_net_failure(pieces: tuple[bytes, ...]) -> None:
    answer = await heard(sending(*pieces), timeouts())
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert answer.text == ("Hello." if HELLO in b"".join(pieces) else "")


@pytest.mark.parametrize("garbage", [b"", b"\x00\x01\x02\r\n\r\n", b"HTTP/1.1 banana\r\n\r\n"])
async def test_an_answer_that_is_no_http_says_who_was_asked(garbage: bytes) -> None:
    answer = await heard(sending(garbage), timeouts())
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert "cannot be reached" in answer.failure.message


async def test_a_refusal_that_breaks_off_is_still_a_refusal() -> None:
    head = b"HTTP/1.1 401 X\r\ncontent-length: 999\r\n\r\n"
    answer = await heard(sending(head, b'{"error": {"message": "Wrong k'), timeouts())
    assert answer.failure is not None
    assert (answer.failure.kind, answer.failure.http_status) == ("auth", 401)


async def test_a_list_of_models_that_breaks_off_is_not_blamed_on_the_address() -> None:
    async with (
        loopback(sending(HEAD % 999, b'{"data": [')) as server,
        provider_at(server.url, timeouts()) as provider,
    ):
        with pytest.raises(ProviderFailed) as failed:
            await provider.models()
    assert failed.value.failure.kind == "net"


@pytest.mark.parametrize("content_type", ["text/event-stream", "application/json"])
async def test_an_answer_that_is_none_is_quoted_without_the_key(content_type: str) -> None:
    """A server at a wrong address may give back what it was sent."""
    echoed = b'data: "authorization: Bearer %b"\n\n' % KEY.encode()
    body = echoed if "stream" in content_type else msgspec.json.encode({"sent": f"Bearer {KEY}"})

    async def echo(line: Line) -> bool:
        await line.send_whole(200, body, f"content-type: {content_type}")
        return True

    answer = await heard(echo, timeouts())
    assert answer.failure is not None
    assert answer.failure.kind == "server"
    assert "Bearer [key]" in answer.failure.message
