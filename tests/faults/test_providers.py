"""Providers that hang, break off, flood or refuse: every turn ends, and its chat goes on."""

from __future__ import annotations

from tests.faults.invariants import check_all, check_no_leftovers, check_usable
from tests.faults.kills import words
from tests.faults.provider import (
    OVERFLOW,
    at_first,
    calls_tools,
    cuts_after,
    hangs_after,
    hangs_before_headers,
    refuses,
    streams,
)
from tests.faults.scene import Scene

IMPATIENT = {
    "WINDOWPANE_FIRST_BYTE_TIMEOUT_SECONDS": "1",
    "WINDOWPANE_CHUNK_TIMEOUT_SECONDS": "1",
}
FLOOD = ["0123456789" * 1000] * 300

FAILS = {
    "hangs before headers": (hangs_before_headers(), ""),
    "hangs between chunks": (hangs_after(*words(3)), "0 1 2 "),
    "breaks off": (cuts_after(*words(3)), "0 1 2 "),
    "breaks off in a later round": (calls_tools(rounds=2, then=cuts_after("a", "b")), "ab"),
    "refuses the key": (refuses(401, "Incorrect API key provided."), ""),
}
WORKS = {
    "floods": (streams(*FLOOD), "".join(FLOOD)),
    "says nothing at first": (streams("", "", "Well."), "Well."),
    "calls tools": (calls_tools(rounds=3, then=streams("Done.")), "Done."),
}
# Tried again or given up: how it ends is another test's affair, that it ends is this one's.
ENDS = {
    "too many requests": at_first(
        1, refuses(429, "Slow down.", "retry-after: 1"), then=streams("Now.")
    ),
    "broken for once": at_first(1, refuses(500, "Oops."), then=streams("Now.")),
    "overloaded for once": at_first(1, refuses(529, "Overloaded."), then=streams("Now.")),
    "too large at first": at_first(1, refuses(400, OVERFLOW), then=streams("Now.")),
}


def test_however_providers_misbehave_every_turn_ends_and_its_chat_goes_on(scene: Scene) -> None:
    scene.started(more=IMPATIENT)
    faults = {
        **{what: behaviour for what, (behaviour, _) in (FAILS | WORKS).items()},
        **ENDS,
    }
    sent = {what: scene.ask(scene.new_chat(), behaviour) for what, behaviour in faults.items()}

    ended = {what: scene.until_settled(one.chat_id)[-1] for what, one in sent.items()}

    for what, (_, text) in FAILS.items():
        assert ended[what].turn.state == "error", what
        assert ended[what].turn.failure is not None, what
        last = ended[what].messages[-1]
        assert (last.text if last.role == "assistant" else "") == text, what
    for what, (_, text) in WORKS.items():
        assert ended[what].turn.state == "complete", what
        assert ended[what].messages[-1].text == text, what
    for one in sent.values():
        check_usable(scene, one.chat_id)
    check_all(scene)
    check_no_leftovers(scene)
