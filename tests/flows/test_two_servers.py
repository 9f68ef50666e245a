"""Two servers on one database: a turn is answered by one and followed, stopped, saved from both."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import psycopg
import pytest

from tests import machine
from tests.databases import POSTGRES
from tests.faults.invariants import check_all, check_loss, check_no_leftovers, check_usable
from tests.faults.kills import words
from tests.faults.provider import hangs_after, streams
from tests.faults.scene import Scene, Sent, staged
from tests.postgres import private_postgres
from windowpane.events import (
    Event,
    LoggedEvent,
    PartDelta,
    PartDone,
    Reload,
    TurnEnded,
    TurnStarted,
)
from windowpane.parts import Text
from windowpane.storage.postgres import SILENT_SECONDS

PATIENCE_SECONDS = 30
CHUNK_SECONDS = 0.02


@pytest.fixture(params=["sqlite", POSTGRES])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    """Servers ``a`` and ``b`` on one database, with a chat."""
    database = ""
    if request.param == "postgres":
        database = request.getfixturevalue("postgres_database")
    with staged(tmp_path, database=database) as scene:
        scene.started("a")
        scene.started("b")
        scene.new_chat("a")
        yield scene


def until_state(scene: Scene, sent: Sent, state: str, *, on: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (content := scene.turn_of(sent, on)) is None or content.turn.state != state:
        assert time.monotonic() < deadline, f"{sent.word} is not {state}"
        time.sleep(0.01)


def until_text(scene: Scene, sent: Sent, text: str, *, on: str) -> None:
    path = f"/api/chats/{sent.chat_id}/turns?limit=1"
    deadline = time.monotonic() + PATIENCE_SECONDS
    while text not in scene.client(on).get(path).body.decode():
        assert time.monotonic() < deadline, f"{text} is not there"
        time.sleep(0.01)


def followed(scene: Scene, chat_id: str, *, on: str, after: str) -> Iterator[Event]:
    """The events of a chat up to the end of a turn, as a program gets them."""
    with scene.client(on).events(chat_id, after=after) as events:
        for event in events:
            yield (logged := msgspec.convert(event, LoggedEvent)).event
            if isinstance(logged.event, TurnEnded | Reload):
                return


def test_an_answer_of_one_server_is_followed_on_the_other_to_the_same_text(scene: Scene) -> None:
    [chat_id] = scene.chat_ids
    following = followed(scene, chat_id, on="b", after=scene.page(chat_id, "b").position)
    sent = scene.ask(chat_id, streams(*words(80), pause_seconds=CHUNK_SECONDS), "a")

    seen = list(following)

    assert isinstance(seen[0], TurnStarted)
    assert isinstance(seen[-1], TurnEnded) and seen[-1].turn.state == "complete"
    assert sum(isinstance(event, PartDelta) for event in seen) >= 2, "it came as it was written"
    parts = [event.part for event in seen if isinstance(event, PartDone)]
    assert parts == [Text(text="".join(words(80)))]
    assert scene.turns(chat_id, "a") == scene.turns(chat_id, "b")
    assert scene.turn_of(sent, "b") is not None


def test_a_chat_can_be_stopped_on_the_other_server(scene: Scene) -> None:
    [chat_id] = scene.chat_ids
    sent = scene.ask(chat_id, hangs_after("So far."), "a")
    until_text(scene, sent, "So far.", on="b")

    assert scene.client("b").post(f"/api/chats/{chat_id}/stop").status == 204
    until_state(scene, sent, "aborted", on="b")

    [telling] = scene.provider.until(sent.word, lambda told: told[0].has_hung_up)
    assert telling.has_hung_up, "the provider was told, too"
    for name in "ab":
        content = scene.turn_of(sent, name)
        assert content is not None and content.messages[-1].text == "So far."
    check_usable(scene, chat_id, "b")
    check_no_leftovers(scene)


def test_deleting_a_chat_on_the_other_server_hangs_up_on_the_provider(scene: Scene) -> None:
    [chat_id] = scene.chat_ids
    sent = scene.ask(chat_id, hangs_after("So far."), "a")
    until_text(scene, sent, "So far.", on="b")

    assert scene.client("b").delete(f"/api/chats/{chat_id}").status == 200

    scene.provider.until(sent.word, lambda told: told[0].has_hung_up)
    for name in "ab":
        assert scene.client(name).get(f"/api/chats/{chat_id}").status == 404
    check_no_leftovers(scene)


def test_a_killed_servers_turn_is_shown_as_interrupted_by_the_other(scene: Scene) -> None:
    [chat_id] = scene.chat_ids
    following = followed(scene, chat_id, on="b", after=scene.page(chat_id, "b").position)
    sent = scene.ask(chat_id, streams(*words(500), pause_seconds=CHUNK_SECONDS), "a")
    scene.provider.until(sent.word, lambda told: bool(told) and len(told[0].chunks) > 80)

    killed_at = time.monotonic()
    scene.server("a").kill()
    seen = list(following)

    assert isinstance(seen[-1], TurnEnded) and seen[-1].turn.state == "interrupted"
    check_usable(scene, chat_id, "b")
    check_all(scene, "b")
    check_loss(scene, sent, killed_at=killed_at, name="b")
    check_no_leftovers(scene)
    scene.started("a")
    assert scene.turns(chat_id, "a") == scene.turns(chat_id, "b")


def test_who_sends_into_a_dead_servers_chat_need_not_wait(scene: Scene) -> None:
    """The first message finds the turn that was left, and is asked to look at it."""
    [chat_id] = scene.chat_ids
    sent = scene.ask(chat_id, hangs_after("So far."), "a")
    until_text(scene, sent, "So far.", on="b")
    scene.server("a").kill()

    statuses: list[int] = []
    while 201 not in statuses:
        statuses.append(scene.send(scene.plan(chat_id, streams("Yes.")), "b"))

    assert set(statuses[:-1]) <= {409} and len(statuses) <= 3
    check_all(scene, "b")


def test_two_servers_under_load_agree(scene: Scene) -> None:
    chats = [*scene.chat_ids, *(scene.new_chat("a") for _ in range(3))]
    talk_on_both(scene, chats, rounds=5, during=lambda: None)
    check_agreement(scene)


@pytest.mark.postgres
def test_a_database_restarted_under_two_busy_servers_loses_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    binaries = machine.postgres_binaries()
    if binaries is None:
        machine.give_up(machine.POSTGRES_MISSING)
    with (
        private_postgres(binaries) as postgres,
        staged(tmp_path, database=postgres.url("postgres")) as scene,
    ):
        scene.started("a")
        scene.started("b")
        chats = [scene.new_chat("a") for _ in range(4)]

        def restart() -> None:
            for _ in range(2):
                time.sleep(1)
                postgres.stop()
                postgres.start()

        talk_on_both(scene, chats, rounds=8, during=restart)
        check_agreement(scene)
        states = {one.turn.state for chat_id in chats for one in scene.turns(chat_id)}
        assert "interrupted" not in states, "nobody who lived was taken for dead"


def test_a_server_that_hangs_for_a_while_keeps_its_turn(scene: Scene) -> None:
    [chat_id] = scene.chat_ids
    sent = scene.ask(chat_id, streams(*words(60), pause_seconds=CHUNK_SECONDS), "a")
    scene.provider.until(sent.word, lambda told: bool(told) and len(told[0].chunks) > 5)
    os.kill(scene.server("a").pid, signal.SIGSTOP)
    time.sleep(2 * SILENT_SECONDS)
    os.kill(scene.server("a").pid, signal.SIGCONT)
    until_state(scene, sent, "complete", on="b")
    check_agreement(scene)


@pytest.mark.postgres
def test_servers_whose_connections_are_cut_keep_their_turns(
    tmp_path: Path, postgres_database: str
) -> None:
    with staged(tmp_path, database=postgres_database) as scene:
        scene.started("a")
        scene.started("b")
        chats = [scene.new_chat("a") for _ in range(3)]
        talk_on_both(scene, chats, rounds=6, during=lambda: cut_connections(postgres_database))
        check_agreement(scene)
        states = {one.turn.state for chat_id in chats for one in scene.turns(chat_id)}
        assert states == {"complete"}


def cut_connections(database: str) -> None:
    """Those that tell who lives and what happened among them."""
    with psycopg.connect(database, autocommit=True) as connection:
        for _ in range(4):
            time.sleep(0.5)
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'windowpane' AND datname = current_database()"
            )


def talk_on_both(
    scene: Scene, chats: list[str], *, rounds: int, during: Callable[[], None]
) -> None:
    """Send to every chat again and again, now over one server, now over the other."""

    def talk(chat_id: str, place: int) -> None:
        for number in range(rounds):
            sent = scene.plan(chat_id, streams(*words(20), pause_seconds=CHUNK_SECONDS))
            name = "ab"[(number + place) % 2]
            scene.send(sent, name)
            scene.until_settled(chat_id, name)

    threads = [
        threading.Thread(target=talk, args=(chat_id, place)) for place, chat_id in enumerate(chats)
    ]
    for thread in threads:
        thread.start()
    during()
    for thread in threads:
        thread.join()


def check_agreement(scene: Scene) -> None:
    for chat_id in scene.chat_ids:
        check_usable(scene, chat_id, "a")
        check_usable(scene, chat_id, "b")
        assert scene.turns(chat_id, "a") == scene.turns(chat_id, "b")
    for name in "ab":
        check_all(scene, name)
    check_no_leftovers(scene)
