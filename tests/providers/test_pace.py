"""Pieces of answers are gathered longer when many answers run at once, and only then."""

from windowpane.providers.pace import Pace, join_factor


def test_a_few_answers_flow_at_the_full_pace() -> None:
    assert [join_factor(answers) for answers in (0, 1, 10, 25)] == [1.0, 1.0, 1.0, 1.0]


def test_a_crowd_shares_it_down_to_a_bound() -> None:
    assert [join_factor(answers) for answers in (50, 100, 10_000)] == [2.0, 4.0, 4.0]


def test_an_answer_that_ended_no_longer_counts() -> None:
    pace = Pace(0.04)
    held = [pace.running() for _ in range(50)]
    for one in held:
        one.__enter__()
    assert pace.seconds == 0.08
    for one in held:
        one.__exit__(None, None, None)
    assert pace.seconds == 0.04
