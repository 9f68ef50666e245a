"""Tools made ready for a turn: the vault, the models and what was chosen meet here."""

from __future__ import annotations

from windowpane.agent.equipment import (
    Equipment,
    Equipped,
    available_tools,
    chosen_tools,
)
from windowpane.agent.models import Models
from windowpane.agent.planner import Planner
from windowpane.agent.remembered import ChatHistory
from windowpane.agent.search import Search
from windowpane.settings import Settings
from windowpane.storage.vault import Vault
from windowpane.toolbox import Toolbox
from windowpane.tools.base import Surroundings


class Workshop:
    def __init__(
        self,
        vault: Vault,
        *,
        models: Models,
        planner: Planner,
        search: Search,
        settings: Settings,
    ) -> None:
        self._vault = vault
        self._search = search
        self._models = models
        self._planner = planner
        self._result_characters = settings.tool_result_characters

    async def equipment(
        self, *, chat_id: str, depth: int, turn_id: str, model: str, toolbox: Toolbox
    ) -> Equipment:
        """What the turn at a depth of a chat has to work with."""
        history = ChatHistory(
            self._vault, search=self._search, chat_id=chat_id, asking_turn_id=turn_id
        )
        return Equipment(
            tools=await self._tools(chat_id, depth=depth, model=model, toolbox=toolbox),
            surroundings=Surroundings(chat_id=chat_id, turn_id=turn_id, history=history),
            result_characters=self._result_characters,
        )

    async def _tools(
        self, chat_id: str, *, depth: int, model: str, toolbox: Toolbox
    ) -> tuple[Equipped, ...]:
        if not await self._models.can_call_tools(model):
            return ()
        used_names: frozenset[str] = frozenset()
        if toolbox.mode == "auto":
            used_names = await self._planner.used_names(chat_id, end_depth=depth)
        definition = self._models.definition(model.partition("/")[0])
        return chosen_tools(available_tools(definition), toolbox, used_names=used_names)
