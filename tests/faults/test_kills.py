"""Killed with -9 at any moment: nothing is lost or doubled, and the chat goes on at once."""

from __future__ import annotations

import random
import time
from pathlib import Path

from tests.faults.conftest import Profile
from tests.faults.invariants import check_all, check_loss, check_no_leftovers, check_usable
from tests.faults.kills import PHASES, STREAMING, Killed, kill_in, kill_while_starting
from tests.faults.scene import Scene
from tests.http import Client
from tests.server import Server


def test_a_server_killed_in_any_phase_of_a_turn_comes_back_with_everything(
    scene: Scene, profile: Profile
) -> None:
    chance = random.Random("phases")
    scene.started()
    for _ in range(2):
        scene.new_chat()
    losses: dict[str, list[float]] = {}
    for _ in range(profile.kills_per_phase):
        for phase in PHASES:
            killed = kill_in(phase, scene, chance)
            scene.started()
            losses.setdefault(phase.name, []).append(check_after(scene, killed))
    check_no_leftovers(scene)
    for name, seconds in losses.items():
        print(f"{len(seconds)} kills {name}: at most {max(seconds):.2f} s of text lost")


def check_after(scene: Scene, killed: Killed) -> float:
    """Everything that must hold once a server runs again; the seconds of text that are missing."""
    check_usable(scene, killed.sent.chat_id)
    check_all(scene)
    return check_loss(scene, killed.sent, killed_at=killed.at)


def test_a_server_killed_while_it_starts_starts_the_next_time(
    scene: Scene, profile: Profile
) -> None:
    """With a turn to recover, so that it dies in the middle of that too."""
    chance = random.Random("starting")
    streaming = next(phase for phase in PHASES if phase.name == STREAMING)
    scene.started()
    scene.new_chat()
    for _ in range(profile.kills_per_phase):
        killed = kill_in(streaming, scene, chance)
        for _ in range(2):
            kill_while_starting(scene, chance)
        scene.started()
        check_after(scene, killed)
    check_no_leftovers(scene)


def test_a_first_start_that_is_killed_leaves_nothing_in_the_way(
    tmp_path: Path, profile: Profile
) -> None:
    chance = random.Random("first start")
    for attempt in range(profile.kills_per_phase):
        data = tmp_path / f"attempt {attempt}" / "data"
        data.parent.mkdir()
        server = Server(data)
        for _ in range(3):
            server.launch()
            time.sleep(chance.uniform(0, 0.6))
            server.kill()
        server.start()
        assert Client.let_in(server.entrance).get("/api/projects").status == 200
        server.kill()
