"""Files that go with a message on the command line: images, and tools that a model may call."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Raw

from windowpane.context.request import ToolDefinition
from windowpane.errors import InvalidInput
from windowpane.parts import Image

# What every family takes; the name of a file says nothing about what is in it.
MEDIA_TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "GIF": "image/gif", "WEBP": "image/webp"}
SCHEMA_KEYS = ("parameters", "input_schema", "schema", "inputSchema", "parametersJsonSchema")

Fields = dict[str, object]
NO_ARGUMENTS: Fields = {"type": "object", "properties": {}}


def image_in(path: Path) -> Image:
    data = _read(path, what="image")
    # A tenth of a second and some megabytes, so only a message with images pays for it.
    from PIL import Image as Picture
    from PIL import UnidentifiedImageError

    try:
        with Picture.open(BytesIO(data)) as picture:
            media_type = MEDIA_TYPES.get(picture.format or "")
            width_px, height_px = picture.size
    except (UnidentifiedImageError, OSError, Picture.DecompressionBombError):
        media_type, width_px, height_px = None, 0, 0
    if media_type is None:
        raise InvalidInput(f"{path} is no image that models take: JPEG, PNG, GIF or WebP.")
    return Image(
        media_type=media_type,
        data=b64encode(data).decode(),
        width_px=width_px,
        height_px=height_px,
    )


def tools_in(path: Path) -> tuple[ToolDefinition, ...]:
    """The tools of a JSON file, in the words of whichever provider it was written for."""
    try:
        listed = msgspec.json.decode(_read(path, what="file of tools"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not valid JSON: {error}.") from None
    if isinstance(listed, dict) and "tools" in listed:
        listed = cast(Fields, listed)["tools"]
    if not isinstance(listed, list):
        raise InvalidInput(f"{path} holds no list of tools. It begins with [ and ends with ].")
    found = [
        tool
        for at, item in enumerate(cast(list[object], listed), start=1)
        for tool in _tools(item, where=f"Tool {at} in {path}")
    ]
    _check_names([tool.name for tool in found], path=path)
    return tuple(found)


def _tools(item: object, *, where: str) -> Iterator[ToolDefinition]:
    """One item is one tool, but Google's holds a list of them."""
    if not isinstance(item, dict):
        raise InvalidInput(f"{where} is not an object.")
    fields = cast(Fields, item)
    several = fields.get("functionDeclarations", fields.get("function_declarations"))
    if isinstance(several, list):
        for inner in cast(list[object], several):
            yield from _tools(inner, where=where)
    elif isinstance(inner := fields.get("function", fields.get("toolSpec")), dict):
        yield _tool(cast(Fields, inner), where=where)
    else:
        yield _tool(fields, where=where)


def _tool(fields: Fields, *, where: str) -> ToolDefinition:
    name, description = fields.get("name"), fields.get("description", "")
    if not isinstance(name, str) or not name:
        raise InvalidInput(f"{where} has no name.")
    if not isinstance(description, str):
        raise InvalidInput(f"{where}: the description of {name} is not text.")
    return ToolDefinition(name=name, description=description, schema=_schema(fields, where=where))


def _schema(fields: Fields, *, where: str) -> Raw:
    named = [fields[key] for key in SCHEMA_KEYS if key in fields]
    given = named[0] if named else NO_ARGUMENTS
    if isinstance(given, dict) and set(cast(Fields, given)) == {"json"}:  # as Bedrock wraps it
        given = cast(Fields, given)["json"]
    if not isinstance(given, dict):
        keys = ", ".join(SCHEMA_KEYS[:3])
        raise InvalidInput(f"{where}: the schema of its arguments ({keys}) is not an object.")
    return Raw(msgspec.json.encode(cast(Fields, given)))


def _check_names(names: list[str], *, path: Path) -> None:
    if twice := [name for name in names if names.count(name) > 1]:
        raise InvalidInput(f"{path} has two tools called {twice[0]}.")


def _read(path: Path, *, what: str) -> bytes:
    try:
        return path.expanduser().read_bytes()
    except OSError as error:
        raise InvalidInput(f"The {what} {path} cannot be read: {error.strerror}.") from error
