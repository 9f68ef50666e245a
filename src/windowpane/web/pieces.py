"""What an answer shows, piece by piece, made of the parts of its messages.

A piece is one place of an answer: a text, the sources it leans on, a reasoning, an image, or a
tool's call with its result. It is drawn elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, takewhile
from typing import ClassVar, assert_never

from msgspec import Struct, structs

from windowpane.events import ToolRun
from windowpane.messages import Message
from windowpane.parts import Image, Opaque, Part, Reasoning, ServerTool, Text, ToolCall, ToolResult
from windowpane.providers.findings import Finding, call_id_in, finding_in
from windowpane.turns import PendingCall
from windowpane.web.activity import ENDED, Activity
from windowpane.web.pictures import Picture, picture_of
from windowpane.web.sources import Numbering, Source
from windowpane.web.thinking import thought_and_text

SENTENCE_END = re.compile(r"[.!?:][)\"”’*_`]*$")
PARAGRAPH = "\n\n"


class TextPiece(Struct, frozen=True):
    kind: ClassVar[str] = "text"
    text: str


class ReasoningPiece(Struct, frozen=True):
    kind: ClassVar[str] = "reasoning"
    text: str


class SourcesPiece(Struct, frozen=True):
    """What the text before it leans on."""

    kind: ClassVar[str] = "sources"
    sources: tuple[Source, ...]


class PicturePiece(Struct, frozen=True):
    kind: ClassVar[str] = "picture"
    picture: Picture


class ToolPiece(Struct, frozen=True, kw_only=True):
    """``is_remote``: the provider ran it itself.

    ``run`` while the call is being carried out here, ``pending`` while it needs a person's word;
    ``call_id`` is there as long as a result can come.
    """

    kind: ClassVar[str] = "tool"
    name: str
    arguments: str
    result: str | None
    is_error: bool
    is_remote: bool = False
    call_id: str = ""
    is_live: bool = False
    run: ToolRun | None = None
    pending: PendingCall | None = None


OtherPart = Reasoning | ToolCall | ToolResult | Image | ServerTool | Opaque
ProsePiece = TextPiece | ReasoningPiece
Piece = ProsePiece | SourcesPiece | PicturePiece | ToolPiece


class OpenRun(Struct, frozen=True):
    """The texts that a text which is being written continues, and the place of their first piece.

    A provider cuts a running text where a citation begins or ends; readers shall not notice.
    """

    begin: int
    text: str


def pieces_of(messages: Iterable[Message], *, activity: Activity) -> list[Piece]:
    """The answer's pieces in order; a result joins the call that it answers."""
    collected = _Collected()
    for message in messages:
        if message.role != "user":
            collected.add(message.parts)
    collected.tell(activity)
    return collected.pieces


def open_run(messages: Sequence[Message]) -> OpenRun:
    """Where the next text of the message that is being written would be drawn."""
    last = messages[-1] if messages else None
    if last is None or last.role != "assistant" or last.finish != "pending":
        return OpenRun(len(pieces_of(messages, activity=ENDED)), "")
    texts = list(takewhile(lambda part: isinstance(part, Text), reversed(last.parts)))[::-1]
    before = structs.replace(last, parts=last.parts[: len(last.parts) - len(texts)])
    begin = len(pieces_of([*messages[:-1], before], activity=ENDED))
    return OpenRun(begin, joined([part.text for part in texts if isinstance(part, Text)]))


def joined(texts: Iterable[str]) -> str:
    whole = ""
    for text in texts:
        whole += gap(whole, text) + text
    return whole


def gap(before: str, text: str) -> str:
    """What belongs between two texts of a message: nothing, unless both are whole sentences."""
    is_apart = SENTENCE_END.search(before[-8:]) and text[:1].strip()
    return PARAGRAPH if is_apart else ""


class _Collected:
    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._calls: dict[str, int] = {}
        self._remote_calls: dict[str, int] = {}
        self._numbering = Numbering()

    def add(self, parts: Iterable[Part]) -> None:
        for _, run in groupby(parts, key=type):
            texts: list[Text] = []
            for part in run:
                if isinstance(part, Text):
                    texts.append(part)
                else:
                    self._add_part(part)
            self._add_texts(texts)

    def tell(self, activity: Activity) -> None:
        """Say of the calls that have no result how they stand."""
        for call_id, place in self._calls.items():
            piece = self.pieces[place]
            assert isinstance(piece, ToolPiece), "calls are drawn as tools"
            self.pieces[place] = structs.replace(
                piece,
                is_live=activity.is_live,
                run=activity.run_of(call_id),
                pending=activity.pending_of(call_id),
            )

    def _add_texts(self, texts: Sequence[Text]) -> None:
        thought, text = thought_and_text(joined(part.text for part in texts))
        sources = self._numbering.sources(cited for part in texts for cited in part.citations)
        if thought:
            self.pieces.append(ReasoningPiece(thought))
        if text.strip():
            self.pieces.append(TextPiece(text))
        if sources:
            self.pieces.append(SourcesPiece(sources))

    def _add_part(self, part: OtherPart) -> None:
        match part:
            case Reasoning():
                self.pieces.append(ReasoningPiece(part.text))
            case ToolCall():
                self._calls[part.call_id] = len(self.pieces)
                self.pieces.append(_called(part))
            case ServerTool():
                self._remote_calls[call_id_in(part.native)] = len(self.pieces)
                self.pieces.append(_found(_called(part), finding_in(part.native)))
            case Image():
                self.pieces.append(PicturePiece(picture_of(part, owner="in the answer")))
            case Opaque():
                self._add_finding(finding_in(part.native))
            case ToolResult():
                place = self._calls.pop(part.call_id, len(self.pieces))
                self.pieces[place : place + 1] = [_answered(self.pieces[place:], part)]
            case _ as never:
                assert_never(never)

    def _add_finding(self, finding: Finding | None) -> None:
        """What a provider's tool found joins its call; without one there is nothing to join."""
        place = self._remote_calls.get(finding.call_id) if finding else None
        called = None if place is None else self.pieces[place]
        if place is not None and isinstance(called, ToolPiece):
            self.pieces[place] = _found(called, finding)


def _called(call: ToolCall | ServerTool) -> ToolPiece:
    return ToolPiece(
        name=call.name,
        arguments=call.arguments,
        result=None,
        is_error=False,
        is_remote=isinstance(call, ServerTool),
        call_id=call.call_id if isinstance(call, ToolCall) else "",
    )


def _found(called: ToolPiece, finding: Finding | None) -> ToolPiece:
    if finding is None:
        return called
    return structs.replace(called, result=finding.text, is_error=finding.is_error)


def _answered(found: Sequence[Piece], result: ToolResult) -> ToolPiece:
    call = found[0] if found else None
    arguments = call.arguments if isinstance(call, ToolPiece) else ""
    return ToolPiece(
        name=result.name, arguments=arguments, result=result.text, is_error=result.is_error
    )
