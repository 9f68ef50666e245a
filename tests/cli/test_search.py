"""``windowpane search``: finds turns again, in a terminal and for programs."""

from pathlib import Path

import msgspec
import pytest

from tests.agent.searching import Histories
from tests.browser.filling import filled
from tests.commands import Terminal, give_script, run
from tests.server import in_vault
from windowpane.search import Found
from windowpane.storage.shelves import CHATS
from windowpane.storage.vault import Vault


@pytest.fixture
def data(data_dir: Path) -> Path:
    give_script(data_dir, replies=())

    async def fill(vault: Vault) -> None:
        histories = Histories(vault)
        locks = await histories.chat(await histories.project(), title="Locks")
        await histories.turn(locks, "Which lock does the journal take?", "The flushing lock.")
        await histories.turn(locks, "How long?", "Two seconds.", tool="opened loop.py")
        others = await histories.chat(await histories.project(), title="Wombats")
        await histories.turn(others, "A lock of hair", "Of a wombat.")

    in_vault(data_dir, fill)
    return data_dir


def found(*words: str, data: Path) -> Found:
    told = run("search", "--json", *words, data=data)
    return msgspec.json.decode(told.out, type=Found)


def test_hits_are_told_with_their_place_and_words(data: Path) -> None:
    told = run("search", "flushing", "locks", data=data)
    assert told.code == 0
    first, text, ids, *_ = told.out.splitlines()[3:]
    assert first.startswith("Locks · turn 1 · ")
    assert text == "  The flushing lock."
    assert ids.split()[0].startswith("cht_") and ids.split()[1].startswith("trn_")
    assert told.out.startswith("Chat: Locks\n")
    assert told.err == ""


def test_json_is_one_object_with_ranges(data: Path) -> None:
    hits = found("flushing", data=data).turns
    [mark] = hits[0].excerpt.marks
    assert hits[0].excerpt.text[mark.start : mark.end] == "flushing"


def test_a_search_can_be_kept_to_a_chat_or_a_project(data: Path) -> None:
    everywhere = found("lock", data=data).turns
    assert len(everywhere) == 2
    one = everywhere[0]
    assert [hit.turn_id for hit in found("lock", "--chat", one.chat_id, data=data).turns] == [
        one.turn_id
    ]
    assert len(found("lock", "--project", one.project_id, data=data).turns) == 1
    assert len(found("lock", "--limit", "1", data=data).turns) == 1


def test_phrases_exclusions_and_beginnings_work_from_a_shell(data: Path) -> None:
    assert len(found('"flushing lock"', data=data).turns) == 1
    assert len(found("lock -wombat", data=data).turns) == 1
    assert len(found("--", "-wombat", "lock", data=data).turns) == 1
    assert len(found("secon*", data=data).turns) == 1


def test_nothing_found_is_said_and_told_by_the_exit_code(data: Path) -> None:
    told = run("search", "quokka", data=data)
    assert (told.code, told.out) == (1, "")
    assert told.complaint == "Nothing found in 3 turns. Try fewer or other words."
    as_json = run("search", "--json", "quokka", data=data)
    assert (as_json.code, as_json.err) == (1, "")
    assert msgspec.json.decode(as_json.out, type=Found).turns == ()


def test_bad_input_gets_a_sentence(data: Path) -> None:
    assert "WORDS" in run("search", data=data).complaint
    for limit in ("0", "201", "-1"):
        refused = run("search", "--limit", limit, "lock", data=data)
        assert refused.code == 2
        assert refused.complaint == "--limit takes a number from 1 to 200."
    assert "There is no chat cht_x" in run("search", "--chat", "cht_x", "a", data=data).complaint
    assert run("search", "--project", "prj_x", "a", data=data).code == 2


def test_a_long_first_reading_shows_a_bar_that_goes_away(data_dir: Path) -> None:
    give_script(data_dir, replies=())

    async def fill(vault: Vault) -> None:
        histories = Histories(vault)
        id = await histories.chat(await histories.project())
        await filled(turns=2_500)(vault, (await vault.get(CHATS, id)).value)

    in_vault(data_dir, fill)
    with Terminal("search", "little", data=data_dir, more={}) as terminal:
        terminal.until("Reading new turns [")
        terminal.until("2,000 of 2,500 turns")
        assert terminal.end() == 0
        assert terminal.seen.count("Question 0 · turn") == 10


def test_in_a_terminal_hits_stand_out_and_control_characters_do_not_reach_it(data: Path) -> None:
    async def fill(vault: Vault) -> None:
        histories = Histories(vault)
        chat = await histories.chat(await histories.project(), title="Steering")
        await histories.turn(chat, "A quokka \x1b]0;owned\x07 steers")

    in_vault(data, fill)
    with Terminal("search", "quokka", data=data, more={}) as terminal:
        assert terminal.end() == 0
        assert "\x1b[1mquokka\x1b[0m" in terminal.seen
        assert "\x1b]0;" not in terminal.seen
