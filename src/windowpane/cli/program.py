"""The program: finds the command, runs it, and turns what went wrong into one sentence.

The boundary of the command line: what goes wrong below it ends in a sentence and an exit code,
and a traceback is shown only to those who ask for it with ``--log-level debug``.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence

from windowpane import __version__
from windowpane.cli import (
    chat,
    chats,
    cost,
    doctor,
    models,
    plan,
    projects,
    providers,
    receipts,
    search,
    send,
    serve,
    vault,
    why,
)
from windowpane.cli.configuration import settings_for
from windowpane.cli.exits import BAD_INPUT, FAILED, INTERRUPTED, NOBODY_READS
from windowpane.cli.grammar import (
    PROGRAM,
    Command,
    Parser,
    command_called,
    group_called,
    listing,
)
from windowpane.cli.logs import start_logging
from windowpane.cli.terminal import complain
from windowpane.errors import InvalidInput, WindowpaneError

logger = logging.getLogger(__name__)

COMMANDS = (
    serve.COMMAND,
    send.COMMAND,
    chat.COMMAND,
    chats.LIST,
    chats.RENAME,
    chats.FORK,
    chats.MOVE,
    chats.DELETE,
    chats.RESTORE,
    plan.COMMAND,
    why.COMMAND,
    receipts.COMMAND,
    cost.COMMAND,
    projects.LIST,
    projects.ADD,
    projects.SHOW,
    projects.SET,
    search.COMMAND,
    models.LIST,
    models.SHOW,
    providers.ADD,
    providers.LIST,
    providers.CHECK,
    providers.REMOVE,
    doctor.COMMAND,
    vault.PASSPHRASE,
    vault.SHOW_KEY,
)
# What happens when no command is named.
DEFAULT = serve.COMMAND
INTRODUCTION = """\
A self-hosted AI chat workspace in which you see exactly what the model sees.

Without a command it starts the server and opens the page, with the options below.
windowpane COMMAND --help tells more about a command."""


def main() -> int:
    return run(sys.argv[1:])


def run(words: Sequence[str]) -> int:
    """The exit code of one command line."""
    try:
        code = _act(words)
        sys.stdout.flush()
        return code
    except WindowpaneError as error:
        complain(str(error))
        return BAD_INPUT if isinstance(error, InvalidInput) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # What is still buffered has no reader, and Python would complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    except Exception as error:  # the boundary of the program: people get a sentence
        logger.debug("This went wrong:", exc_info=error)
        complain(
            f"Something went wrong inside Windowpane ({type(error).__name__}). "
            "Run it again with --log-level debug to see where."
        )
        return FAILED


def program_parser() -> Parser:
    """What fits when no command is named: the options of the default one, and two of its own."""
    parser = Parser(
        PROGRAM,
        usage="[COMMAND] [options]",
        description=f"{INTRODUCTION}\n\ncommands:\n{listing(COMMANDS)}",
        epilog=DEFAULT.epilog,
    )
    version = f"{PROGRAM} {__version__}"
    parser.add_argument("--version", action="version", version=version, help="show the version")
    DEFAULT.add_options(parser)
    return parser


def _group_parser(word: str, group: Sequence[Command]) -> Parser:
    return Parser(
        f"{PROGRAM} {word}", usage="COMMAND [options]", description=listing(group), epilog=""
    )


def _act(words: Sequence[str]) -> int:
    command, parser, rest = _understood(words)
    arguments = parser.parse_whole(rest)
    settings = settings_for(vars(arguments))
    start_logging(settings.log_level)
    return command.run(settings, arguments)


def _understood(words: Sequence[str]) -> tuple[Command, Parser, Sequence[str]]:
    if not words or words[0].startswith("-"):
        return DEFAULT, program_parser(), words
    if words[1:] in (["-h"], ["--help"]) and (group := _only_group(words[0])):
        return DEFAULT, _group_parser(words[0], group), words[1:]
    command = command_called(COMMANDS, words)
    return command, command.parser(), words[len(command.name.split()) :]


def _only_group(word: str) -> list[Command]:
    """The commands that begin with a word which is no command by itself."""
    is_command = any(command.name == word for command in COMMANDS)
    return [] if is_command else group_called(COMMANDS, word)
