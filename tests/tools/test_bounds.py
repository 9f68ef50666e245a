"""Long results: what the model gets of them, and what is kept."""

from hypothesis import given
from hypothesis import strategies as st

from windowpane.tools.bounds import WHOLE_LIMIT_CHARACTERS, bounded, storable


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_a_result_is_bounded_and_says_what_is_missing(text: str, limit: int) -> None:
    shown = bounded(text, limit_characters=limit, handle="out_1")
    if len(text) <= limit:
        assert shown == text
        return
    head, tail = limit * 70 // 100, limit - limit * 70 // 100
    assert shown.startswith(text[:head])
    assert shown.endswith(text[-tail:])
    assert f"[{len(text) - limit:,} of {len(text):,} characters are left out here." in shown
    assert 'The whole has the handle "out_1".]' in shown


def test_what_nobody_could_read_is_not_stored_whole_and_says_so() -> None:
    text = "x" * (WHOLE_LIMIT_CHARACTERS + 5)
    assert storable(text).endswith("x\n\n[5 more characters were not kept.]")
    assert storable("short") == "short"
