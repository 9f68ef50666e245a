"""One question without a workspace: what is sent, what is heard, what it costs."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from msgspec import Raw
from msgspec.structs import replace

from windowpane.agent.once import Hearing, Question, cost_at, request_for
from windowpane.context.request import ToolDefinition
from windowpane.definitions import ProviderDefinition
from windowpane.errors import Failure, PromptTooLarge
from windowpane.events import Finished, PartDelta, PartDone, PartStarted, StreamEvent, UsageReported
from windowpane.options import PLAIN, ReasoningOptions, RequestOptions
from windowpane.parts import Citation, Image, Reasoning, Text, ToolCall
from windowpane.usage import TokenUsage

NOW = datetime(2026, 11, 1, tzinfo=UTC)
BROKEN = Failure(kind="net", message="It broke.")
DEFINITION = ProviderDefinition(id="prv_1", name="once", family="openai_chat")
USAGE = TokenUsage(input_tokens=1000, output_tokens=100)


def question(**fields: Any) -> Question:
    asked = Question(
        definition=DEFINITION,
        model="gpt-4o",
        text="How many?",
        images=(),
        system="",
        tools=(),
        max_output_tokens=None,
        options=PLAIN,
    )
    return replace(asked, **fields)


def heard(*events: StreamEvent) -> Hearing:
    hearing = Hearing()
    for event in events:
        hearing.add(event)
    return hearing


def test_everything_asked_is_in_the_request_and_nothing_else() -> None:
    image = Image(media_type="image/png", data="AA==", width_px=8, height_px=8)
    tool = ToolDefinition(name="look", description="Look it up.", schema=Raw(b"{}"))
    options = RequestOptions(temperature=0.5, reasoning=ReasoningOptions(effort="low"))
    asked = question(
        images=(image,), system="Be brief.", tools=(tool,), max_output_tokens=50, options=options
    )
    request = request_for(asked, at=NOW)
    [message] = request.messages
    assert (message.role, message.parts) == ("user", (image, Text(text="How many?")))
    assert (request.model, request.system, request.tools) == ("gpt-4o", "Be brief.", (tool,))
    assert (request.max_output_tokens, request.options) == (50, options)
    assert request.marks == (), "nothing follows that could read a cache"


def test_an_image_may_speak_for_itself() -> None:
    image = Image(media_type="image/png", data="AA==")
    [message] = request_for(question(text="", images=(image,)), at=NOW).messages
    assert message.parts == (image,)


def test_what_does_not_fit_the_model_is_not_sent() -> None:
    with pytest.raises(PromptTooLarge):
        request_for(question(text="word " * 200_000), at=NOW)


def test_a_model_that_nobody_knows_is_asked_anything() -> None:
    asked = question(model="never-heard-of-it", text="word " * 200_000)
    assert request_for(asked, at=NOW).messages[0].text == asked.text


def test_an_answer_is_its_parts_its_usage_and_why_it_ended() -> None:
    answer = heard(
        PartStarted(kind="reasoning"),
        PartDelta(text="Hm."),
        PartDone(part=Reasoning(text="Hm.")),
        PartStarted(kind="text"),
        PartDelta(text="Three."),
        PartDone(part=Text(text="Three.")),
        UsageReported(usage=USAGE),
        Finished(finish="length"),
    ).answer(failure=None)
    assert (answer.reasoning, answer.text, answer.usage) == ("Hm.", "Three.", USAGE)
    assert (answer.finish, answer.failure) == ("length", None)


def test_an_end_without_a_reason_is_told_by_what_was_said() -> None:
    call = PartDone(part=ToolCall(call_id="c1", name="look", arguments="{}"))
    assert heard(call).answer(failure=None).finish == "tool_use"
    assert heard().answer(failure=None).finish == "stop"


def test_a_failure_keeps_what_the_provider_had_finished() -> None:
    answer = heard(
        PartDone(part=Text(text="Half")),
        PartStarted(kind="reasoning"),
        PartDelta(text="Half a thought"),
    ).answer(failure=BROKEN)
    assert (answer.text, answer.reasoning) == ("Half", "")
    assert (answer.finish, answer.failure) == ("error", BROKEN)


def test_a_listener_who_leaves_keeps_the_open_part() -> None:
    hearing = heard(PartStarted(kind="text"), PartDelta(text="So "), PartDelta(text="far"))
    hearing.break_off()
    assert hearing.answer(failure=BROKEN).text == "So far"


def test_a_source_is_named_once_in_the_order_of_mention() -> None:
    urls = ("https://b.example", "https://a.example", "https://b.example")
    parts = [PartDone(part=Text(text="x", citations=(Citation(url=url),))) for url in urls]
    assert heard(*parts).answer(failure=None).citations == [urls[0], urls[1]]


def test_a_known_model_has_a_price() -> None:
    cost = cost_at(question(), USAGE, at=NOW)
    assert cost is not None
    assert (cost.known_usd, cost.is_unreliable) == (Decimal("0.0035"), False)


def test_an_unknown_model_is_not_free() -> None:
    cost = cost_at(question(model="never-heard-of-it"), USAGE, at=NOW)
    assert cost is not None
    assert cost.is_unknown


def test_what_runs_here_is_free() -> None:
    here = msgspec.structs.replace(DEFINITION, is_local=True)
    cost = cost_at(question(definition=here), USAGE, at=NOW)
    assert cost is not None
    assert (cost.known_usd, cost.is_unknown) == (Decimal(0), False)


def test_without_usage_there_is_no_cost_to_tell() -> None:
    assert cost_at(question(), None, at=NOW) is None
