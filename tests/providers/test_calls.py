import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.providers.asking import message
from windowpane.messages import Message
from windowpane.parts import ToolCall, ToolResult
from windowpane.providers.calls import call_ids, call_input

FORM = re.compile(r"[a-z0-9_]{1,64}")


def called(*ids: str) -> Message:
    return message("assistant", *(ToolCall(call_id=id, name="f", arguments="") for id in ids))


def answered(*ids: str) -> Message:
    return message("tool", *(ToolResult(call_id=id, name="f", text="") for id in ids))


def test_an_id_that_fits_stays_and_another_becomes_one_that_does() -> None:
    ids = call_ids([called("a", "f.x:0"), answered("f.x:0", "a")], form=FORM)
    assert ids[0, 0] == ids[1, 1] == "a"
    assert ids[0, 1] == ids[1, 0] != "f.x:0"
    assert FORM.fullmatch(ids[0, 1])


def test_rounds_that_count_from_one_again_are_told_apart() -> None:
    rounds = [called("c1", "c2"), answered("c1", "c2"), called("c1"), answered("c1")]
    ids = call_ids(rounds, form=FORM)
    assert (ids[0, 0], ids[1, 0]) == ("c1", "c1")
    assert ids[2, 0] == ids[3, 0] not in ("c1", "c2")


def test_what_comes_later_changes_no_id_before_it() -> None:
    """Else a provider would have to read the whole prefix anew."""
    rounds = [called("c1"), answered("c1"), called("c1"), answered("c1")]
    shorter, longer = call_ids(rounds[:2], form=FORM), call_ids(rounds, form=FORM)
    assert {place: longer[place] for place in shorter} == shorter


@given(st.lists(st.lists(st.sampled_from(["a", "b", "a b", "é"]), max_size=3), max_size=6))
def test_every_call_has_an_id_of_its_own_and_its_result_the_same(rounds: list[list[str]]) -> None:
    messages = [one for ids in rounds for one in (called(*ids), answered(*reversed(ids)))]
    ids = call_ids(messages, form=FORM)
    calls = [id for (number, _), id in ids.items() if number % 2 == 0]
    results = [id for (number, _), id in ids.items() if number % 2]
    assert len(set(calls)) == len(calls) == sum(map(len, rounds))
    assert sorted(calls) == sorted(results)
    assert all(FORM.fullmatch(id) for id in calls)


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ("", {}),
        ('{"a": [1]}', {"a": [1]}),
        ("[1]", {"arguments": "[1]"}),
        ('{"a": ', {"arguments": '{"a": '}),
    ],
)
def test_arguments_are_always_an_object(arguments: str, given: object) -> None:
    assert call_input(arguments) == given
