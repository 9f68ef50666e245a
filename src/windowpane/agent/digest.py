"""What a turn weighs and holds, noted with it when it ends, so that plans need not open it."""

from __future__ import annotations

from windowpane.context.weights import TurnWeight, weigh
from windowpane.filters import TurnFacts
from windowpane.parts import Image, ToolCall
from windowpane.tokens import Counter
from windowpane.turns import Turn, TurnContent, TurnDigest


def digest_of(content: TurnContent, *, counter: Counter) -> TurnDigest:
    weight = weigh(content, counter=counter)
    return TurnDigest(
        counted_for=counter.model,
        raw_tokens=weight.raw_tokens,
        without_reasoning_tokens=weight.without_reasoning_tokens,
        without_tools_tokens=weight.without_tools_tokens,
        bare_tokens=weight.bare_tokens,
        is_unanswered=weight.is_unanswered,
        has_tool_calls=_has(content, ToolCall),
        has_image=_has(content, Image),
    )


def weight_of(turn: Turn, digest: TurnDigest) -> TurnWeight:
    return TurnWeight(
        turn_id=turn.id,
        raw_tokens=digest.raw_tokens,
        without_reasoning_tokens=digest.without_reasoning_tokens,
        without_tools_tokens=digest.without_tools_tokens,
        bare_tokens=digest.bare_tokens,
        is_pinned=turn.is_pinned,
        is_skipped=turn.is_skipped,
        is_unanswered=digest.is_unanswered,
        is_current=turn.state in ("sending", "waiting"),
    )


def facts_of(turn: Turn) -> TurnFacts:
    """What a filter may ask of a turn. ``is_summarised`` depends on the view and is set there."""
    return TurnFacts(
        id=turn.id,
        created_at=turn.created_at,
        star=turn.star,
        flag=turn.flag,
        model=short_name(turn.model),
        topic_id=turn.topic_id,
        is_error=turn.state == "error",
        has_image=turn.digest is not None and turn.digest.has_image,
        is_pinned=turn.is_pinned,
        is_skipped=turn.is_skipped,
        has_tool_calls=turn.digest is not None and turn.digest.has_tool_calls,
        is_summarised=False,
    )


def _has(content: TurnContent, kind: type[Image | ToolCall]) -> bool:
    return any(isinstance(part, kind) for message in content.messages for part in message.parts)


def short_name(model: str) -> str:
    """The provider's own name for a model, which is what people type in a filter."""
    return model.partition("/")[2] or model
