"""A chat's title, asked of a model after the first answer; it never changes what is sent.

Question and title are kept as records of the chat. One that a person has named keeps that name.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from datetime import datetime

from msgspec import structs

from windowpane.agent.asides import Aside, Asides
from windowpane.agent.clock import Clock
from windowpane.agent.outlooks import Outlooks
from windowpane.choices import Choices
from windowpane.errors import ProviderFailed, VersionConflict, WindowpaneError
from windowpane.ids import new_id, new_revision
from windowpane.projects import Chat, first_words
from windowpane.records import Place, Title, TitleRequest
from windowpane.storage.history import contents_of, put_chat
from windowpane.storage.shelves import CHATS, TURNS
from windowpane.storage.specials import put_special
from windowpane.storage.vault import Stored, Vault
from windowpane.turns import Turn, TurnContent

logger = logging.getLogger(__name__)

INSTRUCTION = (
    "Give this conversation a title: two to six words, in its own language, without quotation "
    "marks. Answer with the title and nothing else."
)
SYSTEM = "You name conversations."
TITLE_TOKENS = 20
# A command ends when its answer is there, and its title is only a moment away.
GRACE_SECONDS = 5.0
# What models put around a title though they were asked not to.
PREFACE = re.compile(r"^title\s*:\s*", re.IGNORECASE)
ORNAMENTS = " \t#*_`\"'“”„«»\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}."


class Titles:
    """``tell`` is called with a chat that has got a title."""

    def __init__(
        self,
        vault: Vault,
        *,
        asides: Asides,
        outlooks: Outlooks,
        clock: Clock,
        tell: Callable[[Chat], None],
    ) -> None:
        self._vault = vault
        self._asides = asides
        self._outlooks = outlooks
        self._clock = clock
        self._tell = tell
        self._tasks: set[asyncio.Task[None]] = set()

    def consider(self, turn: Turn) -> None:
        """A turn has ended: if it was its chat's first, the chat may get a title."""
        if turn.depth > 0:
            return
        task = asyncio.create_task(self._considered(turn.id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self) -> None:
        """Wait until no title is asked for any more."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=GRACE_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _considered(self, turn_id: str) -> None:
        """Nobody waits for a title: what keeps one from coming is told to the log."""
        try:
            await self._name(turn_id)
        except ProviderFailed as failed:
            logger.warning("The chat of %s has no title: %s", turn_id, failed.failure.kind)
        except WindowpaneError as error:
            logger.warning("The chat of %s has no title: %s", turn_id, type(error).__name__)
        except Exception:
            logger.exception("The chat of %s has no title", turn_id)

    async def _name(self, turn_id: str) -> None:
        stored = await self._vault.find(TURNS, turn_id)
        if stored is None or stored.value.state != "complete":
            return
        [about] = (await contents_of(self._vault, [stored.value])).turns
        chat = await self._unnamed(about)
        if chat is None:
            return
        send = Choices(model=about.turn.model)
        settings = await self._outlooks.applied(chat.value, send=send)
        if not settings.has_title:
            return
        aside = Aside(
            cause="title",
            instruction=INSTRUCTION,
            system=SYSTEM,
            model=settings.title_model,
            output_tokens=TITLE_TOKENS,
        )
        way = await self._asides.way(aside, chat.value, about, settings=settings)
        if way is None:
            return
        asked_at = self._clock()
        title = title_from(await self._asides.ask(aside, about, way))
        if title:
            await self._give(about, title, model=way.model, asked_at=asked_at)

    async def _unnamed(self, about: TurnContent) -> Stored[Chat] | None:
        """The chat, if it is there and still called by its first words."""
        chat = await self._vault.find(CHATS, about.turn.chat_id)
        words = first_words(about.messages[0].text) if about.messages else ""
        return chat if chat is not None and chat.value.title == words else None

    async def _give(
        self, about: TurnContent, title: str, *, model: str, asked_at: datetime
    ) -> None:
        place = Place(depth=about.turn.depth + 1, after_id=about.turn.id)
        asked = TitleRequest(
            id=new_id("record"), place=place, created_at=asked_at, text=INSTRUCTION
        )
        named = Title(
            id=new_id("record"), place=place, created_at=self._clock(), text=title, model=model
        )
        while chat := await self._unnamed(about):
            # Those who look at the chat from elsewhere see by its revision that something came.
            after = structs.replace(chat.value, title=title, revision=new_revision())
            changes = [
                put_special(self._vault, asked, chat_id=after.id),
                put_special(self._vault, named, chat_id=after.id),
                put_chat(self._vault, after, expected_version=chat.version),
            ]
            try:
                await self._vault.commit(changes)
            except VersionConflict:
                continue
            self._tell(after)
            return


def title_from(said: str) -> str:
    """The first line that says something, without what models put around it."""
    lines = (PREFACE.sub("", line.strip(ORNAMENTS)).strip(ORNAMENTS) for line in said.splitlines())
    return first_words(next(filter(None, lines), ""))
