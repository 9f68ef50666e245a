"""From a definition to the provider that it describes, and what providers share.

Adapters are imported when a definition first asks for them: an HTTP client or an inference
engine that nobody uses costs neither time nor memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from windowpane.definitions import ProviderDefinition
from windowpane.ids import new_id
from windowpane.providers.base import Provider
from windowpane.settings import Settings

if TYPE_CHECKING:
    from aiohttp import ClientSession

    from windowpane.providers.local_engine import LocalEngine


class Shared:
    """What the providers of one process share: HTTP connections and the one local model."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._session: ClientSession | None = None
        self._engine: LocalEngine | None = None

    def session(self) -> ClientSession:
        """Made on first use, inside the event loop that will run it."""
        if self._session is None:
            from aiohttp import ClientSession, DummyCookieJar, TCPConnector

            # A hundred chats at once are a hundred open answers: the connections are not limited.
            self._session = ClientSession(
                connector=TCPConnector(limit=0), cookie_jar=DummyCookieJar()
            )
        return self._session

    def engine(self) -> LocalEngine:
        if self._engine is None:
            from windowpane.providers.local_engine import LocalEngine

            self._engine = LocalEngine(idle_seconds=self.settings.local_idle_seconds)
        return self._engine

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
        if self._engine is not None:
            await self._engine.close()


def provider_from(definition: ProviderDefinition, *, shared: Shared) -> Provider:
    """Raises ``InvalidInput`` naming the field of the definition that cannot be used."""
    match definition.family:
        case "openai_chat":
            return _openai_chat(definition, shared=shared)
        case "local":
            from windowpane.providers.local import LocalProvider

            return LocalProvider(definition, shared.engine())
        case "scripted":
            from windowpane.providers.scripted import ScriptedProvider, load_script

            return ScriptedProvider(load_script(Path(definition.base_url)))
        case _ as never:
            assert_never(never)


def default_definitions() -> list[ProviderDefinition]:
    """What a new vault begins with: the demonstration model, which needs no key and no network."""
    id = new_id("provider")
    return [ProviderDefinition(id=id, name="local", family="local", is_local=True)]


def _openai_chat(definition: ProviderDefinition, *, shared: Shared) -> Provider:
    from windowpane.providers.http import Timeouts
    from windowpane.providers.openai_chat import OpenAIChatProvider

    settings = shared.settings
    return OpenAIChatProvider(
        definition,
        shared.session(),
        timeouts=Timeouts(
            connect_seconds=settings.connect_timeout_seconds,
            chunk_seconds=settings.chunk_timeout_seconds,
        ),
        join_seconds=settings.delta_join_seconds,
    )
