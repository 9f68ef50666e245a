"""``windowpane vault``: the key that everything is sealed with."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from windowpane.cli.configuration import add_place_options
from windowpane.cli.exits import DONE
from windowpane.cli.grammar import Command, Parser
from windowpane.cli.terminal import ask_secret, can_ask
from windowpane.errors import InvalidInput, VaultLocked
from windowpane.settings import Settings

PASSPHRASE_DESCRIPTION = """\
Protect the key file with a passphrase, or change the one that it has.

From then on Windowpane asks for the passphrase when it starts, or takes it from
WINDOWPANE_PASSPHRASE. Nothing else changes: the same key opens the same data. The new
passphrase is asked for twice; without a terminal it is the first line of standard input.
If it is forgotten, and no copy of the key was kept (windowpane vault show-key), then
nobody can read the data again."""

SHOW_KEY_DESCRIPTION = """\
Print the key that everything in this vault is sealed with: 52 characters, to be kept in a
safe place, such as a password manager. Whoever has it and the database can read
everything. The warning goes to standard error, the key alone to standard output."""

SHOW_KEY_WARNING = """\
This key opens everything in the vault. Keep it where only you can get at it, and off this
disk: it is what remains when the key file is lost or its passphrase forgotten."""


def add_passphrase_options(parser: Parser) -> None:
    help = "keep the key without a passphrase again"
    parser.add_argument("--remove", action="store_true", help=help)
    add_place_options(parser)


def change_passphrase(settings: Settings, arguments: Namespace) -> int:
    from windowpane.storage.keys import load_key, set_passphrase

    path = Path(settings.key_file_or_default)
    old = _old_passphrase(settings)
    if arguments.remove and old is None:
        print(f"The key in {path} has no passphrase, so there is nothing to remove.")
        return DONE
    load_key(path, passphrase=old)
    new = None if arguments.remove else _new_passphrase()
    set_passphrase(path, old=old, new=new)
    if new is None:
        print(f"The key in {path} is no longer protected by a passphrase.")
    else:
        print(f"The key in {path} is protected by the new passphrase from the next start on.")
    return DONE


def _old_passphrase(settings: Settings) -> str | None:
    """None if the key has none."""
    from windowpane.cli.opening import asked_passphrase
    from windowpane.storage.keys import load_key

    path = Path(settings.key_file_or_default)
    try:
        load_key(path, passphrase=None)
    except VaultLocked:
        return settings.passphrase or asked_passphrase(path)
    return None


def _new_passphrase() -> str:
    if not can_ask():
        return sys.stdin.readline().rstrip("\r\n")
    new = ask_secret("New passphrase: ")
    if ask_secret("The same again: ") != new:
        raise InvalidInput("The two passphrases differ. Nothing was changed.")
    return new


def show_key(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.opening import unlocked_key
    from windowpane.storage.keys import key_text

    key = unlocked_key(settings)
    print(SHOW_KEY_WARNING, file=sys.stderr)
    print(key_text(key))
    return DONE


PASSPHRASE = Command(
    name="vault passphrase",
    usage="[options]",
    summary="protect the key file with a passphrase, or change or remove it",
    description=PASSPHRASE_DESCRIPTION,
    examples=(
        "windowpane vault passphrase",
        "windowpane vault passphrase --remove",
        "pass show windowpane | windowpane vault passphrase",
    ),
    add_options=add_passphrase_options,
    run=change_passphrase,
)

SHOW_KEY = Command(
    name="vault show-key",
    usage="[options]",
    summary="print the key, to keep a copy of it in a safe place",
    description=SHOW_KEY_DESCRIPTION,
    examples=("windowpane vault show-key", "windowpane vault show-key | pass insert -e windowpane"),
    add_options=add_place_options,
    run=show_key,
)
