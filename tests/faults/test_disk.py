"""A disk that is full for a while, a database that somebody else keeps locked."""

from __future__ import annotations

import resource
import sqlite3
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.faults.invariants import check_all, check_no_leftovers, check_usable
from tests.faults.kills import words
from tests.faults.provider import calls_tools, hangs_after, streams
from tests.faults.scene import Scene, Sent, staged

CHUNK_SECONDS = 0.02
NO_FILE_GROWS = (1, resource.RLIM_INFINITY)
NO_LIMIT = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with staged(tmp_path) as scene:
        scene.started()
        scene.new_chat()
        yield scene


@contextmanager
def full_disk(pid: int) -> Generator[None]:
    """Nothing that this process writes fits any more."""
    resource.prlimit(pid, resource.RLIMIT_FSIZE, NO_FILE_GROWS)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, NO_LIMIT)


@contextmanager
def locked(database: Path) -> Generator[None]:
    """Somebody else is writing and does not get done."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def begun(scene: Scene, chat_id: str) -> Sent:
    sent = scene.ask(chat_id, streams(*words(60), pause_seconds=CHUNK_SECONDS))
    scene.provider.until(sent.word, lambda told: bool(told) and len(told[0].chunks) > 5)
    return sent


def check_complete(scene: Scene, sent: Sent) -> None:
    content = scene.until_settled(sent.chat_id)[-1]
    assert (content.turn.id, content.turn.state) == (sent.turn_id, "complete")
    assert content.messages[-1].text == scene.provider.tellings(sent.word)[-1].text


def test_an_answer_survives_a_disk_that_is_full_for_a_while(scene: Scene) -> None:
    [chat_id] = scene.chat_ids
    other = scene.new_chat()
    sent = begun(scene, chat_id)
    with full_disk(scene.server().pid):
        refused = scene.plan(other, streams("Never."))
        assert scene.send(refused) >= 500
        scene.provider.until(sent.word, lambda told: told[0].is_done)
        time.sleep(0.5)
    refused.is_refused = True
    check_complete(scene, sent)
    check_usable(scene, other)
    check_all(scene)
    check_no_leftovers(scene)


def test_rounds_of_tools_survive_a_disk_that_is_full_for_a_while(scene: Scene) -> None:
    [chat_id] = scene.chat_ids
    then = streams(*words(5), pause_seconds=CHUNK_SECONDS)
    sent = scene.ask(chat_id, calls_tools(rounds=12, then=then))
    scene.provider.until(sent.word, lambda told: len(told) > 2)
    with full_disk(scene.server().pid):
        time.sleep(1)
    check_complete(scene, sent)
    check_all(scene)
    check_no_leftovers(scene)


def test_a_server_killed_with_a_full_disk_comes_back_with_what_was_stored(scene: Scene) -> None:
    [chat_id] = scene.chat_ids
    sent = begun(scene, chat_id)
    with full_disk(scene.server().pid):
        time.sleep(0.5)
        scene.server().kill()
        scene.started()
    check_usable(scene, chat_id)
    check_all(scene)
    content = scene.turn_of(sent)
    assert content is not None and content.turn.state == "interrupted"


def test_a_database_locked_for_a_while_holds_up_but_loses_nothing(scene: Scene) -> None:
    [chat_id] = scene.chat_ids
    other = scene.new_chat()
    sent = begun(scene, chat_id)
    waiting = scene.ask(scene.new_chat(), hangs_after("So far."))
    with locked(scene.data / "windowpane.sqlite3"):
        time.sleep(1)
    check_complete(scene, sent)
    check_usable(scene, other)
    assert scene.client().post(f"/api/chats/{waiting.chat_id}/stop").status == 204
    check_all(scene)
    check_no_leftovers(scene)
