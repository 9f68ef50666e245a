"""The commands behind a colon, as values. Nothing is carried out here.

Each command acts on the turns that the filter before the colon chooses. What a value leaves
open (``None``) is for whoever carries it out: the current topic, a file name, the other state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from msgspec import Struct

from windowpane.filters.arguments import Arguments, Call, Shape, Word, arguments_from, words_from
from windowpane.filters.errors import CommandError, Span
from windowpane.filters.syntax import ColourFlag
from windowpane.filters.topics import TopicPattern

ExportFormat = Literal["json", "md", "txt", "html"]
ExportOrder = Literal["time", "topic"]
Choice = TypeVar("Choice")

FORMATS: dict[str, ExportFormat] = {"json": "json", "md": "md", "txt": "txt", "html": "html"}
ORDERS: dict[str, ExportOrder] = {"time": "time", "topic": "topic"}
STARS: dict[str, int] = {"0": 0, "1": 1, "2": 2, "3": 3}
FLAGS: dict[str, ColourFlag] = {"blue": "blue", "b": "blue", "grey": "grey", "g": "grey"}
SWITCH: dict[str, bool] = {"on": True, "off": False}


class Export(Struct, frozen=True, kw_only=True, tag="export"):
    """``takes_base``: also what ``o`` left out of view."""

    format: ExportFormat
    order: ExportOrder
    filename: str | None
    takes_base: bool


class ChangeTopic(Struct, frozen=True, kw_only=True, tag="tchange"):
    """No topic means the current one; ``TopicTree.only`` finds the one that is meant."""

    topic: TopicPattern | None
    takes_base: bool
    asks_first: bool
    is_dry_run: bool


class DeleteTurns(Struct, frozen=True, kw_only=True, tag="delete"):
    is_forced: bool


class SetStar(Struct, frozen=True, kw_only=True, tag="star"):
    star: int


class SetFlag(Struct, frozen=True, kw_only=True, tag="flag"):
    flag: ColourFlag


class SetPinned(Struct, frozen=True, kw_only=True, tag="pin"):
    is_pinned: bool


class SetSkipped(Struct, frozen=True, kw_only=True, tag="skip"):
    is_skipped: bool


class SaveView(Struct, frozen=True, kw_only=True, tag="save"):
    name: str


class OpenView(Struct, frozen=True, kw_only=True, tag="view"):
    name: str


class SetHud(Struct, frozen=True, kw_only=True, tag="hud"):
    """``None``: on if it was off, off if it was on."""

    is_on: bool | None


Command = (
    Export
    | ChangeTopic
    | DeleteTurns
    | SetStar
    | SetFlag
    | SetPinned
    | SetSkipped
    | SaveView
    | OpenView
    | SetHud
)


def parse_command(line: str, *, colon: int) -> Command:
    """Read what follows the colon at that index. Raises ``CommandError`` with the column."""
    words = words_from(line, start=colon + 1)
    if not words or not words[0].text.strip():
        span = Span(colon, colon + 1)
        raise CommandError("Empty command", text=line, span=span, advice=f"Write one of {_KNOWN}.")
    name, *rest = words
    if name.text not in COMMANDS:
        raise CommandError(
            f"Unknown command: {name.text}", text=line, span=name.span, advice=f"Known: {_KNOWN}."
        )
    shape, read = COMMANDS[name.text]
    return read(arguments_from(rest, call=Call(line=line, name=name, shape=shape)))


def _export(arguments: Arguments) -> Command:
    order, filename = arguments.flags.get("--order"), arguments.flags.get("--filename")
    return Export(
        format=_choice(arguments, arguments.first or "json", FORMATS),
        order=_choice(arguments, order or "time", ORDERS),
        filename=filename and filename.text,
        takes_base="--base" in arguments.flags,
    )


def _change_topic(arguments: Arguments) -> Command:
    return ChangeTopic(
        topic=TopicPattern.of(arguments.first.body) if arguments.first else None,
        takes_base="--base" in arguments.flags,
        asks_first="--no-confirm" not in arguments.flags,
        is_dry_run="--dry-run" in arguments.flags,
    )


def _delete(arguments: Arguments) -> Command:
    return DeleteTurns(is_forced="--force" in arguments.flags)


def _star(arguments: Arguments) -> Command:
    return SetStar(star=_choice(arguments, arguments.first, STARS))


def _flag(arguments: Arguments) -> Command:
    return SetFlag(flag=_choice(arguments, arguments.first, FLAGS))


def _pin(arguments: Arguments) -> Command:
    return SetPinned(is_pinned=_choice(arguments, arguments.first or "on", SWITCH))


def _skip(arguments: Arguments) -> Command:
    return SetSkipped(is_skipped=_choice(arguments, arguments.first or "on", SWITCH))


def _hud(arguments: Arguments) -> Command:
    word = arguments.first
    return SetHud(is_on=_choice(arguments, word, SWITCH) if word else None)


def _save(arguments: Arguments) -> Command:
    return SaveView(name=_view_name(arguments))


def _open(arguments: Arguments) -> Command:
    return OpenView(name=_view_name(arguments))


def _view_name(arguments: Arguments) -> str:
    name = arguments.first
    if not name or not name.text.strip():
        raise arguments.call.error("A view needs a name", at=name or arguments.call.name)
    return name.text.strip()


def _choice(arguments: Arguments, word: Word | str | None, choices: dict[str, Choice]) -> Choice:
    """What the word stands for; a plain string is what the language takes when none is given."""
    text = word.text if isinstance(word, Word) else word
    if text in choices:
        return choices[text]
    reason = "Something is missing" if text is None else f"Unexpected argument {text}"
    raise arguments.call.error(reason, at=word if isinstance(word, Word) else arguments.call.name)


COMMANDS: dict[str, tuple[Shape, Callable[[Arguments], Command]]] = {
    "export": (
        Shape(
            usage=":export [json|md|txt|html] [--order time|topic] [--filename NAME] [--base]",
            most_words=1,
            flags={"--order": "valued", "--filename": "valued", "--base": "alone"},
        ),
        _export,
    ),
    "tchange": (
        Shape(
            usage=":tchange ['Topic path'] [--base] [--no-confirm] [--dry-run]",
            most_words=1,
            flags={"--base": "alone", "--no-confirm": "alone", "--dry-run": "alone"},
        ),
        _change_topic,
    ),
    "delete": (
        Shape(usage=":delete [--force]", most_words=0, flags={"--force": "alone"}),
        _delete,
    ),
    "star": (Shape(usage=":star 0|1|2|3", most_words=1, flags={}), _star),
    "flag": (Shape(usage=":flag blue|grey", most_words=1, flags={}), _flag),
    "pin": (Shape(usage=":pin [on|off]", most_words=1, flags={}), _pin),
    "skip": (Shape(usage=":skip [on|off]", most_words=1, flags={}), _skip),
    "save": (Shape(usage=":save NAME or :save 'A NAME'", most_words=1, flags={}), _save),
    "view": (Shape(usage=":view NAME or :view 'A NAME'", most_words=1, flags={}), _open),
    "hud": (Shape(usage=":hud [on|off]", most_words=1, flags={}), _hud),
}
_KNOWN = ", ".join(f":{name}" for name in COMMANDS)
