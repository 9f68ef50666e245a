"""A chat with tools: the tools, a model that calls them, and what there is to see of it."""

from collections.abc import Sequence
from pathlib import Path

from tests.workspaces import MODEL, does, new_chat, script, until_paused
from windowpane.asking import SendRequest
from windowpane.events import Event
from windowpane.messages import Message
from windowpane.parts import ToolResult
from windowpane.providers.scripted import Call, Reply, ScriptedProvider
from windowpane.tools.scripted import Answer, Break, Give, Hang, Tell, ToolScript
from windowpane.turns import TurnContent
from windowpane.workspace import Workspace

LOOK = ToolScript(name="look", steps=(Answer(text="an open door"),))
WRITE = ToolScript(name="write", steps=(Answer(text="written"),), approval="ask")
BROKEN = ToolScript(name="broken", steps=(Break(message="no"),))
HANGING = ToolScript(
    name="hanging", steps=(Tell(message="at it", fraction=0.5), Give(text="so far"), Hang())
)


def calls(*names: str) -> Reply:
    """A model that calls these tools at once; each call's id is its tool's name and place."""
    made = [Call(call_id=f"{name}-{n}", name=name, arguments="{}") for n, name in enumerate(names)]
    return does(*made)


async def chat_with(
    workspace: Workspace, folder: Path, replies: Sequence[Reply], *tools: ToolScript
) -> str:
    await script(workspace, folder=folder, replies=replies, tools=tools or (LOOK,))
    return await new_chat(workspace)


async def paused(workspace: Workspace, chat_id: str) -> TurnContent:
    """Send, and wait until the turn waits."""
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="go"))
    await until_paused(workspace, chat_id, after=position)
    return await newest(workspace, chat_id)


async def newest(workspace: Workspace, chat_id: str) -> TurnContent:
    return (await workspace.page(chat_id, before_depth=None, limit=1)).turns[-1]


async def until_event(workspace: Workspace, chat_id: str, kind: type[Event]) -> None:
    with workspace.follow_turn(chat_id) as reader:
        while not any(isinstance(logged.event, kind) for logged in await reader.read()):
            pass


def results(messages: Sequence[Message]) -> list[ToolResult]:
    return [part for one in messages for part in one.parts if isinstance(part, ToolResult)]


def requests(workspace: Workspace) -> list[tuple[Message, ...]]:
    provider, _ = workspace.models.resolve(MODEL)
    assert isinstance(provider, ScriptedProvider)
    return [request.messages for request in provider.requests]
