"""Messages as OpenAI's Chat Completions take them, and every server that speaks like it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from windowpane.library.reading import Field, Json
from windowpane.library.source import Piece, Source
from windowpane.library.spoken import SystemText, message_of
from windowpane.messages import Role
from windowpane.parts import Native, Part, Reasoning, Text, ToolCall, ToolResult

FAMILY = "openai_chat"
SYSTEM_ROLES = ("system", "developer")
ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    # Instructions in the middle of a conversation belong to the turn they stand in.
    "system": "assistant",
    "developer": "assistant",
}
REASONING_KEYS = ("reasoning_content", "reasoning")


def read_messages(messages: Sequence[Json]) -> tuple[list[SystemText], list[Source]]:
    """The instructions at the beginning, and all other messages."""
    fields = Field(messages, "messages", parent=None).items()
    leading = 0
    while leading < len(fields) and fields[leading]["role"].value in SYSTEM_ROLES:
        leading += 1
    system = [SystemText(json=one.fields(), text=_text(one["content"])) for one in fields[:leading]]
    return system, [_source(one, number) for number, one in enumerate(fields[leading:])]


def summary_message(system: Sequence[SystemText], text: str) -> Json:
    """A summary, said in the role that the other instructions have."""
    role = system[-1].json["role"] if system else "system"
    return {"role": role, "content": text}


def _source(message: Field, number: int) -> Source:
    role = message["role"]
    if role.text() not in ROLES:
        raise role.wrong(
            f"is {role.value!r}; it must be user, assistant, tool, system or developer."
        )
    if "function_call" in message.fields():
        raise message["function_call"].wrong("is of the past. Write it as tool_calls.")
    read = _result(message) if role.value == "tool" else _spoken(message)
    pairs = list(read)
    return Source(
        json=message.fields(),
        message=message_of(number, ROLES[role.text()], [part for part, _ in pairs]),
        pieces=tuple(piece for _, piece in pairs),
        is_instruction=role.value in SYSTEM_ROLES,
    )


def _result(message: Field) -> Iterator[tuple[Part, Piece]]:
    call_id, text = message["tool_call_id"].text(), _text(message["content"])
    yield ToolResult(call_id=call_id, name="", text=text), ("content", None)


def _text(content: Field) -> str:
    if content.is_text:
        return content.text()
    return "\n".join(block["text"].text() for block in content.blocks())


def _spoken(message: Field) -> Iterator[tuple[Part, Piece]]:
    for key in REASONING_KEYS:
        thought = message[key]
        if thought.is_text and thought.text().strip():
            yield Reasoning(text=thought.text()), (key, None)
    yield from _content(message["content"])
    if not message["refusal"].is_missing:
        yield Text(text=message["refusal"].text()), ("refusal", None)
    if not message["tool_calls"].is_missing:
        for at, call in enumerate(message["tool_calls"].items()):
            yield _call(call), ("tool_calls", at)


def _content(content: Field) -> Iterator[tuple[Part, Piece]]:
    if content.is_missing:
        return
    if content.is_text:
        if content.text().strip():
            yield Text(text=content.text()), ("content", None)
        return
    for at, block in enumerate(content.blocks()):
        if block["type"].text() == "text":
            yield Text(text=block["text"].text()), ("content", at)
        else:
            native = Native(family=FAMILY, block=msgspec.json.encode(block.value).decode())
            yield Text(text="", native=native), ("content", at)


def _call(call: Field) -> ToolCall:
    """A function's arguments are JSON, a custom tool's input is plain text."""
    is_custom = call["type"].value == "custom"
    called = call["custom"] if is_custom else call["function"]
    return ToolCall(
        call_id=call["id"].text(),
        name=called["name"].text(),
        arguments=called["input" if is_custom else "arguments"].text(),
    )
