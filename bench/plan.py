"""Planning long chats, first and again, beside LangChain's ``trim_messages``; one JSON line.

Counts are known: each page of a chat has its weights and totals, as the store keeps them. The first
plan opens pages as it needs them, a warm one finds them open. The peer runs in a throw-away
environment with our counter, which remembers every text, so that neither side pays for counting.
Seconds are CPU seconds: other work on the machine does not count.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from time import process_time

import msgspec
from msgspec import Struct

from windowpane.catalog import catalog_limits
from windowpane.context.budget import budget_for
from windowpane.context.given import NO_OVERFLOW, WHOLE_CHAT, PlanInput, PlanSettings
from windowpane.context.plan import plan
from windowpane.context.scope import PAGE_TURNS, PageMissing, PageTotals, Scope, page_totals
from windowpane.context.weights import TurnWeight
from windowpane.library import Conversation
from windowpane.library.reading import Json
from windowpane.tokens import UNCALIBRATED, TokenCache, counter_for

MODEL = "gpt-4o"
SIZES = (1_000, 10_000, 100_000)
ROUNDS = 41
SOURCE = Path(__file__).parents[1] / "src"
# Runs where LangChain is installed and this project is not; it borrows our counter by path.
PEER_PROGRAM = """
import json, random, sys
from importlib.metadata import version
from time import process_time

ours, usable, *sizes = sys.argv[1:]
sys.path.extend(ours.split(":"))

from langchain_core.messages import AIMessage, HumanMessage, trim_messages
from windowpane.tokens import MESSAGE_OVERHEAD_TOKENS, TokenCache, counter_for

counter = counter_for("gpt-4o", cache=TokenCache(max_entries=10_000))


def weigh(message):
    return MESSAGE_OVERHEAD_TOKENS + counter.text(message.content)


def weigh_all(messages):
    return sum(weigh(message) for message in messages)


def ms(messages, counting):
    start = process_time()
    trim_messages(
        messages, max_tokens=int(usable), strategy="last", token_counter=counting,
        start_on="human",
    )
    return (process_time() - start) * 1000


def history(turns):
    chance = random.Random(1)
    texts = [" ".join(f"pane{chance.randrange(999)}" for _ in range(60)) for _ in range(1000)]
    messages = []
    for number in range(turns):
        messages.append(HumanMessage(texts[number % 1000]))
        messages.append(AIMessage(texts[(number + 500) % 1000]))
    return messages


weigh_all(history(1000))
found = {}
for size in sizes:
    messages = history(int(size))
    found[size] = min(ms(messages, weigh_all) for _ in range(3))
print(json.dumps({"version": version("langchain-core"), "ms": found}))
"""
COUNTER = counter_for(MODEL, cache=TokenCache(max_entries=1000))
BUDGET = budget_for(
    catalog_limits(MODEL, provider=None),
    requested_output_tokens=None,
    allowance_tokens=100,
    threshold=0.95,
    calibration=UNCALIBRATED,
)


class Peer(Struct, frozen=True):
    """What the peer measured, or why it could not."""

    version: str = ""
    ms: dict[int, float] = {}
    missing: str = ""


def weights(turns: int) -> list[TurnWeight]:
    """The newest turns are the same in every chat, so that the same number fits."""
    chance = random.Random(20_261_118)
    made: list[TurnWeight] = []
    for back in range(turns):
        tokens = chance.randrange(100, 600)
        made.append(
            TurnWeight(
                turn_id=f"t{back}",
                raw_tokens=tokens,
                without_reasoning_tokens=tokens - 20,
                without_tools_tokens=tokens - 30,
                bare_tokens=tokens - 50,
                is_skipped=back % 97 == 96,
                is_pinned=back % 5001 == 5000,
            )
        )
    return made[::-1]


def given(scope: Scope) -> PlanInput:
    return PlanInput(
        model=MODEL,
        counter=COUNTER,
        budget=BUDGET,
        settings=PlanSettings(
            reasoning_turns=None, tool_turns=None, cache_mode="cached", when_full="slide"
        ),
        scope=scope,
        view=WHOLE_CHAT,
        system="You are a helpful assistant.",
        tools=(),
        summary=None,
        current=(),
        floor_index=None,
        overflow=NO_OVERFLOW,
    )


class Chat:
    """A chat in pages, as the store has them."""

    def __init__(self, turns: int) -> None:
        all_weights = weights(turns)
        starts = range(0, turns, PAGE_TURNS)
        self.pages = [all_weights[start : start + PAGE_TURNS] for start in starts]
        self.totals: list[PageTotals] = [page_totals(page) for page in self.pages]
        self.opened: dict[int, list[TurnWeight]] = {}

    def plan_first(self) -> None:
        self.opened = {}
        self.plan_warm()

    def plan_warm(self) -> None:
        while True:
            try:
                plan(given(Scope(self.totals, self.opened)))
                return
            except PageMissing as missing:
                self.opened[missing.number] = self.pages[missing.number]


def ms_for(acts: dict[int, Callable[[], object]]) -> dict[int, float]:
    """The best round of each; they take turns, so that a busy moment hits them alike."""
    best = dict.fromkeys(acts, float("inf"))
    for _ in range(ROUNDS):
        for turns, act in acts.items():
            start = process_time()
            act()
            best[turns] = min(best[turns], (process_time() - start) * 1000)
    return best


def conversation(turns: int) -> list[Json]:
    """Messages from a thousand texts: a chat's counts are known after the first look at them."""
    chance = random.Random(1)
    texts = [" ".join(f"pane{chance.randrange(999)}" for _ in range(60)) for _ in range(1000)]
    messages: list[Json] = []
    for number in range(turns):
        messages.append({"role": "user", "content": texts[number % 1000]})
        messages.append({"role": "assistant", "content": texts[(number + 500) % 1000]})
    return messages


def read(turns: int) -> tuple[Conversation, float]:
    """The peer's own road, from plain messages: reading, weighing and planning them once."""
    messages = conversation(turns)
    start = process_time()
    chat = Conversation.from_openai(messages)
    chat.plan(MODEL)
    return chat, (process_time() - start) * 1000


def peer() -> Peer:
    uv = which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        return Peer(missing="uv is not installed")
    with TemporaryDirectory(prefix="windowpane-bench-") as folder:
        python = f"{folder}/env/bin/python"
        for command in (
            [uv, "venv", "--quiet", "--python", sys.executable, f"{folder}/env"],
            [uv, "pip", "install", "--quiet", "--python", python, "langchain-core"],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                return Peer(missing=f"langchain-core cannot be installed: {done.stderr.strip()}")
        ours = f"{SOURCE}:{sysconfig.get_path('purelib')}"
        program = [python, "-c", PEER_PROGRAM, ours, str(BUDGET.usable_tokens)]
        done = subprocess.run(
            [*program, *map(str, SIZES)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            return Peer(missing=f"trim_messages failed: {done.stderr.strip()[-400:]}")
        return msgspec.json.decode(done.stdout, type=Peer)


def main() -> None:
    chats = {turns: Chat(turns) for turns in SIZES}
    first = ms_for({turns: chat.plan_first for turns, chat in chats.items()})
    warm = ms_for({turns: chat.plan_warm for turns, chat in chats.items()})
    conversations = {turns: read(turns) for turns in SIZES}
    again = ms_for({turns: partial(chat.plan, MODEL) for turns, (chat, _) in conversations.items()})
    theirs = peer()
    largest, smallest = SIZES[-1], SIZES[0]
    result = {
        "bench": "plan",
        "usable_tokens": BUDGET.usable_tokens,
        "first_ms": _rounded(first),
        "warm_ms": _rounded(warm),
        "goal_ms": 5,
        "ratio_100k_to_1k": round(warm[largest] / warm[smallest], 2),
        "goal_ratio": 2,
        "from_messages_first_ms": _rounded({turns: ms for turns, (_, ms) in conversations.items()}),
        "from_messages_warm_ms": _rounded(again),
        "peer": "langchain-core trim_messages",
        "peer_version": theirs.version,
        "peer_missing": theirs.missing,
        "peer_ms": _rounded(theirs.ms),
        "peer_to_warm": {
            str(turns): round(ms / again[turns], 1) for turns, ms in theirs.ms.items()
        },
    }
    print(msgspec.json.encode(result).decode())


def _rounded(ms: dict[int, float]) -> dict[str, float]:
    return {str(turns): round(each, 3) for turns, each in ms.items()}


if __name__ == "__main__":
    main()
