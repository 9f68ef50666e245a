"""What became of turns between two plans, and by which rule."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Raw, structs

from tests.context.histories import (
    CACHED,
    KEEP_ALL,
    budget,
    draft,
    given,
    request_of,
    shown,
    turn,
    turns,
)
from windowpane.context.diff import (
    PlanDiff,
    PrefixDiff,
    plan_diff,
    prefix_diff,
    remembered,
    whereabouts,
)
from windowpane.context.diff_words import diff_sentences, prefix_sentence
from windowpane.context.given import ActiveSummary, PlanInput
from windowpane.context.plan import plan
from windowpane.context.request import ToolDefinition
from windowpane.turns import TurnContent


class Step:
    """A history as it was planned at one moment."""

    def __init__(self, history: Sequence[TurnContent], asked: PlanInput) -> None:
        self.asked = asked
        self.plan = plan(asked)
        ids = [content.turn.id for content in history]
        self.index_of = {id: index for index, id in enumerate(ids)}.get


def step(history: Sequence[TurnContent], *, usable: int | None = None) -> Step:
    return Step(history, given(history, usable=usable))


def between(before: Step, after: Step) -> PlanDiff:
    return plan_diff(
        before.plan,
        after.plan,
        whereabouts_before=whereabouts(before.asked, index_of=before.index_of),
        whereabouts_after=whereabouts(after.asked, index_of=after.index_of),
    )


def said(before: Step, after: Step) -> list[str]:
    return diff_sentences(between(before, after))


HISTORY = turns(5)
BEFORE = step(HISTORY, usable=400)


def changed(history: Sequence[TurnContent] = HISTORY, **changes: object) -> Step:
    return Step(history, structs.replace(given(history, usable=400), **changes))


def test_nothing_changed_is_an_empty_diff() -> None:
    found = between(BEFORE, step(HISTORY, usable=400))
    assert (found.rules, diff_sentences(found)) == (frozenset(), [])


def test_a_reply_pushes_the_oldest_turn_out() -> None:
    assert said(BEFORE, step(turns(6), usable=400)) == [
        "Turn 2 left: over budget.",
        "Turn 6 came: answered.",
    ]


def test_a_smaller_model_is_named_as_the_cause() -> None:
    after = changed(budget=budget(150), model="gpt-4o-mini")
    assert said(BEFORE, after) == [
        "Turns 2–4 left: over budget since the model changed to gpt-4o-mini."
    ]


def test_a_larger_model_brings_turns_back() -> None:
    after = changed(budget=budget(900), model="gpt-5")
    assert said(BEFORE, after) == ["Turn 1 came: there is room since the model changed to gpt-5."]


def test_a_longer_system_prompt_is_named_as_the_cause() -> None:
    after = changed(system="x" * 96)
    assert said(BEFORE, after) == ["Turn 2 left: over budget since the system prompt changed."]


def test_a_skipped_turn_left_because_it_was_skipped() -> None:
    history = [*HISTORY[:4], turn("t5", is_skipped=True)]
    assert said(BEFORE, step(history, usable=400)) == [
        "Turn 5 left: skipped.",
        "Turn 1 came: there is room.",
    ]


def test_a_summary_left_its_turns_out() -> None:
    summary = ActiveSummary(id="s", text="x", first_index=0, last_index=2)
    assert said(BEFORE, changed(summary=summary)) == [
        "Turns 2–3 left: the summary stands for them since the summary changed."
    ]


def test_undoing_the_summary_brings_its_turns_back() -> None:
    summary = ActiveSummary(id="s", text="x", first_index=0, last_index=1)
    assert said(changed(summary=summary), BEFORE) == [
        "Turn 2 came: no summary stands for it any more since the summary changed."
    ]


def test_a_filter_hides_turns() -> None:
    after = Step(HISTORY, shown(BEFORE.asked, "11011"))
    assert said(BEFORE, after) == [
        "Turn 3 left: hidden by the filter since the filter changed.",
        "Turn 1 came: there is room since the filter changed.",
    ]


def test_a_deleted_turn_left_because_it_was_deleted() -> None:
    history = [*HISTORY[:2], *HISTORY[3:]]
    found = between(BEFORE, step(history, usable=400))
    assert [(one.turn_id, one.rule) for one in found.left] == [("t3", "deletion")]
    assert diff_sentences(found) == ["Turn 3 left: deleted.", "Turn 1 came: there is room."]


def test_deleting_an_old_turn_does_not_confuse_the_others() -> None:
    before = step(turns(6), usable=300)
    after = step(turns(6)[1:], usable=300)
    assert between(before, after).rules == frozenset()


def test_a_large_draft_trims() -> None:
    assert said(BEFORE, changed(current=(draft(50),))) == [
        "Turn 2 left: made room for this message."
    ]


def test_old_reasoning_is_left_out_by_retention() -> None:
    history = [turn("t1", reasoning=20), turn("t2", reasoning=20)]
    after = changed(history, settings=structs.replace(KEEP_ALL, reasoning_turns=1))
    found = between(changed(history), after)
    assert [(one.turn_id, one.rule) for one in found.reshaped] == [("t1", "retention")]
    assert diff_sentences(found) == ["Turn 1 changed: shortened since the settings changed."]


def test_a_retried_turn_is_answered_now() -> None:
    failed = [*HISTORY[:4], turn("t5", state="error", has_answer=False)]
    after = step(HISTORY, usable=None)
    assert said(step(failed), after) == ["Turn 5 came: answered now."]


def test_a_turn_that_was_being_answered_stays_when_it_is_answered() -> None:
    running = [*HISTORY[:4], turn("t5", state="sending", has_answer=False)]
    assert said(step(running), step(HISTORY)) == []


def test_an_answer_that_grew_too_large_leaves_at_once() -> None:
    running = [*HISTORY[:4], turn("t5", state="sending", has_answer=False)]
    after = step([*HISTORY[:4], turn("t5", 900)], usable=500)
    assert said(step(running, usable=500), after) == ["Turns 1–5 left: over budget."]


def test_every_changed_input_is_a_cause() -> None:
    tool = ToolDefinition(name="look", description="", schema=Raw(b"{}"))
    view = structs.replace(BEFORE.asked.view, scope="project", filter_text="s1")
    after = changed(
        model="other",
        budget=budget(500),
        system="x",
        tools=(tool,),
        summary=None,
        settings=CACHED,
        view=view,
    )
    causes = between(BEFORE, after).causes
    assert causes == ("model", "limits", "system", "tools", "settings", "filter", "scope")


def test_a_stored_plan_alone_remembers_what_held_a_turn_back() -> None:
    after = changed(budget=budget(900))
    found = plan_diff(
        BEFORE.plan,
        after.plan,
        whereabouts_before=remembered(BEFORE.plan, index_of=after.index_of),
        whereabouts_after=whereabouts(after.asked, index_of=after.index_of),
    )
    assert [(one.turn_id, one.rule) for one in found.came] == [("t1", "budget")]


def test_a_stored_plan_knows_which_turns_came_after_it() -> None:
    after = step(turns(6))
    where = remembered(BEFORE.plan, index_of=after.index_of)
    assert [where("t6"), where("gone"), where("t1")] == [None, None, "over_budget"]


def requests(before: PlanInput, after: PlanInput) -> PrefixDiff:
    history = turns(6)
    return prefix_diff(request_of(plan(before), history), request_of(plan(after), history))


def test_a_growing_chat_repeats_its_whole_earlier_request() -> None:
    found = requests(given(turns(4)), given(turns(5)))
    assert found == PrefixDiff(shared_messages=8, broke_at=None)
    assert prefix_sentence(found, rewritten=None) == "The cached prefix holds."


def test_the_prefix_breaks_where_the_first_turn_left() -> None:
    found = requests(given(turns(4)), given(turns(5), usable=400))
    assert found == PrefixDiff(shared_messages=0, broke_at="t1.ask")
    assert prefix_sentence(found, rewritten=None) == "The cached prefix broke after 0 messages."


def test_the_prefix_breaks_at_what_changed_before_all_messages() -> None:
    asked = given(turns(4))
    tool = ToolDefinition(name="look", description="", schema=Raw(b"{}"))
    sentences = [
        prefix_sentence(requests(asked, structs.replace(asked, **change)), rewritten=None)
        for change in ({"model": "other"}, {"tools": (tool,)}, {"system": "New."})
    ]
    assert sentences == [
        "The cached prefix broke at the model.",
        "The cached prefix broke at the tool definitions.",
        "The cached prefix broke at the system prompt.",
    ]


def test_a_shorter_request_breaks_the_prefix_at_its_end() -> None:
    found = requests(given(turns(4)), given(turns(3)))
    assert found == PrefixDiff(shared_messages=6, broke_at="t4.ask")
