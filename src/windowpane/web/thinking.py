"""Thought that a model wrote into its text: ``<think>…</think>`` before the answer proper.

Some servers pass it on as it came. What is stored stays as it is; only the drawing tells the two
apart, in the same way whether the text came at once or in pieces that cut a tag in two.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

OPENING = "<think>"
CLOSING = "</think>"

State = Literal["undecided", "thinking", "answering"]


class Span(Struct, frozen=True):
    """Some text, and what it belongs to."""

    kind: Literal["reasoning", "text"]
    text: str


class ThoughtCutter:
    """Takes a text in pieces and says of each what it is, as soon as that is certain."""

    def __init__(self) -> None:
        self._state: State = "undecided"
        self._held = ""
        self._has_thought = False
        self._is_after_thought = False

    def feed(self, text: str) -> list[Span]:
        self._held += text
        if self._state == "undecided":
            self._decide()
        match self._state:
            case "undecided":
                return []
            case "thinking":
                return self._think()
            case "answering":
                return self._answer()

    def close(self) -> list[Span]:
        """What was held back, now that nothing follows."""
        left, self._held = self._held, ""
        if not left.strip():
            return []
        return [Span("reasoning" if self._state == "thinking" else "text", left)]

    def _decide(self) -> None:
        begun = self._held.lstrip()
        if begun.startswith(OPENING):
            self._state, self._held = "thinking", begun.removeprefix(OPENING)
        elif not OPENING.startswith(begun):
            self._state = "answering"

    def _think(self) -> list[Span]:
        thought, tag, answer = self._held.partition(CLOSING)
        if not tag:
            thought, self._held = _without_half_tag(self._held)
            return self._thought(thought)
        self._state, self._held, self._is_after_thought = "answering", answer, True
        return [*self._thought(thought), *self._answer()]

    def _thought(self, text: str) -> list[Span]:
        """A thought that holds nothing is none: models that were told not to think write so."""
        if not self._has_thought:
            text = text.lstrip()
        self._has_thought = self._has_thought or bool(text)
        return [Span("reasoning", text)] if text else []

    def _answer(self) -> list[Span]:
        text, self._held = self._held, ""
        if self._is_after_thought:
            text = text.lstrip()
            self._is_after_thought = not text
        return [Span("text", text)] if text else []


def thought_and_text(text: str) -> tuple[str, str]:
    """A whole text as what was thought and what was said; either may be empty."""
    cutter = ThoughtCutter()
    spans = [*cutter.feed(text), *cutter.close()]
    thought = "".join(span.text for span in spans if span.kind == "reasoning")
    return thought, "".join(span.text for span in spans if span.kind == "text")


def _without_half_tag(text: str) -> tuple[str, str]:
    """The text up to what may be the beginning of the closing tag, and that beginning."""
    for length in range(min(len(CLOSING) - 1, len(text)), 0, -1):
        if CLOSING.startswith(text[-length:]):
            return text[:-length], text[-length:]
    return text, ""
