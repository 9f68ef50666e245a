"""Servers killed with -9 in every phase of a turn, each at a random moment of it."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable

from msgspec import Struct

from tests.faults.provider import (
    Behaviour,
    calls_tools,
    hangs_before_headers,
    streams,
)
from tests.faults.scene import Scene, Sent

# How long these take on a slow machine; a moment is chosen from all of it and a little more.
SEND_SECONDS = 0.04
STORE_SECONDS = 0.03
START_SECONDS = 0.9
CHUNK_SECONDS = 0.02


STREAMING = "streaming"


class Phase(Struct, frozen=True):
    """``behaviour`` is the provider's; ``wait`` returns when it is time to kill."""

    name: str
    behaviour: Callable[[random.Random], Behaviour]
    wait: Callable[[Scene, Sent, random.Random], None]


def words(number: int) -> list[str]:
    """Chunks that tell their place, so that a prefix is seen to be one."""
    return [f"{n} " for n in range(number)]


def _claiming(scene: Scene, sent: Sent, chance: random.Random) -> None:
    time.sleep(chance.uniform(0, SEND_SECONDS))


def _waiting(scene: Scene, sent: Sent, chance: random.Random) -> None:
    scene.provider.until(sent.word, lambda told: bool(told))
    time.sleep(chance.uniform(0, 0.1))


def _streaming(scene: Scene, sent: Sent, chance: random.Random) -> None:
    chunks = chance.randint(1, 140)
    scene.provider.until(sent.word, lambda told: bool(told) and len(told[0].chunks) >= chunks)


def _storing(scene: Scene, sent: Sent, chance: random.Random) -> None:
    rounds = chance.randint(1, 6)
    scene.provider.until(
        sent.word, lambda told: len([one for one in told if one.is_done]) >= rounds
    )
    time.sleep(chance.uniform(0, STORE_SECONDS))


def _ending(scene: Scene, sent: Sent, chance: random.Random) -> None:
    scene.provider.until(sent.word, lambda told: bool(told) and told[0].is_done)
    time.sleep(chance.uniform(0, STORE_SECONDS))


PHASES = (
    Phase("before the claim", lambda _: streams("Quick."), _claiming),
    Phase("waiting for the first byte", lambda _: hangs_before_headers(), _waiting),
    Phase(STREAMING, lambda _: streams(*words(150), pause_seconds=CHUNK_SECONDS), _streaming),
    Phase(
        "storing a message",
        lambda chance: calls_tools(rounds=6, then=streams("Done.")),
        _storing,
    ),
    Phase("at the end", lambda _: streams(*words(5)), _ending),
)


class Killed(Struct, frozen=True):
    """What was sent, and when its server died."""

    sent: Sent
    at: float


def kill_in(phase: Phase, scene: Scene, chance: random.Random, name: str = "a") -> Killed:
    """Send, and kill the server at a moment of the phase."""
    chat_id = chance.choice(scene.chat_ids)
    sent = scene.plan(chat_id, phase.behaviour(chance))
    sending = threading.Thread(target=scene.send, args=(sent, name))
    sending.start()
    phase.wait(scene, sent, chance)
    killed_at = time.monotonic()
    scene.server(name).kill()
    sending.join()
    return Killed(sent, killed_at)


def kill_while_starting(scene: Scene, chance: random.Random, name: str = "a") -> None:
    """The server is down; begin to start it, and kill it on the way."""
    server = scene.server(name)
    server.launch()
    time.sleep(chance.uniform(0, START_SECONDS))
    server.kill()
