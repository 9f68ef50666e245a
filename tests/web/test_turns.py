"""A turn as HTML: which pieces an answer has, what is said of its end, what strangers write."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from windowpane.errors import Failure
from windowpane.events import OpenPart
from windowpane.messages import Message, Role
from windowpane.parts import Part, Reasoning, Text, ToolCall, ToolResult
from windowpane.turns import Turn, TurnContent
from windowpane.usage import TokenUsage
from windowpane.web.turns import (
    ReasoningPiece,
    TextPiece,
    ToolPiece,
    loaded_html,
    pieces_of,
    standing_of,
)

AT = datetime(2026, 5, 12, 9, 14, tzinfo=UTC)
TURN = Turn(
    id="trn_a",
    chat_id="cht_a",
    parent_id=None,
    depth=0,
    model="p/m",
    state="complete",
    created_at=AT,
)
HOSTILE = "<img src=x onerror=alert(1)>"


def message(role: Role, *parts: Part) -> Message:
    return Message(id="rec_a", role=role, parts=parts, created_at=AT)


def html_of(*messages: Message, turn: Turn = TURN) -> str:
    return loaded_html(TurnContent(turn=turn, messages=messages), open_part=None)


def test_a_result_joins_the_call_that_it_answers() -> None:
    pieces = pieces_of(
        [
            message("user", Text(text="look")),
            message(
                "assistant",
                Reasoning(text="hm"),
                ToolCall(call_id="a", name="read", arguments="{}"),
                ToolCall(call_id="b", name="list", arguments="{}"),
            ),
            message(
                "tool",
                ToolResult(call_id="b", name="list", text="two"),
                ToolResult(call_id="a", name="read", text="one", is_error=True),
            ),
            message("assistant", Text(text="done")),
        ]
    )
    assert pieces == [
        ReasoningPiece("hm"),
        ToolPiece(name="read", arguments="{}", result="one", is_error=True),
        ToolPiece(name="list", arguments="{}", result="two", is_error=False),
        TextPiece("done"),
    ]


def test_a_call_id_that_is_used_again_belongs_to_the_later_call() -> None:
    call = message("assistant", ToolCall(call_id="a", name="read", arguments="{}"))
    pieces = pieces_of(
        [
            call,
            message("tool", ToolResult(call_id="a", name="read", text="one")),
            call,
            message("tool", ToolResult(call_id="a", name="read", text="two")),
        ]
    )
    assert [piece.result for piece in pieces if isinstance(piece, ToolPiece)] == ["one", "two"]


def test_a_result_without_its_call_is_still_shown() -> None:
    [piece] = pieces_of([message("tool", ToolResult(call_id="a", name="read", text="alone"))])
    assert piece == ToolPiece(name="read", arguments="", result="alone", is_error=False)


call_ids = st.sampled_from("abc")
parts = st.one_of(
    st.builds(Text, text=st.text(max_size=3)),
    st.builds(Reasoning, text=st.text(max_size=3)),
    st.builds(ToolCall, call_id=call_ids, name=st.just("t"), arguments=st.just("{}")),
    st.builds(ToolResult, call_id=call_ids, name=st.just("t"), text=st.just("r")),
)


@given(st.lists(parts, max_size=12))
def test_no_part_is_lost_whatever_comes(shown: list[Part]) -> None:
    pieces = pieces_of([message("assistant", *shown)])
    texts = [part.text for part in shown if isinstance(part, Text)]
    results = [part for part in shown if isinstance(part, ToolResult)]
    tools = [piece for piece in pieces if isinstance(piece, ToolPiece)]
    assert [piece.text for piece in pieces if isinstance(piece, TextPiece)] == texts
    assert sum(piece.result is not None for piece in tools) == len(results)


@given(st.lists(parts, max_size=8))
def test_a_piece_that_was_drawn_keeps_its_place_when_more_arrives(shown: list[Part]) -> None:
    kinds = [piece.kind for piece in pieces_of([message("assistant", *shown)])]
    for count in range(len(shown)):
        earlier = [piece.kind for piece in pieces_of([message("assistant", *shown[:count])])]
        assert kinds[: len(earlier)] == earlier


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"state": "aborted", "finish": "stopped"}, "Stopped"),
        ({"state": "interrupted", "finish": "stopped"}, "Interrupted"),
        ({"finish": "length"}, "Truncated"),
        ({"finish": "max_iterations"}, "the limit of tool rounds was reached"),
        (
            {"state": "error", "failure": Failure(kind="net", message="Broken.")},
            "[error: net] Broken.",
        ),
    ],
)
def test_an_unusual_end_is_said(changes: dict[str, object], words: str) -> None:
    assert words in html_of(turn=structs.replace(TURN, **changes))


def test_an_expected_end_says_nothing() -> None:
    html = html_of(message("user", Text(text="hi")), turn=structs.replace(TURN, finish="stop"))
    assert '<div class="turn-foot"></div>' in html.replace("\n", "")


def test_a_failed_turn_without_a_word_is_not_drawn_as_seen_by_the_model() -> None:
    failed = structs.replace(TURN, state="error")
    asked = message("user", Text(text="hi"))
    answered = message("assistant", Text(text="Half"))
    assert standing_of(TurnContent(turn=failed, messages=(asked,))) == "failed"
    assert standing_of(TurnContent(turn=failed, messages=(asked, answered))) == "sent"
    sending = structs.replace(TURN, state="sending")
    assert standing_of(TurnContent(turn=sending, messages=(asked,))) == "current"


def test_usage_of_all_rounds_is_added_up() -> None:
    usage = TokenUsage(input_tokens=1000, cache_read_tokens=200, output_tokens=40)
    answer = structs.replace(message("assistant", Text(text="x")), usage=usage)
    html = html_of(answer, answer)
    assert "2,480" in html
    assert "2,000 in, 400 cached, 80 out" in html


def test_whatever_a_stranger_wrote_is_escaped() -> None:
    html = html_of(
        message("user", Text(text=HOSTILE)),
        message(
            "assistant",
            Text(text=HOSTILE),
            Reasoning(text=HOSTILE),
            ToolCall(call_id="a", name=HOSTILE, arguments=HOSTILE),
        ),
        message("tool", ToolResult(call_id="a", name=HOSTILE, text=HOSTILE)),
        turn=structs.replace(TURN, model=HOSTILE, failure=Failure(kind="server", message=HOSTILE)),
    )
    assert "<img" not in html


def test_an_open_part_is_drawn_open() -> None:
    content = TurnContent(turn=structs.replace(TURN, state="sending"), messages=())
    half = OpenPart(kind="text", name="", text="Half a **sen")
    assert "data-open" in loaded_html(content, open_part=half)
    call = OpenPart(kind="tool_call", name="read", text='{"pa')
    assert "read" in loaded_html(content, open_part=call)
