"""A real server that others wrote, as a provider: streaming, stopping, and running out of room."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.llama_server import llama_server
from tests.workspaces import ask, until_ended, workspace_over
from windowpane.asking import PlanRequest, SendRequest
from windowpane.definitions import ProviderDefinition
from windowpane.events import PartDelta
from windowpane.ids import new_id
from windowpane.storage.choose import store_from
from windowpane.workspace import Workspace

WINDOW_TOKENS = 1024
LONG_TEXT = "The quick brown fox jumps over the lazy dog, again and again. " * 12
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with llama_server(window_tokens=WINDOW_TOKENS) as url:
        yield url


@pytest.fixture
async def workspace(data_dir: Path, server: str) -> AsyncIterator[Workspace]:
    store = store_from(str(data_dir / "windowpane.sqlite3"))
    async with workspace_over(store, folder=data_dir, replies=()) as opened:
        definition = ProviderDefinition(
            id=new_id("provider"),
            name="llama",
            family="openai_chat",
            base_url=server,
            is_local=True,
        )
        await opened.models.add(definition)
        yield opened


async def llama_chat(workspace: Workspace) -> str:
    [model] = [
        choice.name
        for choice in (await workspace.models.choices(is_refreshed=True)).choices
        if choice.provider == "llama"
    ]
    project = await workspace.create_project(name="Ledger")
    chat = await workspace.create_chat(project.id)
    await workspace.choose_model(chat.id, model=model)
    return chat.id


async def test_it_streams_and_reports_what_it_used(workspace: Workspace) -> None:
    chat_id = await llama_chat(workspace)
    content = await ask(workspace, chat_id, "Say hello in one word.")
    reply = content.messages[-1]
    assert content.turn.state == "complete"
    assert reply.text
    assert reply.usage is not None
    assert reply.usage.request_tokens > 0
    assert reply.usage.output_tokens > 0


async def test_a_stop_keeps_the_text_and_frees_the_server_at_once(workspace: Workspace) -> None:
    chat_id = await llama_chat(workspace)
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="Count from one to two hundred in words."))
    with workspace.follow(chat_id, after=position) as reader:
        while not any(isinstance(one.event, PartDelta) for one in await reader.read()):
            pass
    await workspace.stop(chat_id)
    await until_ended(workspace, chat_id, after=position)
    [content] = (await workspace.page(chat_id, before_depth=None, limit=1)).turns
    assert content.turn.state == "aborted"
    assert content.messages[-1].text
    # The one slot of the server is free again: the next answer begins.
    async with asyncio.timeout(60):
        assert (await ask(workspace, chat_id, "Say yes.")).turn.state == "complete"


async def test_a_request_that_it_refuses_is_trimmed_and_answered(workspace: Workspace) -> None:
    """Nobody told the window beforehand, so the server's own error is what teaches it."""
    chat_id = await llama_chat(workspace)
    for number in range(4):
        content = await ask(workspace, chat_id, f"Part {number}. {LONG_TEXT}")
        assert content.turn.failure is None, content.turn.failure
        assert content.turn.state == "complete"
    plan = await workspace.plan(chat_id, PlanRequest())
    assert plan.budget.window_tokens == 1024, "the refusal taught the window"
