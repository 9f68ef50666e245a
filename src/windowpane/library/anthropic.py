"""Messages as Anthropic takes them: the system text apart, tool results in the user's messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from windowpane.library.reading import Field, Json
from windowpane.library.source import Piece, Source
from windowpane.library.spoken import SystemText, message_of
from windowpane.messages import Role
from windowpane.parts import Native, Part, Reasoning, Text, ToolCall, ToolResult

FAMILY = "anthropic"


def read_system(system: str | Sequence[Json] | None) -> list[SystemText]:
    if system is None:
        return []
    if isinstance(system, str):
        return [SystemText(json={"type": "text", "text": system}, text=system)]
    blocks = Field(system, "system", parent=None).items()
    return [SystemText(json=block.fields(), text=block["text"].text()) for block in blocks]


def read_messages(messages: Sequence[Json]) -> list[Source]:
    fields = Field(messages, "messages", parent=None).items()
    return [_source(message, number) for number, message in enumerate(fields)]


def _source(message: Field, number: int) -> Source:
    role = message["role"]
    if role.text() not in ("user", "assistant"):
        advice = " Pass it as system=." if role.value == "system" else ""
        raise role.wrong(f"is {role.value!r}; it must be user or assistant.{advice}")
    pairs = list(_content(message["content"]))
    parts = [part for part, _ in pairs]
    return Source(
        json=message.fields(),
        message=message_of(number, _role(role.text(), parts), parts),
        pieces=tuple(piece for _, piece in pairs),
        is_instruction=False,
    )


def _role(role: str, parts: Sequence[Part]) -> Role:
    """A user's message with results goes on with the turn; it does not begin one."""
    if role == "assistant":
        return "assistant"
    return "tool" if any(isinstance(part, ToolResult) for part in parts) else "user"


def _content(content: Field) -> Iterator[tuple[Part, Piece]]:
    if content.is_text:
        if content.text().strip():
            yield Text(text=content.text()), ("content", None)
        return
    for at, block in enumerate(content.blocks()):
        yield _part(block), ("content", at)


def _part(block: Field) -> Part:
    match block["type"].text():
        case "text":
            return Text(text=block["text"].text())
        case "thinking":
            return Reasoning(text=block["thinking"].text(), native=_native(block))
        case "redacted_thinking":
            return Reasoning(text="", native=_native(block))
        case "tool_use":
            arguments = msgspec.json.encode(block["input"].fields()).decode()
            return ToolCall(
                call_id=block["id"].text(), name=block["name"].text(), arguments=arguments
            )
        case "tool_result":
            return ToolResult(
                call_id=block["tool_use_id"].text(),
                name="",
                text=_result_text(block["content"]),
                is_error=block["is_error"].value is True,
            )
        case _:
            return Text(text="", native=_native(block))


def _result_text(content: Field) -> str:
    """What a tool gave: text, or blocks that are counted as the JSON they are."""
    if content.is_missing:
        return ""
    if content.is_text:
        return content.text()
    texts = [
        block["text"].text() if block["type"].value == "text" else _json(block)
        for block in content.blocks()
    ]
    return "\n".join(texts)


def _native(block: Field) -> Native:
    return Native(family=FAMILY, block=_json(block))


def _json(block: Field) -> str:
    return msgspec.json.encode(block.fields()).decode()
