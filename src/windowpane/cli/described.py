"""A provider described on the command line, as a JSON object or in a file of one.

Says which field is wrong, and never what it holds: it may be a key.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from windowpane.cli.providers import FAMILIES
from windowpane.definitions import Family, ProviderDefinition
from windowpane.errors import InvalidInput
from windowpane.ids import new_id

FILE_MARK = "@"
NAME = "once"


class _Described(Struct, frozen=True, kw_only=True):
    family: Family
    base_url: str = ""
    api_key: str = ""
    headers: dict[str, str] = {}
    is_local: bool = False
    models_endpoint: str = ""


FIELDS = _Described.__struct_fields__


def definition_in(given: str) -> ProviderDefinition:
    """From the JSON itself, or with an ``@`` before it the file that holds it."""
    fields = _object(_text(given))
    if unknown := [name for name in fields if name not in FIELDS]:
        raise InvalidInput(
            f"The definition has a field {unknown[0]!r}, which means nothing. "
            f"It takes {', '.join(FIELDS)}."
        )
    described = _converted(fields)
    definition = ProviderDefinition(**asdict(described), id=new_id("provider"), name=NAME)
    return replace(definition, is_local=definition.is_local or definition.family == "local")


def _text(given: str) -> bytes:
    if not given.startswith(FILE_MARK):
        return given.encode(errors="surrogateescape")
    path = Path(given.removeprefix(FILE_MARK)).expanduser()
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"The definition {path} cannot be read: {error.strerror}.") from error


def _object(text: bytes) -> dict[str, object]:
    try:
        return msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise InvalidInput(
            'The definition is not a JSON object. One looks like {"family":"anthropic",'
            '"api_key":"…"}; write @FILE to read it from a file.'
        ) from None


def _converted(fields: dict[str, object]) -> _Described:
    try:
        return msgspec.convert(fields, _Described)
    except msgspec.ValidationError as error:
        raise _refusal(fields, complaint=str(error)) from None


def _refusal(fields: dict[str, object], *, complaint: str) -> InvalidInput:
    known = f"The families are {', '.join(FAMILIES)}."
    if "family" not in fields:
        return InvalidInput(f"The definition has no family. {known}")
    if "$.family" in complaint:
        return InvalidInput(f"There is no family {fields['family']!r}. {known}")
    wrong = next(name for name in FIELDS if f"$.{name}" in complaint)
    return InvalidInput(f"The definition's field {wrong} must be {_WANTED[wrong]}.")


_WANTED = {
    "base_url": "an address, as text",
    "api_key": "text",
    "headers": "an object of texts by the names of headers",
    "is_local": "true or false",
    "models_endpoint": "an address, as text",
}
