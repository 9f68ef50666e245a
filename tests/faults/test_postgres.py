"""PostgreSQL that goes down and comes back while answers are being written."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import machine
from tests.faults.conftest import Profile
from tests.faults.invariants import check_all, check_loss, check_no_leftovers, check_usable
from tests.faults.kills import CHUNK_SECONDS, words
from tests.faults.provider import calls_tools, streams
from tests.faults.scene import Scene, Sent, staged
from tests.postgres import PostgresServer, private_postgres

pytestmark = [pytest.mark.postgres, pytest.mark.slow]


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    binaries = machine.postgres_binaries()
    if binaries is None:
        machine.give_up(machine.POSTGRES_MISSING)
    with private_postgres(binaries) as server:
        yield server


@pytest.fixture
def scene(tmp_path: Path, postgres: PostgresServer) -> Iterator[Scene]:
    with staged(tmp_path, database=postgres.url("postgres")) as scene:
        scene.started()
        for _ in range(2):
            scene.new_chat()
        yield scene


def talking(scene: Scene) -> list[Sent]:
    """An answer that streams and one that is made in many rounds."""
    slowly = streams(*words(80), pause_seconds=CHUNK_SECONDS)
    one, two = scene.chat_ids
    return [scene.ask(one, slowly), scene.ask(two, calls_tools(rounds=20, then=slowly))]


def test_answers_outlive_a_restart_of_the_database(
    scene: Scene, postgres: PostgresServer, profile: Profile
) -> None:
    chance = random.Random("restarts")
    for _ in range(profile.restarts):
        sent = talking(scene)
        time.sleep(chance.uniform(0, 1))
        postgres.stop()
        time.sleep(chance.uniform(0, 2))
        postgres.start()
        for one in sent:
            scene.until_settled(one.chat_id)
            content = scene.turn_of(one)
            assert content is not None and content.turn.state == "complete", content
        for chat_id in scene.chat_ids:
            check_usable(scene, chat_id)
        check_all(scene)
    check_no_leftovers(scene)


def test_a_server_that_dies_together_with_its_database_comes_back_with_it(
    scene: Scene, postgres: PostgresServer, profile: Profile
) -> None:
    chance = random.Random("both")
    for _ in range(profile.restarts):
        sent = talking(scene)
        time.sleep(chance.uniform(0, 2))
        stopped_at = time.monotonic()
        postgres.stop()
        time.sleep(chance.uniform(0, 0.5))
        scene.server().kill()
        postgres.start()
        scene.started()
        for chat_id in scene.chat_ids:
            check_usable(scene, chat_id)
        check_all(scene)
        for one in sent:
            check_loss(scene, one, killed_at=stopped_at)
    check_no_leftovers(scene)
