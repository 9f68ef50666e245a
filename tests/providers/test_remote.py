"""The one road of every provider behind HTTP, walked with the words of Chat Completions."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from tests.providers.asking import answered, asked, first_delta, streamed
from tests.providers.loopback import END_OF_BODY, STREAM_HEAD, Answering, Line, loopback
from windowpane.catalog import LimitValues
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import FailureKind, InvalidInput, ProviderFailed
from windowpane.events import PartDelta
from windowpane.providers.choose import Shared, provider_from
from windowpane.providers.http import STALE_SECONDS
from windowpane.providers.remote import RemoteProvider
from windowpane.settings import Settings
from windowpane.usage import TokenUsage

KEY = "sk-very-secret"
QUESTION = asked("Hello?", model="m1", system="Be kind.")
Making = Callable[..., RemoteProvider]


@pytest.fixture
async def making(tmp_path: Path) -> AsyncGenerator[Making, None]:
    """Makes providers for an address."""
    opened: list[Shared] = []

    def make(
        url: str,
        *,
        key: str = KEY,
        headers: dict[str, str] | None = None,
        models_endpoint: str = "",
        chunk_seconds: float = 60.0,
        join_seconds: float = 0.0,
    ) -> RemoteProvider:
        settings = Settings(
            data=str(tmp_path),
            connect_timeout_seconds=10.0,
            chunk_timeout_seconds=chunk_seconds,
            delta_join_seconds=join_seconds,
        )
        definition = ProviderDefinition(
            id="prv_1",
            name="test",
            family="openai_chat",
            base_url=url,
            api_key=key,
            headers=headers or {},
            models_endpoint=models_endpoint,
        )
        opened.append(Shared(settings))
        provider = provider_from(definition, shared=opened[-1])
        assert isinstance(provider, RemoteProvider)
        return provider

    yield make
    for shared in opened:
        await shared.close()


def said(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}}
    return b"data: " + msgspec.json.encode({"choices": [choice]}) + b"\n\n"


ENDED = (
    b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    b'data: {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}\n\n'
    b"data: [DONE]\n\n"
)


async def say_hello(line: Line) -> bool:
    await line.send(STREAM_HEAD)
    await line.send_chunk(said("Hel"))
    await line.send_chunk(said("lo."))
    await line.send_chunk(ENDED)
    await line.send(END_OF_BODY)
    return True


def refuse(status: int, body: str, *headers: str) -> Answering:
    async def answer(line: Line) -> bool:
        await line.send_whole(status, body.encode(), *headers)
        return True

    return answer


async def test_an_answer_is_streamed_with_usage_and_finish(making: Making) -> None:
    async with loopback(say_hello) as server:
        answer = await answered(making(server.url), QUESTION)
    assert (answer.text, answer.finish, answer.failure) == ("Hello.", "stop", None)
    assert answer.usage == TokenUsage(input_tokens=5, output_tokens=2)


async def test_the_bytes_that_are_shown_are_the_bytes_that_are_sent(making: Making) -> None:
    async with loopback(say_hello) as server:
        provider = making(server.url)
        wire = provider.to_wire(QUESTION)
        await answered(provider, QUESTION)
        (received,) = server.received
    assert received.line == "POST /v1/chat/completions HTTP/1.1"
    assert wire.url == f"{server.url}/chat/completions"
    assert received.body == wire.body
    assert received.headers.items() >= wire.headers.items()
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(wire)


async def test_without_a_key_none_is_sent(making: Making) -> None:
    async with loopback(say_hello) as server:
        await answered(making(server.url, key=""), QUESTION)
        assert "authorization" not in server.received[0].headers


async def test_answers_that_were_read_to_their_end_share_a_connection(making: Making) -> None:
    async with loopback(say_hello) as server:
        provider = making(server.url)
        await answered(provider, QUESTION)
        await answered(provider, QUESTION)
        assert [request.connection for request in server.received] == [1, 1]


async def test_a_connection_that_died_since_it_was_used_is_replaced_unseen(making: Making) -> None:
    async def only_once_each(line: Line) -> bool:
        request = server.received[-1]
        if any(
            one is not request and one.connection == request.connection for one in server.received
        ):
            return False
        return await say_hello(line)

    async with loopback(only_once_each) as server:
        provider = making(server.url)
        for _ in range(3):
            answer = await answered(provider, QUESTION)
            assert (answer.text, answer.failure) == ("Hello.", None)
        assert [one.connection for one in server.received] == [1, 1, 2, 2, 3]


async def test_a_request_that_was_worked_on_is_not_sent_a_second_time_unasked(
    making: Making,
) -> None:
    async def work_and_hang_up(line: Line) -> bool:
        if len(server.received) > 1:
            # Longer than a connection that was dead already takes to say so.
            await asyncio.sleep(STALE_SECONDS + 0.2)
            return False
        return await say_hello(line)

    async with loopback(work_and_hang_up) as server:
        provider = making(server.url)
        await answered(provider, QUESTION)
        answer = await answered(provider, QUESTION)
        assert len(server.received) == 2
    assert answer.failure is not None
    assert answer.failure.kind == "net"


async def test_an_answer_that_broke_off_in_its_head_is_not_asked_for_again(making: Making) -> None:
    async def begin_and_hang_up(line: Line) -> bool:
        if len(server.received) > 1:
            await line.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/ev")
            return False
        return await say_hello(line)

    async with loopback(begin_and_hang_up) as server:
        provider = making(server.url)
        await answered(provider, QUESTION)
        answer = await answered(provider, QUESTION)
        assert len(server.received) == 2
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert "it hung up within the head of its answer" in answer.failure.message


async def test_a_second_dead_connection_is_a_failure_and_not_replaced_too(making: Making) -> None:
    both_asked = asyncio.Barrier(2)

    async def both_then_nobody(line: Line) -> bool:
        if len(server.received) > 2:
            return False
        await both_asked.wait()
        return await say_hello(line)

    async with loopback(both_then_nobody) as server:
        provider = making(server.url)
        await asyncio.gather(answered(provider, QUESTION), answered(provider, QUESTION))
        answer = await answered(provider, QUESTION)
        assert len(server.received) == 4
    assert answer.failure is not None
    assert answer.failure.kind == "net"


async def test_a_new_connection_that_dies_is_a_failure_and_not_tried_again(making: Making) -> None:
    async def hang_up(line: Line) -> bool:
        return False

    async with loopback(hang_up) as server:
        answer = await answered(making(server.url), QUESTION)
        assert len(server.received) == 1
    assert answer.failure is not None
    assert answer.failure.kind == "net"


async def test_closing_the_stream_hangs_up_at_once(making: Making) -> None:
    gone = asyncio.Event()

    async def talk_on(line: Line) -> bool:
        await line.send(STREAM_HEAD)
        await line.send_chunk(said("Once upon"))
        await line.hung_up()
        gone.set()
        return False

    async with loopback(talk_on) as server:
        async with aclosing(streamed(making(server.url), QUESTION)) as stream:
            assert await first_delta(stream) == "Once upon"
            assert not gone.is_set()
        await asyncio.wait_for(gone.wait(), 30)


async def test_cancelling_while_waiting_for_the_answer_hangs_up(making: Making) -> None:
    gone = asyncio.Event()

    async def say_nothing(line: Line) -> bool:
        await line.hung_up()
        gone.set()
        return False

    async with loopback(say_nothing) as server:
        waiting = asyncio.ensure_future(answered(making(server.url), QUESTION))
        while not server.received:
            await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.wait_for(gone.wait(), 30)


async def test_a_cut_keeps_all_text_that_came_before_it(making: Making) -> None:
    async def break_off(line: Line) -> bool:
        await line.send(STREAM_HEAD)
        for number in range(50):
            await line.send_chunk(said(f"{number} "))
        return False

    async with loopback(break_off) as server:
        answer = await answered(making(server.url, join_seconds=0.02), QUESTION)
    assert answer.text == "".join(f"{number} " for number in range(50))
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert answer.finish is None


async def test_a_provider_that_falls_silent_is_given_up_with_its_text_kept(making: Making) -> None:
    async def fall_silent(line: Line) -> bool:
        await line.send(STREAM_HEAD)
        await line.send_chunk(said("So far"))
        await line.hung_up()
        return False

    async with loopback(fall_silent) as server:
        answer = await answered(making(server.url, chunk_seconds=1.0), QUESTION)
    assert answer.text == "So far"
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert "nothing for 1 seconds" in answer.failure.message


async def test_an_answer_whose_body_never_ends_is_complete_at_its_end_mark(making: Making) -> None:
    async def stay_on_the_line(line: Line) -> bool:
        await line.send(STREAM_HEAD)
        await line.send_chunk(said("Done.") + ENDED)
        await line.hung_up()
        return False

    async with loopback(stay_on_the_line) as server:
        answer = await answered(making(server.url), QUESTION)
    assert (answer.text, answer.finish) == ("Done.", "stop")


async def test_deltas_that_follow_each_other_closely_are_told_together(making: Making) -> None:
    first_is_told = asyncio.Event()

    async def hurry(line: Line) -> bool:
        await line.send(STREAM_HEAD)
        await line.send_chunk(said("first "))
        await first_is_told.wait()
        for _ in range(20):
            await line.send_chunk(said("x"))
        await line.send_chunk(ENDED)
        await line.send(END_OF_BODY)
        return True

    deltas: list[str] = []
    async with loopback(hurry) as server:
        async with aclosing(streamed(making(server.url, join_seconds=0.5), QUESTION)) as stream:
            async for event in stream:
                if isinstance(event, PartDelta):
                    deltas.append(event.text)
                    first_is_told.set()
    assert "".join(deltas) == "first " + "x" * 20
    assert len(deltas) < 10


async def test_a_server_that_does_not_stream_is_understood(making: Making) -> None:
    body = '{"choices": [{"message": {"content": "All at once."}, "finish_reason": "stop"}]}'
    async with loopback(refuse(200, body, "content-type: application/json")) as server:
        answer = await answered(making(server.url), QUESTION)
    assert (answer.text, answer.finish) == ("All at once.", "stop")


@pytest.mark.parametrize(
    ("status", "body", "kind", "sentence"),
    [
        (401, f'{{"error": {{"message": "Bad key {KEY}"}}}}', "auth", "Bad key [key]"),
        (500, '{"error": {"message": "Oops"}}', "server", "Oops"),
        (503, "", "overloaded", "no reason (status 503)"),
        (
            400,
            '{"error": {"code": "context_length_exceeded", "message": "9 > 8"}}',
            "overflow",
            "9",
        ),
        (404, '{"error": {"message": "model m1 not found"}}', "model", "model m1 not found"),
        (404, "404 page not found", "invalid", "check the base URL"),
        (302, "", "invalid", "check the base URL"),
    ],
)
async def test_a_refusal_is_told_in_the_providers_words(
    making: Making, status: int, body: str, kind: FailureKind, sentence: str
) -> None:
    async with loopback(refuse(status, body, "location: http://127.0.0.1:1/")) as server:
        answer = await answered(making(server.url), QUESTION)
    assert answer.failure is not None
    assert (answer.failure.kind, answer.failure.http_status) == (kind, status)
    assert sentence in answer.failure.message
    assert KEY not in answer.failure.message


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("retry-after: 4", 4.0),
        ("retry-after: 0.5", 0.5),
        ("retry-after: Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
        ("retry-after: soon", None),
        ("retry-after-ms: 1500", 1.5),
        ("x-ratelimit-reset: 1700000000000", 0.0),
        ("x-ratelimit-reset: 60", None),
        ("x-other: 1", None),
    ],
)
async def test_a_rate_limit_says_when_to_come_again(
    making: Making, header: str, seconds: float | None
) -> None:
    body = '{"error": {"message": "Slow down", "code": "rate_limit_exceeded"}}'
    async with loopback(refuse(429, body, header)) as server:
        answer = await answered(making(server.url), QUESTION)
    assert answer.failure is not None
    assert answer.failure.kind == "quota"
    assert answer.failure.retry_after_seconds == seconds


async def test_a_limit_that_ends_at_a_moment_says_how_long_that_is(making: Making) -> None:
    reset = int((datetime.now(UTC).timestamp() + 100) * 1000)
    async with loopback(refuse(429, "", f"x-ratelimit-reset: {reset}")) as server:
        answer = await answered(making(server.url), QUESTION)
    assert answer.failure is not None
    assert 0 < (answer.failure.retry_after_seconds or 0) <= 100


async def test_a_wait_is_kept_only_where_waiting_helps(making: Making) -> None:
    for status, seconds in ((503, 4.0), (400, None)):
        async with loopback(refuse(status, "", "retry-after: 4")) as server:
            answer = await answered(making(server.url), QUESTION)
        assert answer.failure is not None
        assert answer.failure.retry_after_seconds == seconds


async def test_extra_headers_are_sent_and_never_shown(making: Making) -> None:
    body = '{"error": {"message": "The token tok-12345 is wrong"}}'
    async with loopback(refuse(401, body)) as server:
        provider = making(server.url, headers={"x-token": "tok-12345"})
        answer = await answered(provider, QUESTION)
        assert server.received[0].headers["x-token"] == "tok-12345"
    assert answer.failure is not None
    assert answer.failure.message == "The token [key] is wrong"
    assert "tok-12345" not in str(provider.to_wire(QUESTION))


async def test_an_address_where_nobody_listens_is_named(making: Making) -> None:
    async with loopback(say_hello) as server:
        url = server.url
    answer = await answered(making(url), QUESTION)
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert answer.failure.message.startswith(f"{url} cannot be reached: ")


@pytest.mark.parametrize(
    "url", ["api.example.com/v1", "ftp://example.com", "http://", "http://me:pw@host/v1"]
)
async def test_a_base_url_that_cannot_work_is_refused(making: Making, url: str) -> None:
    with pytest.raises(InvalidInput, match="base URL"):
        making(url)


async def test_a_key_that_cannot_be_one_is_refused_without_naming_it(making: Making) -> None:
    with pytest.raises(InvalidInput, match="API key") as refusal:
        making("http://127.0.0.1:1/v1", key="sk-two\nlines")
    assert "sk-two" not in str(refusal.value)


async def test_the_proxy_of_the_environment_is_used(
    making: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with loopback(say_hello) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.replace("http://", "http://me:pw@"))
        monkeypatch.delenv("no_proxy", raising=False)
        answer = await answered(making("http://model.invalid/v1"), QUESTION)
        assert answer.text == "Hello."
        assert proxy.received[0].line.startswith("POST http://model.invalid/v1/chat/completions")
        assert proxy.received[0].headers["proxy-authorization"].startswith("Basic ")


async def test_the_environment_can_name_hosts_that_need_no_proxy(
    making: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    async with loopback(say_hello) as server:
        assert (await answered(making(server.url), QUESTION)).text == "Hello."


@pytest.mark.parametrize(
    "body",
    [
        '{"data": [{"id": "a", "context_length": 8}, {"id": "b", "max_model_len": 9}, {"id":"c"}]}',
        '[{"id": "a", "context_window": 8}, {"id": "b", "max_context_length": 9}, {"id": "c"}]',
    ],
)
async def test_models_are_listed_with_their_windows_where_told(making: Making, body: str) -> None:
    async with loopback(refuse(200, body, "content-type: application/json")) as server:
        listed = await making(server.url).models()
        assert server.received[0].line == "GET /v1/models HTTP/1.1"
    assert listed == [
        ModelInfo(name="a", context_window_tokens=8),
        ModelInfo(name="b", context_window_tokens=9),
        ModelInfo(name="c"),
    ]


async def test_another_address_may_list_the_models_and_gets_no_key(making: Making) -> None:
    listing = refuse(200, '["a"]', "content-type: application/json")
    async with loopback(listing) as lister:
        provider = making("http://127.0.0.1:1/v1", models_endpoint=f"{lister.url}/list")
        assert await provider.models() == [ModelInfo(name="a")]
        assert lister.received[0].line == "GET /v1/list HTTP/1.1"
        assert "authorization" not in lister.received[0].headers


@pytest.mark.parametrize(("status", "body"), [(200, "<html>"), (404, "Not here")])
async def test_a_list_of_models_that_is_none_points_to_the_base_url(
    making: Making, status: int, body: str
) -> None:
    async with loopback(refuse(status, body)) as server:
        with pytest.raises(ProviderFailed, match=r"[Cc]heck the base URL"):
            await making(server.url).models()


def teaching(status: int, *headers: str) -> Answering:
    body = '{"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]}'
    return refuse(status, body, "content-type: application/json", *headers)


async def learned(making: Making, *answers: Answering) -> LimitValues:
    """What a model's limits are after these answers."""
    waiting = list(answers)

    async def answer(line: Line) -> bool:
        return await waiting.pop(0)(line)

    async with loopback(answer) as server:
        provider = making(server.url)
        assert provider.learned_limits("m1") == LimitValues()
        for _ in answers:
            await answered(provider, QUESTION)
        assert provider.learned_limits("m2") == LimitValues(), "another model has its own"
        return provider.learned_limits("m1")


TOLD = ("X-RateLimit-Limit-Tokens: 30000", "x-ratelimit-limit-requests-minute: 50")


@pytest.mark.parametrize("status", [200, 429])
async def test_the_headers_of_an_answer_teach_the_quotas_of_its_model(
    making: Making, status: int
) -> None:
    taught = await learned(making, teaching(status, *TOLD))
    assert taught == LimitValues(tokens_per_minute=30_000, requests_per_minute=50)


async def test_the_last_answer_that_tells_limits_decides(making: Making) -> None:
    taught = await learned(
        making,
        teaching(200, *TOLD),
        teaching(429, "x-ratelimit-limit-tokens: 20000"),
        teaching(200),
        teaching(500, "x-ratelimit-limit-tokens: unlimited"),
    )
    assert taught == LimitValues(tokens_per_minute=20_000)


async def test_requests_of_a_minute_are_read_where_the_address_says_so(making: Making) -> None:
    """The same header counts those of a day elsewhere; here the address tells nothing."""
    taught = await learned(making, teaching(200, "x-ratelimit-limit-requests: 500"))
    assert taught == LimitValues()
