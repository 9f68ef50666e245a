"""What a send costs beside its stream, and a plan, in chats from 100 to 100,000 turns.

Through the workspace on SQLite: plan, seal, store, answer, receipt; the scripted provider plays the
stream. The floor is that provider alone with the same request. Chats take turns, so that a busy
moment hits them alike, and the long ones have half a page that is not packed, as on average.
Milliseconds are CPU time of all threads. Prints one JSON line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import msgspec

from bench.longchats import MODEL, new_chat, scripted_workspace
from tests.workspaces import until_ended
from windowpane.context.request import ModelRequest
from windowpane.providers.scripted import ScriptedProvider
from windowpane.workspace import PlanRequest, SendRequest, Workspace

SIZES = (100, 1_500, 100_500)
ROUNDS = 12
SENDS = 5
PLANS = 5
OPENINGS = 5
GOAL_SEND_MS = 6.0
GOAL_SEND_RATIO = 1.3
GOAL_PLAN_MS = 5.0
GOAL_PLAN_RATIO = 2.0
QUESTION = "Which of these turns does the model still see, and which one was the first to leave?"

Act = Callable[[str], Coroutine[object, object, object]]


async def cpu_ms(act: Act, chat_id: str, *, times: int) -> float:
    start = process_time()
    for _ in range(times):
        await act(chat_id)
    return (process_time() - start) / times * 1000


async def cpu_ms_of_each(act: Act, chats: dict[int, str], *, times: int) -> dict[int, float]:
    rounds = [
        {turns: await cpu_ms(act, chat_id, times=times) for turns, chat_id in chats.items()}
        for _ in range(ROUNDS)
    ]
    return {turns: median(one[turns] for one in rounds) for turns in chats}


async def send(workspace: Workspace, chat_id: str) -> None:
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text=QUESTION))
    await until_ended(workspace, chat_id, after=position)


class Streams:
    """The provider alone, with the request of each chat's last send."""

    def __init__(self, workspace: Workspace) -> None:
        provider, _ = workspace.models.resolve(MODEL)
        assert isinstance(provider, ScriptedProvider)
        self._provider = provider
        self.requests: dict[str, ModelRequest] = {}

    def remember(self, chat_id: str) -> None:
        self.requests[chat_id] = self._provider.requests[-1]

    async def play(self, chat_id: str) -> None:
        async for _ in self._provider.stream(self._provider.to_wire(self.requests[chat_id])):
            pass


async def plan(workspace: Workspace, chat_id: str) -> None:
    await workspace.plan(chat_id, PlanRequest(draft=QUESTION))


async def first_plans(folder: Path, chats: dict[int, str]) -> dict[int, float]:
    """The first look at a chat after the workspace was opened, in each opening at all of them."""
    found: dict[int, list[float]] = {turns: [] for turns in chats}
    for opening in range(OPENINGS):
        async with scripted_workspace(folder) as workspace:
            await workspace.plan(await new_chat(workspace, turns=0), PlanRequest(draft=QUESTION))
            for turns in sorted(chats, reverse=bool(opening % 2)):
                ms = await cpu_ms(lambda id: plan(workspace, id), chats[turns], times=1)
                found[turns].append(ms)
    return {turns: median(each) for turns, each in found.items()}


async def measure(folder: Path) -> dict[str, object]:
    async with scripted_workspace(folder) as workspace:
        chats = {turns: await new_chat(workspace, turns=turns) for turns in SIZES}
        # Pages that are full are packed by whoever plans first; then everything is warm.
        packing = {
            turns: await cpu_ms(lambda id: plan(workspace, id), chat_id, times=1)
            for turns, chat_id in chats.items()
        }
        streams = Streams(workspace)
        for chat_id in chats.values():
            await send(workspace, chat_id)
            streams.remember(chat_id)
        sends = await cpu_ms_of_each(lambda id: send(workspace, id), chats, times=SENDS)
        played = await cpu_ms_of_each(streams.play, chats, times=SENDS)
        plans = await cpu_ms_of_each(lambda id: plan(workspace, id), chats, times=PLANS)
    firsts = await first_plans(folder, chats)
    beside = {turns: ms - played[turns] for turns, ms in sends.items()}
    messages = {turns: len(streams.requests[chat_id].messages) for turns, chat_id in chats.items()}
    short, middle, long = SIZES
    return {
        "bench": "sending",
        "send_ms": rounded(sends),
        "stream_ms": rounded(played),
        "beside_stream_ms": rounded(beside),
        "goal_beside_stream_ms": GOAL_SEND_MS,
        "ratio_long_to_short": round(beside[long] / beside[short], 2),
        "goal_ratio_long_to_short": GOAL_SEND_RATIO,
        "sent_messages": {str(turns): count for turns, count in messages.items()},
        "plan_packing_ms": rounded(packing),
        "plan_first_ms": rounded(firsts),
        "plan_warm_ms": rounded(plans),
        "goal_plan_ms": GOAL_PLAN_MS,
        "plan_ratio_long_to_middle": round(plans[long] / plans[middle], 2),
        "goal_plan_ratio": GOAL_PLAN_RATIO,
    }


def rounded(ms: dict[int, float]) -> dict[str, float]:
    return {str(turns): round(each, 2) for turns, each in ms.items()}


def main() -> None:
    with TemporaryDirectory(prefix="windowpane-bench-") as folder:
        result = asyncio.run(measure(Path(folder)))
    print(msgspec.json.encode(result).decode())


if __name__ == "__main__":
    main()
