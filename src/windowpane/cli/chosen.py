"""Choices as words of a command line: ``KEY=VALUE`` in, a table of what applies out."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import msgspec

from windowpane.agent.remarks import Remark
from windowpane.choices import CHOICE_NAMES, Choices, choice_types, wanted
from windowpane.cli.columns import columns
from windowpane.context.applied import Applied
from windowpane.errors import BadChoice, InvalidInput

SHOWN_CHARACTERS = 60
FROM_FILE = "@"


def choices_from(words: Sequence[str]) -> tuple[Choices, list[str]]:
    """What is changed, and the names of it; an empty value takes a choice away."""
    values: dict[str, object] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise InvalidInput(f"{word!r} changes nothing. Write it as KEY=VALUE.")
        name = _known(key)
        values[name] = _value(name, text) if text else None
    return msgspec.convert(values, Choices), list(values)


def applied_text(settings: Applied, remarks: Sequence[Remark]) -> str:
    """What applies, where each comes from, and what the model would not heed of it."""
    rows = [
        [name, _shown(getattr(settings, name)), settings.sources[name]] for name in CHOICE_NAMES
    ]
    if settings.topic_message:
        rows.append(["topic_message", _shown(settings.topic_message), "topic"])
    told = [f"{remark.key}: {remark.sentence}" for remark in remarks]
    return "\n".join([columns(rows), *told])


def _known(key: str) -> str:
    if key in CHOICE_NAMES:
        return key
    near = get_close_matches(key, CHOICE_NAMES, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(CHOICE_NAMES)}."
    raise InvalidInput(f"There is no setting called {key}. {hint}")


def _value(key: str, text: str) -> object:
    if text.startswith(FROM_FILE):
        text = _read(Path(text.removeprefix(FROM_FILE)))
    for read in (text, _json(text), text.split(",")):
        try:
            return msgspec.convert(read, choice_types()[key], strict=False)
        except msgspec.ValidationError:
            continue
    raise BadChoice(key, f"{text!r} does not fit {key}. It takes {wanted(key)}.")


def _json(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.") from error


def _shown(value: object) -> str:
    match value:
        case None | "":
            return "none"
        case str():
            line = " ".join(value.split())
            return line if len(line) <= SHOWN_CHARACTERS else f"{line[: SHOWN_CHARACTERS - 1]}…"
        case bool() | dict() | tuple():
            return msgspec.json.encode(value).decode()
        case _:
            return str(value)
