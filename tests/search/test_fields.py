"""What of a turn can be found, and under whose name."""

from datetime import UTC, datetime

from windowpane.messages import Message, Role
from windowpane.parts import (
    Citation,
    Image,
    Native,
    Part,
    Reasoning,
    ServerTool,
    Text,
    ToolCall,
    ToolResult,
)
from windowpane.search.fields import fields_of, texts_of
from windowpane.turns import Turn, TurnContent

AT = datetime(2026, 5, 12, 9, 14, tzinfo=UTC)


def turn(*said: tuple[Role, tuple[Part, ...]]) -> TurnContent:
    messages = tuple(
        Message(id=f"rec_{number}", role=role, parts=parts, created_at=AT)
        for number, (role, parts) in enumerate(said)
    )
    made = Turn(
        id="trn_1", chat_id="c", parent_id=None, depth=0, model="", state="complete", created_at=AT
    )
    return TurnContent(turn=made, messages=messages)


FULL = turn(
    ("user", (Text(text="Look it up."), Image(media_type="image/png", data="AAAA"))),
    (
        "assistant",
        (
            Reasoning(text="secret thought"),
            ToolCall(call_id="c1", name="look", arguments='{"path": "loop.py"}'),
        ),
    ),
    ("tool", (ToolResult(call_id="c1", name="look", text="42 lines"),)),
    (
        "assistant",
        (
            ServerTool(
                name="web_search",
                arguments='{"query": "locks"}',
                native=Native(family="x", block="{}"),
            ),
            Text(text="It has 42.", citations=(Citation(url="https://a.example", title="Locks"),)),
        ),
    ),
)


def test_words_belong_to_whom_they_came_from() -> None:
    texts = texts_of(FULL)
    assert texts.asked == "Look it up."
    assert texts.answered == "It has 42."
    assert texts.tools.splitlines() == [
        'look {"path": "loop.py"}',
        "42 lines",
        'web_search {"query": "locks"}',
        "Locks https://a.example ",
    ]


def test_thoughts_and_pictures_are_not_searched() -> None:
    assert "secret" not in " ".join(fields_of(FULL))
    assert "AAAA" not in " ".join(fields_of(FULL))


def test_names_in_mixed_case_are_indexed_with_their_parts() -> None:
    asked, *_ = fields_of(turn(("user", (Text(text="Why retryLimit?"),))))
    assert asked == "Why retryLimit?\nretry Limit"


def test_a_turn_has_its_day_and_the_days_it_speaks_of() -> None:
    *_, days = fields_of(turn(("user", (Text(text="It broke yesterday."),))))
    assert {"zd20260512", "zd20260511"} <= set(days.split())
