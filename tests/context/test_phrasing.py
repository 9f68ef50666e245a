"""Messages as the model gets them: plain, under metadata, or in a template."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.context.histories import COUNTER, message, request_of, text
from tests.context.histories import given as asked
from windowpane.accounting import Cost
from windowpane.choices import MetadataLine
from windowpane.context.diff import prefix_diff
from windowpane.context.phrasing import Moment, Phrasing, check_template, sent_text
from windowpane.context.plan import plan
from windowpane.context.request import ModelRequest
from windowpane.context.weights import weigh
from windowpane.errors import InvalidInput
from windowpane.messages import Message
from windowpane.parts import Image, Text
from windowpane.turns import Turn, TurnContent

BERLIN = timezone(timedelta(hours=2), "CEST")
AT = datetime(2026, 5, 12, 7, 14, 5, tzinfo=UTC)
NOW = Moment(
    at=AT,
    zone=BERLIN,
    chat_began_at=AT - timedelta(seconds=90),
    model="claude-sonnet-4-5",
    context_tokens=1234,
    cost=Cost(Decimal("0.0456"), False),
)
FIRST = structs.replace(NOW, chat_began_at=AT, context_tokens=0, cost=Cost(Decimal(0), False))


def metadata(*lines: MetadataLine) -> Phrasing:
    return Phrasing(format="metadata", metadata=lines, template="")


def template(written: str) -> Phrasing:
    return Phrasing(format="template", metadata=(), template=written)


def test_a_plain_message_is_sent_as_it_was_typed() -> None:
    plain = Phrasing(format="plain", metadata=("model",), template="{{timestamp}}")
    assert sent_text(" as is\n", plain, NOW) == " as is\n"


def test_metadata_stands_before_the_message_in_a_fixed_order() -> None:
    phrasing = metadata("cost", "context", "model", "timestamp")
    assert sent_text("Open it.", phrasing, NOW) == (
        "<metadata>\n"
        "<timestamp>Tuesday, May 12, 2026 at 9:14:05 AM CEST</timestamp>\n"
        "<model>claude-sonnet-4-5</model>\n"
        "<context_window_usage>1234 tokens</context_window_usage>\n"
        "<current_cost>$0.046</current_cost>\n"
        "</metadata>\n"
        "\n"
        "Open it."
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("timestamp_utc", "<timestamp>Tuesday, May 12, 2026 at 7:14:05 AM UTC</timestamp>"),
        ("timestamp_relative", "<timestamp>90 seconds since chat start</timestamp>"),
    ],
)
def test_the_time_is_told_as_it_is_wanted(line: MetadataLine, said: str) -> None:
    assert said in sent_text("x", metadata(line), NOW)


def test_the_first_message_has_second_zero_no_usage_and_a_cost_of_nothing() -> None:
    sent = sent_text("x", metadata("timestamp_relative", "context", "cost"), FIRST)
    assert "<timestamp>0 seconds since chat start</timestamp>" in sent
    assert "context_window_usage" not in sent
    assert "<current_cost>$0.000</current_cost>" in sent


def test_a_cost_that_is_not_wholly_known_says_so() -> None:
    some = structs.replace(NOW, cost=Cost(Decimal("0.5"), True))
    none = structs.replace(NOW, cost=Cost(Decimal(0), True))
    assert "at least $0.500" in sent_text("x", metadata("cost"), some)
    assert "<current_cost>unknown</current_cost>" in sent_text("x", metadata("cost"), none)


def test_metadata_of_nothing_leaves_the_message_alone() -> None:
    assert sent_text("x", metadata(), NOW) == "x"
    assert sent_text("x", metadata("context"), FIRST) == "x"


def test_a_template_is_filled_and_nothing_is_escaped() -> None:
    phrasing = template("[{{modelName}} {{{timestampUtc}}}] {{& userMessage}}")
    typed = 'if a < b && c > d: print("{{timestamp}}")'
    assert sent_text(typed, phrasing, NOW) == (
        f"[claude-sonnet-4-5 Tuesday, May 12, 2026 at 7:14:05 AM UTC] {typed}"
    )


def test_sections_show_where_there_is_something_to_show() -> None:
    phrasing = template(
        "{{! how full it is }}\n"
        "{{#hasContextWindowUsage}}\n"
        "Used: {{contextWindowUsage}}, {{currentCost}}.\n"
        "{{/hasContextWindowUsage}}\n"
        "{{^hasContextWindowUsage}}\n"
        "Fresh.\n"
        "{{/hasContextWindowUsage}}\n"
        "{{userMessage}}"
    )
    assert sent_text("x", phrasing, NOW) == "Used: 1234 tokens, $0.046.\nx"
    assert sent_text("x", phrasing, FIRST) == "Fresh.\nx"


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("Just this", "Put {{userMessage}} into it"),
        ("{{#hasCurrentCost}}{{userMessage}}{{/hasCurrentCost}}", "outside of sections"),
        ("{{^hasCurrentCost}}{{userMessage}}{{/hasCurrentCost}}", "outside of sections"),
        ("{{userMessage", "Put {{userMessage}} into it"),
        ("{{userMessage}} {{name}}", "There is no {{name}}. A template knows userMessage,"),
        ("{{#timestamp}}{{userMessage}}", "The section {{#timestamp}} is not closed."),
        ("{{userMessage}}{{/timestamp}}", "{{/timestamp}} closes a section that is not open"),
        ("{{> partial}}{{userMessage}}", "There is no {{> partial}}"),
    ],
)
def test_a_template_that_could_lose_the_message_is_refused(written: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_template(written)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "written",
    [
        "{{userMessage}}",
        "{{#timestamp}}{{userMessage}}{{/timestamp}}",
        '{"said": "{{userMessage}}", "at": {{timestamp}}}',
        "{{#hasCurrentCost}}a {{userMessage}}{{/hasCurrentCost}}"
        "{{^hasCurrentCost}}b {{userMessage}}{{/hasCurrentCost}}",
    ],
)
def test_a_template_that_always_holds_the_message_is_taken(written: str) -> None:
    check_template(written)


@given(st.text(max_size=200))
def test_whatever_is_written_as_a_template_is_filled_or_refused(written: str) -> None:
    try:
        check_template(written)
    except InvalidInput:
        return
    assert "typed" in sent_text("typed", template(written), NOW)


def turn_of(number: int, question: Message) -> TurnContent:
    turn = Turn(
        id=f"t{number}",
        chat_id="chat",
        parent_id=None,
        depth=number,
        model="m",
        state="complete",
        created_at=AT,
    )
    answer = message(f"t{number}.answer", "assistant", text("b", 20))
    return TurnContent(turn=turn, messages=(question, answer))


def question(number: int, phrasing: Phrasing) -> Message:
    """As it is stored when it is sent: the text for the model beside what was typed."""
    typed = f"question {number}"
    moment = structs.replace(NOW, at=AT + timedelta(minutes=number))
    made = message(f"t{number}.ask", "user", Text(text=typed))
    return structs.replace(made, sent_text=sent_text(typed, phrasing, moment))


phrasings = st.sampled_from(
    [
        Phrasing(format="plain", metadata=(), template=""),
        metadata("timestamp", "model"),
        metadata("timestamp_relative", "cost"),
        template("<q>{{userMessage}}</q>"),
    ]
)


@given(st.lists(phrasings, min_size=2, max_size=8))
def test_a_change_of_format_never_changes_what_older_turns_send(formats: list[Phrasing]) -> None:
    history: list[TurnContent] = []
    before: ModelRequest | None = None
    for number, phrasing in enumerate(formats):
        current = question(number, phrasing)
        made = plan(structs.replace(asked(history), current=(current,)))
        request = request_of(made, history)
        assert request.messages[-1].text == current.sent_text
        if before is not None:
            assert prefix_diff(before, request).broke_at is None
        before = request
        history.append(turn_of(number, current))


def test_what_is_sent_is_what_is_counted_and_what_was_typed_is_what_is_read() -> None:
    phrasing = metadata("model")
    content = turn_of(0, question(0, phrasing))
    sent = content.messages[0].sent_text
    assert sent is not None
    plain = turn_of(0, message("t0.ask", "user", Text(text=sent)))
    assert weigh(content, counter=COUNTER) == weigh(plain, counter=COUNTER)
    assert content.messages[0].text == "question 0"


def test_images_go_with_the_words_for_the_model() -> None:
    picture = Image(media_type="image/png", data="AA==")
    shown = message("t0.ask", "user", picture, Text(text="typed"))
    current = structs.replace(shown, sent_text="sent")
    request = request_of(plan(structs.replace(asked([]), current=(current,))), [])
    assert request.messages[0].parts == (picture, Text(text="sent"))
