"""What holds for every plan in every life of a chat.

``HYPOTHESIS_PROFILE=long`` runs ten thousand lives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.context.histories import COUNTER, request_of, standings
from tests.context.worlds import Append, Operation, World, operations
from windowpane.context.counting import standing_counts
from windowpane.context.diff import PlanDiff, plan_diff, prefix_diff, whereabouts
from windowpane.context.emission import WHOLE, emitted
from windowpane.context.given import NO_OVERFLOW, PlanInput
from windowpane.context.plan import ContextPlan, plan
from windowpane.context.request import ModelRequest
from windowpane.context.scope import PageMissing, Scope, page_totals
from windowpane.context.states import TurnStanding
from windowpane.messages import Message
from windowpane.parts import ToolCall, ToolResult
from windowpane.turns import TurnContent

lives = st.lists(operations, max_size=20)


class Moment:
    """A world as it stands after an operation, with its plan and its request if it has one."""

    def __init__(self, world: World) -> None:
        self.turns: Sequence[TurnContent] = world.all_turns

        self.asked: PlanInput = world.given()
        self.plan: ContextPlan = plan(self.asked)
        is_sendable = self.plan.unsendable is None
        self.request: ModelRequest | None = (
            request_of(self.plan, self.turns) if is_sendable else None
        )

    def index_of(self, turn_id: str) -> int | None:
        ids = [content.turn.id for content in self.turns]
        return ids.index(turn_id) if turn_id in ids else None


Step = tuple[Moment, Operation, Moment]


def lived(life: Sequence[Operation]) -> list[Step]:
    world = World()
    steps: list[Step] = []
    before = Moment(world)
    for operation in life:
        world.apply(operation, floor_index=before.plan.floor_index)
        after = Moment(world)
        steps.append((before, operation, after))
        before = after
    return steps


def in_every_moment(check: Callable[[Moment], None], life: Sequence[Operation]) -> None:
    for _, _, moment in lived(life):
        check(moment)


@given(lives)
def test_every_turn_stands_in_exactly_one_place_and_no_token_is_lost(
    life: list[Operation],
) -> None:
    def check(moment: Moment) -> None:
        standings(moment.asked)
        counts = standing_counts(moment.plan)
        weights = [moment.asked.scope.turn(index) for index in range(moment.asked.scope.turns)]
        assert sum(count.turns for count in counts.values()) == len(weights)
        raw_tokens = sum(weight.raw_tokens for weight in weights)
        assert sum(count.raw_tokens for count in counts.values()) == raw_tokens
        for turn in moment.plan.turns:
            if turn.standing == "shortened":
                assert turn.removed and turn.removed_tokens > 0
                assert turn.sent_tokens + turn.removed_tokens == turn.raw_tokens

    in_every_moment(check, life)


@given(lives)
def test_a_plan_never_exceeds_its_budget_or_names_why_it_cannot_be_sent(
    life: list[Operation],
) -> None:
    def check(moment: Moment) -> None:
        made, limit = moment.plan, moment.asked.limit_tokens
        if limit is None:
            assert made.unsendable is None and not made.is_full
            assert "over_budget" not in standing_counts(made) or moment.asked.floor_index
        elif made.unsendable is None:
            assert made.total_tokens <= limit
        else:
            assert made.unsendable.code in ("fixed_too_large", "user_prompt_too_large")
            assert made.fixed.total_tokens + made.current.sent_tokens > limit
            assert made.history_tokens == 0

    in_every_moment(check, life)


def counted(request: ModelRequest, stored: Sequence[Message]) -> int:
    """A request weighed from scratch: messages, system text, tools, the answer's beginning."""
    messages = {message.id: message for message in stored}
    whole = {message.id: message for message in emitted(stored, WHOLE)}

    def tokens(message: Message) -> int:
        written = messages[message.id]
        sent_tokens = COUNTER.message(written, sent=message.parts)
        return min(sent_tokens, COUNTER.message(written, sent=whole[message.id].parts))

    return (
        sum(tokens(message) for message in request.messages)
        + COUNTER.system(request.system)
        + COUNTER.tools(request.tools)
        + COUNTER.system(request.options.prefill)
    )


@given(lives)
def test_the_request_weighs_what_the_plan_says(life: list[Operation]) -> None:
    def check(moment: Moment) -> None:
        if moment.request is not None:
            history = [message for content in moment.turns for message in content.messages]
            stored = list({one.id: one for one in (*history, *moment.asked.current)}.values())
            assert counted(moment.request, stored) == moment.plan.total_tokens

    in_every_moment(check, life)


@given(lives)
def test_no_call_is_sent_without_its_result_and_no_result_without_its_call(
    life: list[Operation],
) -> None:
    def check(moment: Moment) -> None:
        open_calls: list[str] = []
        for message in moment.request.messages if moment.request else ():
            for part in message.parts:
                if isinstance(part, ToolCall):
                    open_calls.append(part.call_id)
                elif isinstance(part, ToolResult):
                    assert open_calls.pop() == part.call_id
        assert open_calls == []

    in_every_moment(check, life)


@given(lives, st.integers(1, 7))
def test_planning_from_closed_pages_or_twice_gives_the_same_plan(
    life: list[Operation], page_turns: int
) -> None:
    def check(moment: Moment) -> None:
        assert plan(moment.asked) == moment.plan
        scope = moment.asked.scope
        weights = [scope.turn(index) for index in range(scope.turns)]
        starts = range(0, len(weights), page_turns)
        pages = [weights[start : start + page_turns] for start in starts]
        totals = [page_totals(page) for page in pages]
        opened: set[int] = set()
        while True:
            closed = Scope(totals, {number: pages[number] for number in opened})
            try:
                assert plan(structs.replace(moment.asked, scope=closed)) == moment.plan
                return
            except PageMissing as missing:
                opened.add(missing.number)

    in_every_moment(check, life)


def between(before: Moment, after: Moment) -> PlanDiff:
    return plan_diff(
        before.plan,
        after.plan,
        whereabouts_before=whereabouts(before.asked, index_of=before.index_of),
        whereabouts_after=whereabouts(after.asked, index_of=after.index_of),
    )


def marked_messages(request: ModelRequest) -> int:
    """How many messages stand before the last cache mark."""
    ids = [message.id for message in request.messages]
    marks = [mark.after_message_id for mark in request.marks]
    return max((ids.index(id) + 1 for id in marks if id in ids), default=0)


@given(lives)
def test_requests_share_their_prefix_up_to_the_mark_or_the_diff_names_the_rule(
    life: list[Operation],
) -> None:
    for before, operation, after in lived(life):
        is_answer = isinstance(operation, Append) and operation.outcome != "failed"
        if not is_answer or before.request is None or after.request is None:
            continue
        is_whole = before.plan.current.removed_rounds == 0
        is_kept = after.turns[-1].turn.id in after.plan.sent_turn_ids
        if is_whole and is_kept and not between(before, after).rules - {"reply"}:
            prefix = prefix_diff(before.request, after.request)
            assert prefix.shared_messages >= marked_messages(before.request)


ORDER: dict[TurnStanding, int] = {"sent": 0, "shortened": 1, "over_budget": 2}


@given(lives)
def test_without_a_summary_a_reply_only_ever_moves_turns_out(life: list[Operation]) -> None:
    for before, operation, after in lived(life):
        has_summary = before.plan.summary is not None or after.plan.summary is not None
        if not isinstance(operation, Append) or has_summary:
            continue
        # Predicted, that is: a draft that trimmed for one request is no rule about the next.
        old, new = predicted(before), predicted(after)
        for index, standing in enumerate(old[: len(before.turns)]):
            if standing in ORDER and new[index] in ORDER:
                assert ORDER[new[index]] >= ORDER[standing]


def predicted(moment: Moment) -> list[TurnStanding]:
    free = structs.replace(moment.asked, current=(), overflow=NO_OVERFLOW)
    return standings(free)
