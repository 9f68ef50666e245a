"""What a watching page is told, frame by frame, adds up to what it would load at that moment."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.render.page import Element, Page, parsed
from tests.web.scene import AT, TURN
from windowpane.events import (
    Event,
    OpenPart,
    PartDelta,
    PartDone,
    PartStarted,
    TurnEnded,
    TurnStarted,
)
from windowpane.messages import Message
from windowpane.parts import Citation, Native, Opaque, Part, Reasoning, Text, ToolCall
from windowpane.render import Patch
from windowpane.web.frames import Frame, PatchFrame, PieceFrame
from windowpane.web.live_turn import LiveTurn
from windowpane.web.open_part import loaded_html

SENDING = structs.replace(TURN, state="sending")
ASKED = Message(id="rec_a", role="user", parts=(Text(text="go"),), created_at=AT)
NATIVE = Native(family="f", block="{}")

scraps = st.sampled_from(["<think>", "</think>", "</thi", "nk>", "a **b", "**.", "\n\n- c", " "])
written = st.lists(scraps, max_size=6).map("".join)
citations = st.lists(
    st.builds(Citation, url=st.sampled_from(["https://a.example", "https://b.example"])), max_size=2
).map(tuple)
parts = st.one_of(
    st.builds(Text, text=written, citations=citations),
    st.builds(Reasoning, text=written),
    st.builds(ToolCall, call_id=st.just("a"), name=st.just("t"), arguments=st.just("{}")),
    st.just(Opaque(kind="odd", native=NATIVE)),
)


class Answer:
    """The answer's place on a page, changed as the page's script changes it."""

    def __init__(self) -> None:
        self.pieces: list[Element] = []

    def take(self, frame: Frame) -> None:
        match frame:
            case PieceFrame():
                assert frame.index <= len(self.pieces)
                self.pieces[frame.index : frame.index + 1] = parsed(frame.html).elements
            case PatchFrame():
                self._grow(frame)
            case _:
                pass

    def html(self) -> str:
        return "".join(piece.html() for piece in self.pieces)

    def _grow(self, frame: PatchFrame) -> None:
        page = Page()
        page.part = prose_of(self.pieces[frame.index])
        page.apply(
            Patch(keep=frame.keep, html=frame.html, open_text=frame.open_text, inside=frame.inside)
        )
        if frame.is_last:
            page.part.attributes.pop("data-open", None)


def prose_of(piece: Element) -> Element:
    return next(it for it in piece.everything() if "prose" in it.attributes.get("class", ""))


def loaded_answer(shown: list[Part], open_part: OpenPart | None) -> str:
    live = LiveTurn(TurnStarted(turn=SENDING, message=ASKED))
    for part in shown:
        live.take(PartDone(part=part))
    html = loaded_html(live.content, open_part=open_part, tool_runs=(), held=None, place=None)
    found = next(it for it in parsed(html).everything() if it.attributes.get("class") == "answer")
    return "".join(piece.html() for piece in found.elements)


def events_of(part: Part, size: int) -> list[Event]:
    match part:
        case Text() | Reasoning():
            kind = "text" if isinstance(part, Text) else "reasoning"
            cuts = range(0, len(part.text), size)
            deltas = [PartDelta(text=part.text[at : at + size]) for at in cuts]
            return [PartStarted(kind=kind), *deltas, PartDone(part=part)]
        case ToolCall():
            return [PartStarted(kind="tool_call", name=part.name), PartDone(part=part)]
        case _:
            return [PartDone(part=part)]


def opened_by(events: list[Event]) -> OpenPart | None:
    match events[0]:
        case PartStarted() as started:
            text = "".join(event.text for event in events if isinstance(event, PartDelta))
            return OpenPart(kind=started.kind, name=started.name, text=text)
        case _:
            return None


@settings(deadline=None)
@given(st.lists(parts, max_size=5), st.integers(min_value=1, max_value=9))
def test_at_every_moment_a_page_shows_what_it_would_load(shown: list[Part], size: int) -> None:
    live, page = LiveTurn(TurnStarted(turn=SENDING, message=ASKED)), Answer()
    for count, part in enumerate(shown):
        events = events_of(part, size)
        for number, event in enumerate(events, start=1):
            for frame in live.take(event):
                page.take(frame)
            is_done = isinstance(event, PartDone)
            known = shown[: count + 1] if is_done else shown[:count]
            loaded = loaded_answer(known, None if is_done else opened_by(events[:number]))
            assert page.html() == loaded
    ended = live.take(TurnEnded(turn=SENDING))
    for frame in ended:
        page.take(frame)
    assert page.html() == loaded_answer(shown, None)
