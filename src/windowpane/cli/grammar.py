"""What a command is, and how a line of arguments becomes one.

Owns the words around argparse: help with examples, and one sentence for whatever does not fit,
naming the nearest thing that would. What the commands do is theirs.
"""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NoReturn

from windowpane.errors import InvalidInput
from windowpane.settings import Settings

PROGRAM = "windowpane"
# Help is printed in the documentation too, so it does not depend on the terminal.
HELP_COLUMNS = 88
OPTION_COLUMNS = 24


class HelpFormatter(RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=OPTION_COLUMNS, width=HELP_COLUMNS)


class Parser(ArgumentParser):
    """Raises ``InvalidInput`` where argparse would print its usage and exit."""

    def __init__(self, prog: str, *, usage: str, description: str, epilog: str) -> None:
        super().__init__(
            prog=prog,
            usage=f"{prog} {usage}".rstrip(),
            description=description,
            epilog=epilog,
            formatter_class=HelpFormatter,
            allow_abbrev=False,
            add_help=False,
        )
        self.add_argument("-h", "--help", action="help", default=SUPPRESS, help="show this help")

    @property
    def option_names(self) -> list[str]:
        return [name for name in self._option_string_actions if name.startswith("--")]

    def error(self, message: str) -> NoReturn:
        raise InvalidInput(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.")

    def parse_whole(self, arguments: Sequence[str]) -> Namespace:
        parsed, unknown = self.parse_known_args(arguments)
        if not unknown:
            return parsed
        options = [word for word in unknown if word.startswith("-")]
        raise InvalidInput(self._no_option(options[0]) if options else self._no_place(unknown[0]))

    def _no_option(self, given: str) -> str:
        name = given.partition("=")[0]
        return f"There is no option {name}. {_hint(name, self.option_names, prog=self.prog)}"

    def _no_place(self, word: str) -> str:
        return f"{self.prog} has no place for {word!r}. Put a text with spaces in quotes."


@dataclass(frozen=True, kw_only=True)
class Command:
    """``run`` returns the exit code."""

    name: str
    usage: str
    summary: str
    description: str
    examples: tuple[str, ...]
    add_options: Callable[[Parser], None]
    run: Callable[[Settings, Namespace], int]

    @property
    def full_name(self) -> str:
        return f"{PROGRAM} {self.name}"

    @property
    def epilog(self) -> str:
        return "\n".join(["examples:", *(f"  {example}" for example in self.examples)])

    def parser(self) -> Parser:
        parser = Parser(
            self.full_name, usage=self.usage, description=self.description, epilog=self.epilog
        )
        self.add_options(parser)
        return parser


def command_called(commands: Sequence[Command], words: Sequence[str]) -> Command:
    """The longest that the words begin with; raises ``InvalidInput`` if there is none."""
    if fitting := [command for command in commands if _begin_with(words, command.name)]:
        return max(fitting, key=lambda command: len(command.name))
    followers = [command.name.split()[1] for command in group_called(commands, words[0])]
    if followers:
        raise InvalidInput(f"{PROGRAM} {words[0]} is followed by {' or '.join(followers)}.")
    hint = _hint(words[0], [command.name.split()[0] for command in commands], prog=PROGRAM)
    raise InvalidInput(f"There is no command {words[0]}. {hint}")


def _begin_with(words: Sequence[str], name: str) -> bool:
    return list(words[: len(name.split())]) == name.split()


def group_called(commands: Sequence[Command], word: str) -> list[Command]:
    """The commands of more than one word that begin with this one."""
    return [command for command in commands if command.name.startswith(f"{word} ")]


def listing(commands: Sequence[Command]) -> str:
    width = max(len(command.name) for command in commands)
    return "\n".join(f"  {command.name:<{width}}  {command.summary}" for command in commands)


def _hint(given: str, known: Sequence[str], *, prog: str) -> str:
    near = get_close_matches(given, known, n=1, cutoff=0.5)
    return f"Did you mean {near[0]}?" if near else f"See {prog} --help."
