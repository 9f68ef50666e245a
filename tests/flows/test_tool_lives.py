"""Random lives of a chat with tools: what is sent is whole, and there is always a way on."""

import asyncio
import copy
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from tests.workspaces import KEY, MODEL, ask, does, new_chat, says, script, settings_in
from windowpane.asking import SendRequest
from windowpane.errors import Failure, SendRefused
from windowpane.messages import Message
from windowpane.parts import ToolCall, ToolResult
from windowpane.providers.scripted import Call, Cut, Fail, Reply, Say, ScriptedProvider, Step
from windowpane.storage.memory import MemoryStore
from windowpane.storage.turn_pages import SETTLED
from windowpane.storage.vault import Vault
from windowpane.tools.scripted import Answer, Break, Give, Hang, Tell, ToolScript, Wait
from windowpane.turns import Decision, TurnContent
from windowpane.workspace import Workspace

TOOLS = (
    ToolScript(name="look", steps=(Tell(message="looking"), Answer(text="seen"))),
    ToolScript(name="slow", steps=(Wait(seconds=0.002), Answer(text="late")), is_simple=False),
    ToolScript(name="write", steps=(Give(text="w"), Answer(text="written")), approval="ask"),
    ToolScript(name="remove", steps=(Answer(text="removed"),), approval="ask"),
    ToolScript(name="forbidden", steps=(Answer(text="never"),), approval="never"),
    ToolScript(name="broken", steps=(Break(message="no"),)),
    ToolScript(name="hanging", steps=(Give(text="so far"), Hang())),
)
NAMES = [*(tool.name for tool in TOOLS), "unknown", "recall"]


class Send(Struct, frozen=True):
    text: str


class Decide(Struct, frozen=True):
    """Accept or reject some of the calls that wait; none of the places means all."""

    decision: Decision
    places: frozenset[int]


class Act(Struct, frozen=True):
    kind: Literal["stop", "soft stop", "restart", "kill", "settle"]


Operation = Send | Decide | Act

# Servers give every call an id of its own, or count them from one in every round.
call_ids = st.sampled_from(["own", "counted"])
called = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["{}", '{"query": "seen"}', "{"])),
    min_size=1,
    max_size=4,
)
endings = st.sampled_from([*["whole"] * 8, "cut", "failed"])
operations = (
    st.builds(Send, st.sampled_from(["go", "", "again"]))
    | st.builds(
        Decide,
        st.sampled_from(["accept", "reject"]),
        st.frozensets(st.integers(0, 3), max_size=2),
    )
    | st.builds(Act, st.sampled_from(["stop", "soft stop", "restart", "kill", "settle"]))
)


@st.composite
def replies(draw: st.DrawFn) -> list[Reply]:
    made: list[Reply] = []
    for number in range(draw(st.integers(1, 12))):
        steps: list[Step] = [Say(chunks=("Let me see.",))]
        ids = draw(call_ids)
        for place, (name, arguments) in enumerate(draw(called)):
            call_id = f"{number}.{place}" if ids == "own" else str(place + 1)
            steps.append(Call(call_id=call_id, name=name, arguments=arguments))
        match draw(endings):
            case "cut":
                steps.append(Cut())
            case "failed":
                steps.append(Fail(failure=Failure(kind="server", message="oh")))
            case _:
                pass
        made.append(does(*steps))
    return made


class Life:
    """A chat, the workspace that has it open now, and every request that ever went out."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._store = MemoryStore()
        self.requests: list[tuple[Message, ...]] = []
        self.chat_id = ""

    async def begin(self, played: Sequence[Reply]) -> None:
        await self._open(self._store)
        # Behind the random replies, so that whatever is asked is answered in the end.
        self._replies = [*played, *[says("That is all.")] * 40]
        await self._script()
        self.chat_id = await new_chat(self.workspace)

    async def _open(self, store: MemoryStore) -> None:
        self._store = store
        self.workspace = Workspace(Vault(store, key=KEY), settings=settings_in(self._folder))
        await self.workspace.__aenter__()

    async def _script(self) -> None:
        await script(self.workspace, folder=self._folder, replies=self._replies, tools=TOOLS)

    async def close(self) -> None:
        provider, _ = self.workspace.models.resolve(MODEL)
        assert isinstance(provider, ScriptedProvider)
        await self.workspace.__aexit__(None, None, None)
        self.requests += [request.messages for request in provider.requests]
        self._replies = self._replies[len(provider.requests) :]

    async def restart(self) -> None:
        await self.close()
        await self._open(self._store)
        await self._script()

    async def kill(self) -> None:
        """What the disk holds at this moment is all that the next process finds."""
        left = copy.deepcopy(self._store)
        await left.close()
        await self.close()
        await self._open(left)
        await self._script()

    async def newest(self) -> TurnContent | None:
        page = await self.workspace.page(self.chat_id, before_depth=None, limit=1)
        return page.turns[-1] if page.turns else None

    async def settle(self) -> None:
        """Until nothing runs any more; what hangs is stopped."""
        for _ in range(60):
            if not self.workspace.is_answering(self.chat_id):
                return
            await asyncio.sleep(0.001)
        await self.workspace.stop(self.chat_id)
        while self.workspace.is_answering(self.chat_id):
            await asyncio.sleep(0)

    async def undergo(self, operation: Operation) -> None:
        match operation:
            case Send():
                await self._send(operation.text)
            case Decide():
                await self._decide(operation)
            case Act(kind="stop"):
                await self.workspace.stop(self.chat_id)
            case Act(kind="soft stop"):
                await self.workspace.stop_softly(self.chat_id)
            case Act(kind="restart"):
                await self.restart()
            case Act(kind="kill"):
                await self.kill()
            case Act():
                await self.settle()

    async def _send(self, text: str) -> None:
        newest = await self.newest()
        is_waiting = newest is not None and newest.turn.state == "waiting"
        await self.workspace.send(
            self.chat_id, SendRequest(text=text or ("" if is_waiting else "hello"))
        )

    async def _decide(self, operation: Decide) -> None:
        newest = await self.newest()
        if newest is None:
            return
        open_ids = [call.call_id for call in newest.turn.pending_calls if not call.decision]
        chosen = [id for n, id in enumerate(open_ids) if n in operation.places] or open_ids
        if chosen:
            await self.workspace.decide(newest.turn.id, dict.fromkeys(chosen, operation.decision))


def unpaired(messages: Sequence[Message]) -> list[str]:
    """Calls that are not answered before anybody speaks again, and results without a call."""
    wrong: list[str] = []
    open_calls: list[str] = []
    for message in messages:
        if message.role != "tool":
            wrong += [f"call {id} has no result" for id in open_calls]
            open_calls = []
        for part in message.parts:
            if isinstance(part, ToolCall):
                open_calls.append(part.call_id)
            elif isinstance(part, ToolResult):
                if part.call_id in open_calls:
                    open_calls.remove(part.call_id)
                else:
                    wrong.append(f"result {part.call_id} has no call")
    return wrong + [f"call {id} has no result" for id in open_calls]


@given(
    played=replies(),
    lived=st.lists(st.tuples(operations, st.integers(0, 12)), max_size=14),
)
async def test_no_request_has_half_a_call_and_every_turn_has_a_way_on(
    played: list[Reply], lived: list[tuple[Operation, int]]
) -> None:
    with TemporaryDirectory() as folder:
        life = Life(Path(folder))
        await life.begin(played)
        for operation, ticks in lived:
            try:
                await life.undergo(operation)
            except SendRefused as refusal:
                assert refusal.code in ("chat_busy", "nothing_running", "not_waiting", "head_moved")
            for _ in range(ticks):
                await asyncio.sleep(0)
        await life.settle()
        page = await life.workspace.page(life.chat_id, before_depth=None, limit=40)
        assert all(one.turn.state in SETTLED for one in page.turns[:-1])
        assert all(one.turn.state in {*SETTLED, "waiting"} for one in page.turns)
        # Something can always be said, and it is answered from all that went before.
        while (answered := await said(life)).turn.state != "complete":
            pass
        assert answered.messages[0].text == "And now?"
        await life.close()
        assert [wrong for request in life.requests if (wrong := unpaired(request))] == []


async def said(life: Life) -> TurnContent:
    """One message more, as far as it gets without a person's word."""
    await life.workspace.send(life.chat_id, SendRequest(text="And now?"))
    await life.settle()
    newest = await life.newest()
    assert newest is not None
    return newest


async def test_a_plain_answer_after_all_that_is_whole(tmp_path: Path) -> None:
    """The checker sees what it is there to see."""
    life = Life(tmp_path)
    await life.begin([says("Hello.")])
    content = await ask(life.workspace, life.chat_id, "hello")
    assert unpaired(content.messages) == []
    call = ToolCall(call_id="1", name="look", arguments="{}")
    asking = Message(id="m", role="assistant", parts=(call,), created_at=content.turn.created_at)
    assert unpaired([asking]) == ["call 1 has no result"]
    await life.close()
