from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.providers.asking import answered, asked
from tests.providers.loopback import END_OF_BODY, STREAM_HEAD, Line, loopback
from tests.providers.recordings import dialect_for
from tests.providers.wires import wires
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.providers.base import Provider, WireRequest
from windowpane.providers.choose import Shared, dialect_of, provider_from
from windowpane.settings import Settings

QUESTION = asked("Hello?", model="gpt-5.2", system="Be kind.")
TEXT = wires("openai_responses")["text"]


@pytest.fixture
async def shared(tmp_path: Path) -> AsyncGenerator[Shared, None]:
    shared = Shared(Settings(data=str(tmp_path)))
    yield shared
    await shared.close()


def provider(url: str, shared: Shared) -> Provider:
    definition = ProviderDefinition(
        id="prv_1", name="test", family="openai_responses", base_url=url, api_key="sk-very-secret"
    )
    return provider_from(definition, shared=shared)


async def say_hello(line: Line) -> bool:
    await line.send(STREAM_HEAD)
    await line.send_chunk(TEXT.body)
    await line.send(END_OF_BODY)
    return True


async def test_an_answer_is_streamed_with_usage_and_finish(shared: Shared) -> None:
    async with loopback(say_hello) as server:
        answer = await answered(provider(server.url, shared), QUESTION)
        (received,) = server.received
    assert received.line == "POST /v1/responses HTTP/1.1"
    assert received.headers["accept"] == "text/event-stream"
    assert received.headers["authorization"] == "Bearer sk-very-secret"
    assert (answer.parts, answer.usage) == (TEXT.answer.parts, TEXT.answer.usage)
    assert (answer.finish, answer.failure) == ("stop", None)


async def test_a_server_that_does_not_stream_is_understood(shared: Shared) -> None:
    async def say_it_at_once(line: Line) -> bool:
        body = (
            b'{"status": "completed", "output": [{"type": "message", "content": '
            b'[{"type": "output_text", "text": "All at once."}]}]}'
        )
        await line.send_whole(200, body, "content-type: application/json")
        return True

    async with loopback(say_it_at_once) as server:
        answer = await answered(provider(server.url, shared), QUESTION)
    assert (answer.text, answer.finish) == ("All at once.", "stop")


def test_without_a_base_url_it_is_openai() -> None:
    definition = ProviderDefinition(id="prv_1", name="openai", family="openai_responses")
    wire = dialect_of(definition).to_wire(QUESTION)
    assert wire.url == "https://api.openai.com/v1/responses"
    assert not dialect_of(definition).authorise(wire)


def test_azure_gets_the_key_in_a_header_of_its_own() -> None:
    url = "https://us.openai.azure.com/openai/v1/"
    definition = ProviderDefinition(
        id="prv_1", name="azure", family="openai_responses", base_url=url, api_key="k"
    )
    dialect = dialect_of(definition)
    wire = dialect.to_wire(QUESTION)
    assert wire.url == f"{url}responses"
    assert dialect.authorise(wire) == {"api-key": "k"}


async def test_models_are_listed() -> None:
    async def fetch(wire: WireRequest) -> bytes:
        assert (wire.method, wire.url) == ("GET", "https://models.example/v1/models")
        return b'{"data": [{"id": "gpt-5.2"}]}'

    assert await dialect_for("openai_responses").models(fetch) == [ModelInfo(name="gpt-5.2")]
