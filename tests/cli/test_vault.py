"""``windowpane vault``: the key's passphrase comes and goes, the data stays."""

import re
from pathlib import Path
from stat import S_IMODE

import pytest

from tests.commands import Outcome, Terminal, give_script, run, turns_in
from tests.workspaces import MODEL, says

RIGHT = {"WINDOWPANE_PASSPHRASE": "correct horse"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A vault with one turn in it."""
    folder = tmp_path / "data"
    give_script(folder, replies=[says("Five.")])
    run("send", "--model", MODEL, "two", data=folder)
    return folder


def protect(data: Path) -> Outcome:
    return run("vault", "passphrase", data=data, stdin="correct horse\n")


def test_a_protected_vault_opens_with_its_passphrase_only(data: Path) -> None:
    before = (data / "vault.key").read_text()
    outcome = protect(data)
    assert outcome.code == 0
    assert "is protected by the new passphrase" in outcome.out
    assert before.strip() not in (data / "vault.key").read_text()
    assert S_IMODE((data / "vault.key").stat().st_mode) == 0o600

    answered = run("send", "--model", MODEL, "two", data=data, more=RIGHT)
    assert (answered.code, answered.out) == (0, "Five.\n")


def test_a_locked_vault_says_how_to_unlock_it(data: Path) -> None:
    protect(data)
    outcome = run("send", "--model", MODEL, "two", data=data)
    assert (outcome.code, outcome.out) == (1, "")
    assert "is protected by a passphrase. Set WINDOWPANE_PASSPHRASE" in outcome.complaint


def test_a_wrong_passphrase_changes_nothing(data: Path) -> None:
    protect(data)
    key = (data / "vault.key").read_bytes()
    wrong = {"WINDOWPANE_PASSPHRASE": "battery staple"}
    for words in (("send", "hi"), ("vault", "passphrase"), ("vault", "show-key")):
        outcome = run(*words, data=data, more=wrong, stdin="new one\n")
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.complaint.startswith("The passphrase does not open this vault's key.")
    assert (data / "vault.key").read_bytes() == key


def test_a_passphrase_can_be_changed_and_removed(data: Path) -> None:
    protect(data)
    changed = run("vault", "passphrase", data=data, more=RIGHT, stdin="battery staple\n")
    assert changed.code == 0
    assert run("send", "hi", data=data, more=RIGHT).code == 1

    new = {"WINDOWPANE_PASSPHRASE": "battery staple"}
    removed = run("vault", "passphrase", "--remove", data=data, more=new)
    assert (removed.code, removed.err) == (0, "")
    assert "no longer protected" in removed.out
    assert len(turns_in(data)) == 1


def test_removing_what_is_not_there_is_no_error(data: Path) -> None:
    key = (data / "vault.key").read_bytes()
    outcome = run("vault", "passphrase", "--remove", data=data)
    assert outcome.code == 0
    assert "nothing to remove" in outcome.out
    assert (data / "vault.key").read_bytes() == key


def test_an_empty_passphrase_is_refused(data: Path) -> None:
    key = (data / "vault.key").read_bytes()
    outcome = run("vault", "passphrase", data=data, stdin="\n")
    assert outcome.code == 2
    assert outcome.complaint.startswith("The passphrase is empty.")
    assert (data / "vault.key").read_bytes() == key


def test_a_passphrase_for_a_key_that_has_none_is_told(data: Path) -> None:
    outcome = run("send", "hi", data=data, more=RIGHT)
    assert outcome.code == 1
    assert "is not protected by one" in outcome.complaint


def test_the_key_is_shown_alone_after_a_warning(data: Path) -> None:
    outcome = run("vault", "show-key", data=data)
    assert outcome.code == 0
    assert re.fullmatch(r"[a-z2-7]{52}\n", outcome.out)
    assert "opens everything in the vault" in outcome.err
    protect(data)
    assert run("vault", "show-key", data=data, more=RIGHT).out == outcome.out


def test_a_shown_key_restores_a_lost_key_file(data: Path) -> None:
    key = run("vault", "show-key", data=data).out
    (data / "vault.key").unlink()
    (data / "vault.key").touch(mode=0o600)
    (data / "vault.key").write_text(key)
    assert len(turns_in(data)) == 1


def test_a_first_run_with_a_passphrase_makes_a_protected_key(tmp_path: Path) -> None:
    data = tmp_path / "new"
    assert run("chat", data=data, more=RIGHT).code == 0
    assert (data / "vault.key").read_text().startswith("{")


def test_a_person_is_asked_and_what_is_typed_is_not_shown(data: Path) -> None:
    with Terminal("vault", "passphrase", data=data, more={}) as terminal:
        terminal.until("New passphrase: ")
        terminal.press("correct horse\n")
        terminal.until("The same again: ")
        terminal.press("correct horse\n")
        terminal.until("is protected by the new passphrase")
        assert terminal.end() == 0
    assert "correct horse" not in terminal.seen

    with Terminal("vault", "show-key", data=data, more={}) as terminal:
        terminal.until("Passphrase: ")
        terminal.press("correct horse\n")
        terminal.until("opens everything in the vault")
        assert terminal.end() == 0


def test_two_different_new_passphrases_change_nothing(data: Path) -> None:
    key = (data / "vault.key").read_bytes()
    with Terminal("vault", "passphrase", data=data, more={}) as terminal:
        terminal.until("New passphrase: ")
        terminal.press("correct horse\n")
        terminal.until("The same again: ")
        terminal.press("correct house\n")
        terminal.until("The two passphrases differ. Nothing was changed.")
        assert terminal.end() == 2
    assert (data / "vault.key").read_bytes() == key
