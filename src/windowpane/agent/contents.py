"""Contents of turns that were opened lately. A settled turn never changes, so it is opened once.

Bounded by the text it holds; what is left out is read again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from windowpane.parts import Image, Part, Reasoning, Text, ToolCall, ToolResult
from windowpane.storage.history import contents_of
from windowpane.storage.shelves import TURNS
from windowpane.storage.turn_pages import SETTLED
from windowpane.storage.vault import Vault
from windowpane.turns import TurnContent

KEPT_CHARACTERS = 8_000_000


class Contents:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._known: OrderedDict[str, TurnContent] = OrderedDict()
        self._characters = 0

    async def of(self, turn_ids: Sequence[str]) -> dict[str, TurnContent]:
        found = {id: self._known[id] for id in turn_ids if id in self._known}
        for id in found:
            self._known.move_to_end(id)
        missing = [id for id in turn_ids if id not in found]
        if missing:
            turns = await self._vault.get_many(TURNS, missing)
            for content in (await contents_of(self._vault, turns.values)).turns:
                found[content.turn.id] = content
                self.keep(content)
        return found

    def keep(self, content: TurnContent) -> None:
        if content.turn.state not in SETTLED or content.turn.id in self._known:
            return
        self._known[content.turn.id] = content
        self._characters += _characters(content)
        while self._characters > KEPT_CHARACTERS:
            _, oldest = self._known.popitem(last=False)
            self._characters -= _characters(oldest)


def _characters(content: TurnContent) -> int:
    """Roughly what it holds; an empty message takes room, too."""
    return sum(
        200 + len(message.sent_text or "") + sum(map(_part_characters, message.parts))
        for message in content.messages
    )


def _part_characters(part: Part) -> int:
    native = None if isinstance(part, ToolResult) else part.native
    kept = len(native.block) if native else 0
    match part:
        case Text() | Reasoning() | ToolResult():
            return kept + len(part.text)
        case ToolCall():
            return kept + len(part.arguments)
        case Image():
            return kept + len(part.data)
        case _:
            return kept
