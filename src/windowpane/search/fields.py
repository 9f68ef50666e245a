"""A turn as the index sees it: what was asked, what was answered, what tools said, which days."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from windowpane.messages import Role
from windowpane.parts import Image, Opaque, Part, Reasoning, ServerTool, Text, ToolCall, ToolResult
from windowpane.search.dates import day_marks, spoken_marks
from windowpane.search.tokens import parts_of, plain
from windowpane.turns import TurnContent


class Texts(Struct, frozen=True, kw_only=True):
    """The words of a turn as they were written, by whose they are."""

    asked: str
    answered: str
    tools: str

    def of(self, role: Role) -> str:
        match role:
            case "user":
                return self.asked
            case "assistant":
                return self.answered
            case "tool":
                return self.tools


# The columns of the index, in this order.
Fields = tuple[str, str, str, str]
ROLES: tuple[Role, ...] = ("user", "assistant", "tool")


def texts_of(content: TurnContent) -> Texts:
    """Thoughts are left out: they are neither said nor kept for long."""
    asked: list[str] = []
    answered: list[str] = []
    tools: list[str] = []
    for message in content.messages:
        (asked if message.role == "user" else answered).append(message.text)
        tools.extend(_tool_words(message.parts))
    return Texts(asked=_joined(asked), answered=_joined(answered), tools=_joined(tools))


def fields_of(content: TurnContent) -> Fields:
    texts = texts_of(content)
    at = content.turn.created_at
    spoken = [spoken_marks(text, at=at) for text in (texts.asked, texts.answered)]
    days = " ".join([day_marks(at), *spoken])
    return _indexed(texts.asked), _indexed(texts.answered), _indexed(texts.tools), days


def _indexed(text: str) -> str:
    parts = parts_of(text)
    return f"{plain(text)}\n{parts}" if parts else plain(text)


def _tool_words(parts: Iterable[Part]) -> Iterable[str]:
    for part in parts:
        match part:
            case ToolCall() | ServerTool():
                yield f"{part.name} {part.arguments}"
            case ToolResult():
                yield part.text
            case Text():
                yield from (f"{one.title} {one.url} {one.cited_text}" for one in part.citations)
            case Reasoning() | Image() | Opaque():
                pass


def _joined(texts: list[str]) -> str:
    return "\n".join(text for text in texts if text)
