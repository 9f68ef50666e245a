"""A turn for those who draw it, without a workspace behind it."""

from datetime import UTC, datetime

from windowpane.turns import Turn

AT = datetime(2026, 5, 12, 9, 14, tzinfo=UTC)
TURN = Turn(
    id="trn_a",
    chat_id="cht_a",
    parent_id=None,
    depth=0,
    model="p/m",
    state="complete",
    created_at=AT,
)
