"""Filters over given messages: which turns do they choose?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC

from windowpane.errors import InvalidInput
from windowpane.filters import Filter, Folded, History, TopicTree, TurnFacts, Viewpoint, fold
from windowpane.filters.dates import Age, Day
from windowpane.filters.syntax import CurrentModel, CurrentTopic, InTopic, ModelNamed, terms
from windowpane.library.spoken import NO_TIME
from windowpane.parts import Native, Text, ToolCall
from windowpane.turns import TurnContent

NOWHERE = Viewpoint(
    now=NO_TIME,
    zone=UTC,
    topics=TopicTree.of([]),
    current_topic_id=None,
    current_model=None,
)
# What a stored chat knows of its turns, and a list of messages does not.
UNKNOWN_HERE: tuple[tuple[tuple[type, ...], str], ...] = (
    ((Age, Day), "time"),
    ((CurrentModel, ModelNamed), "model"),
    ((CurrentTopic, InTopic), "topic"),
)


def check_askable(tree: Filter) -> None:
    for term in terms(tree):
        for kinds, noun in UNKNOWN_HERE:
            if isinstance(term.predicate, kinds):
                raise InvalidInput(
                    f"Given messages carry no {noun}, so a filter cannot ask for it. "
                    "Choose by s, r, b, g, c, i, k, o, p, x or z."
                )


def history_of(turns: Sequence[TurnContent], *, covered: range) -> History:
    return History.of(
        [_facts(content, is_covered=index in covered) for index, content in enumerate(turns)]
    )


def texts_of(turns: Sequence[TurnContent]) -> Callable[[Sequence[str]], Iterable[Folded]]:
    by_id = {content.turn.id: content for content in turns}
    return lambda turn_ids: (fold(_text(by_id[turn_id])) for turn_id in turn_ids)


def _text(content: TurnContent) -> str:
    return "\n".join(message.text for message in content.messages)


def _facts(content: TurnContent, *, is_covered: bool) -> TurnFacts:
    parts = [part for message in content.messages for part in message.parts]
    return TurnFacts(
        id=content.turn.id,
        created_at=content.turn.created_at,
        star=content.turn.star,
        flag=content.turn.flag,
        model=content.turn.model,
        topic_id=content.turn.topic_id,
        is_error=False,
        has_image=any(
            isinstance(part, Text) and part.native is not None and _is_image(part.native)
            for part in parts
        ),
        is_pinned=content.turn.is_pinned,
        is_skipped=content.turn.is_skipped,
        has_tool_calls=any(isinstance(part, ToolCall) for part in parts),
        is_summarised=is_covered,
    )


def _is_image(native: Native) -> bool:
    return '"type":"image' in native.block
