"""However a reader's news are bundled, each piece of an answer is told once and in order."""

from datetime import UTC, datetime
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from windowpane.agent.log import ChatLog
from windowpane.cli.pieces import SEPARATOR, Pieces
from windowpane.events import EventId, MessageDone, PartDelta, PartDone, PartStarted
from windowpane.messages import Message
from windowpane.parts import Part, Reasoning, Text, ToolCall, ToolResult
from windowpane.usage import TokenUsage

AT = datetime(2026, 11, 1, tzinfo=UTC)
words = st.text(alphabet="ab \n", min_size=1, max_size=6)
parts = st.one_of(
    st.builds(Text, text=words),
    st.builds(Reasoning, text=words),
    st.builds(ToolCall, call_id=st.just("c"), name=st.just("look"), arguments=words),
)
messages = st.lists(st.lists(parts, max_size=4), min_size=1, max_size=3)


def assistant(parts: list[Part], *, usage: TokenUsage | None = None) -> Message:
    return Message(id="rec_1", role="assistant", parts=tuple(parts), created_at=AT, usage=usage)


def content(part: Part) -> str:
    if isinstance(part, ToolCall):
        return part.arguments
    assert isinstance(part, Text | Reasoning)
    return part.text


class Reading:
    """A log that is written to, and a reader that looks only when the draw says so."""

    def __init__(self, data: st.DataObject) -> None:
        numbers = count(1)
        self._log = ChatLog(epoch=1, next_seq=lambda: next(numbers))
        self._reader = self._log.reader(after=EventId(epoch=1, seq=1))
        self._data = data
        self.pieces = Pieces()
        self.told: dict[str, str] = {"text": "", "reasoning": ""}

    def write(self, *parts: Part, is_cut: bool) -> None:
        for number, part in enumerate(parts, start=1):
            kind = "text" if isinstance(part, Text) else "reasoning"
            name = part.name if isinstance(part, ToolCall) else ""
            self._append(PartStarted(kind="tool_call" if name else kind, name=name))
            for letter in content(part):
                self._append(PartDelta(text=letter))
            if not (is_cut and number == len(parts)):
                self._append(PartDone(part=part))
        self._log.open = None
        self._append(MessageDone(message=assistant(list(parts))))

    def look(self) -> None:
        for logged in self._reader.take():
            for piece in self.pieces.of(logged.event):
                self.told[piece.kind] += piece.text

    def _append(self, event: PartStarted | PartDelta | PartDone | MessageDone) -> None:
        self._log.append(event)
        if self._data.draw(st.booleans()):
            self.look()


@given(spoken=messages, is_cut=st.booleans(), data=st.data())
def test_nothing_is_lost_and_nothing_told_twice(
    spoken: list[list[Part]], is_cut: bool, data: st.DataObject
) -> None:
    reading = Reading(data)
    for parts in spoken:
        reading.write(*parts, is_cut=is_cut and parts is spoken[-1])
    reading.look()
    whole = [assistant(parts) for parts in spoken]
    expected = SEPARATOR.join(message.text for message in whole if message.text)
    reasoning = [
        part.text for message in whole for part in message.parts if isinstance(part, Reasoning)
    ]
    assert reading.told == {"text": expected, "reasoning": "".join(reasoning)}
    assert reading.pieces.text == expected


def test_usage_is_summed_over_the_messages_that_told_any() -> None:
    pieces = Pieces()
    usage = TokenUsage(input_tokens=3, output_tokens=1)
    for told in (usage, None, usage):
        pieces.of(MessageDone(message=assistant([Text(text="a")], usage=told)))
    assert pieces.usage == TokenUsage(input_tokens=6, output_tokens=2)


def test_what_a_tool_says_is_not_part_of_the_answer() -> None:
    pieces = Pieces()
    result = ToolResult(call_id="c", name="look", text="nothing there")
    message = Message(id="rec_2", role="tool", parts=(result,), created_at=AT)
    assert pieces.of(MessageDone(message=message)) == []
    assert pieces.text == ""
