"""The message that answers calls: in their order, filled up when a turn goes on."""

from datetime import UTC, datetime

from windowpane.agent.results import open_calls, refusal, results_message, with_message
from windowpane.messages import Message
from windowpane.parts import Image, Part, Text, ToolCall, ToolResult

AT = datetime(2026, 5, 12, 9, 14, tzinfo=UTC)
LATER = datetime(2026, 5, 12, 9, 30, tzinfo=UTC)
PICTURE = Image(media_type="image/png", data="aGk=")
CALLS = [ToolCall(call_id=id, name="look", arguments="{}") for id in "abc"]
ASKED = Message(id="ask", role="user", parts=(Text(text="go"),), created_at=AT)
CALLING = Message(id="call", role="assistant", parts=tuple(CALLS), created_at=AT)


def result(call_id: str, text: str = "seen") -> ToolResult:
    return ToolResult(call_id=call_id, name="look", text=text)


def answered(
    messages: list[Message], *results: ToolResult, images: tuple[Image, ...] = ()
) -> Message:
    return results_message(messages, results, images=images, id="new", at=LATER)


def ids(parts: tuple[Part, ...]) -> str:
    return "".join(part.call_id for part in parts if isinstance(part, ToolResult))


def test_results_stand_in_the_order_of_the_calls_whenever_they_came() -> None:
    assert ids(answered([ASKED, CALLING], result("c"), result("a"), result("b")).parts) == "abc"


def test_a_message_with_some_results_is_filled_up_and_stays_the_same() -> None:
    first = answered([ASKED, CALLING], result("b"), images=(PICTURE,))
    waiting = with_message([ASKED, CALLING], first)
    assert [call.call_id for call in open_calls(waiting)] == ["a", "c"]
    whole = answered(waiting, result("c"), refusal(CALLS[0], "no"))
    assert (whole.id, ids(whole.parts), whole.parts[-1]) == ("new", "abc", PICTURE)
    done = with_message(waiting, whole)
    assert done == [ASKED, CALLING, whole]
    assert open_calls(done) == []


def test_calls_that_share_an_id_each_get_a_result() -> None:
    same = ToolCall(call_id="a", name="look", arguments="{}")
    twice = Message(id="call", role="assistant", parts=(same, same), created_at=AT)
    one = with_message([ASKED, twice], answered([ASKED, twice], result("a", "one")))
    assert len(open_calls(one)) == 1
    whole = answered(one, result("a", "two"))
    assert [part.text for part in whole.parts if isinstance(part, ToolResult)] == ["one", "two"]


def test_only_the_newest_calls_are_open() -> None:
    spoken = [ASKED, CALLING, Message(id="x", role="assistant", parts=(), created_at=AT)]
    assert open_calls(spoken) == []
    assert open_calls([ASKED]) == []
