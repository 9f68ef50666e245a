"""A tool call on the page: how it stands, and that its drawing holds what strangers wrote."""

from __future__ import annotations

import pytest

from windowpane.events import ToolRun
from windowpane.turns import Decision, PendingCall
from windowpane.web.calls import call_html
from windowpane.web.pieces import ToolPiece

HOSTILE = "<img src=x onerror=alert(1)>"


def piece(
    *,
    name: str = "look",
    arguments: str = '{"at": "door"}',
    result: str | None = None,
    is_error: bool = False,
    is_live: bool = False,
    run: ToolRun | None = None,
    pending: PendingCall | None = None,
) -> ToolPiece:
    return ToolPiece(
        name=name,
        arguments=arguments,
        result=result,
        is_error=is_error,
        call_id="c1",
        is_live=is_live,
        run=run,
        pending=pending,
    )


def pending(decision: Decision | None) -> PendingCall:
    return PendingCall(call_id="c1", name="look", decision=decision)


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (piece(), "no result"),
        (piece(run=ToolRun(call_id="c1", name="look")), "running"),
        (piece(run=ToolRun(call_id="c1", name="look", fraction=0.426)), "running 43 %"),
        (piece(run=ToolRun(call_id="c1", name="look", fraction=7.0)), "running 100 %"),
        (piece(pending=pending(None)), "waits for you"),
        (piece(pending=pending("accept")), "accepted"),
        (piece(pending=pending("reject")), "rejected"),
    ],
)
def test_a_call_without_a_result_says_how_it_stands(shown: ToolPiece, said: str) -> None:
    assert f'<span class="tool-state">{said}</span>' in call_html(shown, is_open=False)


@pytest.mark.parametrize("shown", [piece(is_live=True), piece(result="ok")])
def test_a_call_that_comes_next_or_is_done_says_nothing(shown: ToolPiece) -> None:
    assert "tool-state" not in call_html(shown, is_open=False)


def test_only_a_call_that_nobody_decided_on_has_buttons_and_is_open() -> None:
    asking = call_html(piece(pending=pending(None)), is_open=False)
    assert 'data-call="c1" data-asking open' in asking
    assert 'data-action="accept"' in asking and 'data-action="reject"' in asking
    decided = call_html(piece(pending=pending("accept")), is_open=False)
    assert "data-action" not in decided and " open" not in decided


def test_a_running_call_shows_the_end_of_what_it_gave_so_far() -> None:
    run = ToolRun(call_id="c1", name="look", message="page 3", output="x" * 9_000 + "the end")
    html = call_html(piece(run=run), is_open=False)
    assert "page 3" in html and "the end" in html
    assert html.count("x") < 5_000


def test_installed_tools_have_their_own_name_and_sign_others_are_json() -> None:
    known = call_html(piece(name="recall", arguments='{"query": "doors"}'), is_open=False)
    assert (
        '<span class="aside-name">Recall</span> <span class="aside-preview">doors</span>' in known
    )
    gone = call_html(piece(name="teleport"), is_open=False)
    assert '<span class="aside-name">teleport</span>' in gone
    assert 'data-language="json"' in gone


def test_a_call_that_gave_nothing_says_so() -> None:
    assert "It gave nothing back." in call_html(piece(result=""), is_open=False)


def test_what_strangers_write_is_text() -> None:
    run = ToolRun(call_id="c1", name="look", message=HOSTILE, output=HOSTILE)
    shown = [
        piece(name=HOSTILE, arguments=HOSTILE, result=HOSTILE),
        piece(arguments=f'{{"a": "{HOSTILE}"}}', run=run),
        piece(name=HOSTILE, pending=pending(None)),
    ]
    for one in shown:
        assert "<img" not in call_html(one, is_open=False)
