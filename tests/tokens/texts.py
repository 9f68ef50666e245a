"""Texts and messages that the tests of counting share."""

from datetime import UTC, datetime

from hypothesis import strategies as st

from windowpane.messages import Message, Role
from windowpane.parts import Part
from windowpane.usage import TokenUsage

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)

# What splitting patterns treat differently, far more often than chance would give it.
TRICKY = (
    *" \n\t\r\"'.,;:!?/\\-_()[]{}<>|abzABZ0123456789",
    *("  ", "    ", "\r\n", "\n\n", "'s", "'LL", "'ve", "<|endoftext|>", "<|im_start|>"),
    *("é", "e\u0301", "ß", "\u0130", "\u017f", "\u00a0", "\u3000", "\u200b", "\u200d", "\ufeff"),
    *(
        "你",
        "好",
        "世界",
        "\u3002",
        "\uff0c",
        "カ",
        "한",
        "م",
        "ก\u0e34",
        "👍🏽",
        "👩\u200d👩\u200d👧",
        "½",
        "Ⅷ",
    ),
)
# Lone surrogates are no text: they cannot be sent.
CHARACTERS = st.characters(exclude_categories=("Cs",))
TEXTS = st.lists(st.sampled_from(TRICKY) | CHARACTERS, max_size=60).map("".join)


def message(
    *parts: Part,
    role: Role = "user",
    model: str | None = None,
    usage: TokenUsage | None = None,
) -> Message:
    return Message(id="rec_1", role=role, parts=parts, created_at=NOON, model=model, usage=usage)
