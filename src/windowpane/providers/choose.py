"""From a definition to the provider that it describes, and what providers share.

Adapters are imported when a definition first asks for them: an HTTP client or an inference
engine that nobody uses costs neither time nor memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from msgspec import structs

from windowpane.definitions import Family, ProviderDefinition
from windowpane.ids import new_id
from windowpane.providers.amazon_signing import has_credentials
from windowpane.providers.base import Dialect, Provider
from windowpane.providers.pace import Pace
from windowpane.settings import Settings

if TYPE_CHECKING:
    from aiohttp import ClientSession

    from windowpane.providers.local_engine import LocalEngine


class Shared:
    """What the providers of one process share: HTTP connections and the one local model."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pace = Pace(settings.delta_join_seconds)
        self._session: ClientSession | None = None
        self._engine: LocalEngine | None = None

    def session(self) -> ClientSession:
        """Made on first use, inside the event loop that will run it."""
        if self._session is None:
            from aiohttp import ClientSession, DummyCookieJar, TCPConnector

            from windowpane.providers.http import used_connections

            # A hundred chats at once are a hundred open answers: the connections are not limited.
            self._session = ClientSession(
                connector=TCPConnector(limit=0),
                cookie_jar=DummyCookieJar(),
                trace_configs=[used_connections()],
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
        case "openai_chat" | "openai_responses" | "anthropic" | "bedrock" | "google":
            return _remote(definition, shared=shared)
        case "local":
            from windowpane.providers.local import LocalProvider

            return LocalProvider(definition, shared.engine())
        case "scripted":
            from windowpane.providers.scripted import ScriptedProvider, load_script

            return ScriptedProvider(load_script(Path(definition.base_url)))
        case _ as never:
            assert_never(never)


# What a new vault begins with: the demonstration model, which needs no key and no network, and
# one of each family that waits for a key.
DEFAULTS: tuple[tuple[str, Family], ...] = (
    ("local", "local"),
    ("openai", "openai_responses"),
    ("anthropic", "anthropic"),
    ("google", "google"),
    ("bedrock", "bedrock"),
    ("openai-chat", "openai_chat"),
)


def default_definitions() -> list[ProviderDefinition]:
    return [
        ProviderDefinition(
            id=new_id("provider"), name=name, family=family, is_local=family == "local"
        )
        for name, family in DEFAULTS
    ]


def is_ready(definition: ProviderDefinition) -> bool:
    """Whether it is set up far enough to be asked anything.

    An address of one's own may need no key; the services themselves all do.
    """
    if definition.family in ("local", "scripted") or definition.is_local:
        return True
    if definition.api_key or definition.headers:
        return True
    if definition.family == "bedrock" or definition.base_url.startswith("bedrock:"):
        # Files are there for other programs as well: they count where Bedrock was set up.
        return has_credentials(counts_files=bool(definition.base_url))
    return bool(definition.base_url)


def dialect_of(definition: ProviderDefinition) -> Dialect:
    """The words of a remote family. A base URL may be written with or without a slash behind."""
    definition = structs.replace(definition, base_url=definition.base_url.rstrip("/"))
    match definition.family:
        case "openai_chat":
            from windowpane.providers.openai_chat import OpenAIChatDialect

            return OpenAIChatDialect(definition)
        case "openai_responses":
            from windowpane.providers.openai_responses import OpenAIResponsesDialect

            return OpenAIResponsesDialect(definition)
        case "anthropic":
            from windowpane.providers.anthropic import anthropic_dialect

            return anthropic_dialect(definition)
        case "bedrock":
            from windowpane.providers.bedrock import BedrockDialect

            return BedrockDialect(definition)
        case "google":
            from windowpane.providers.google import GoogleDialect

            return GoogleDialect(definition)
        case "local" | "scripted":
            raise AssertionError(f"{definition.family} is not behind HTTP")
        case _ as never:
            assert_never(never)


def _remote(definition: ProviderDefinition, *, shared: Shared) -> Provider:
    from windowpane.providers.http import Authorise, Upstream, checked_headers
    from windowpane.providers.incoming import Timeouts
    from windowpane.providers.remote import Listing, RemoteProvider

    settings = shared.settings
    timeouts = Timeouts(
        connect_seconds=settings.connect_timeout_seconds,
        first_byte_seconds=settings.first_byte_timeout_seconds,
        chunk_seconds=settings.chunk_timeout_seconds,
    )
    dialect = dialect_of(definition)

    def upstream(base_url: str, authorise: Authorise) -> Upstream:
        return Upstream(
            shared.session(),
            base_url=base_url,
            authorise=authorise,
            secrets=dialect.secrets,
            timeouts=timeouts,
        )

    listed_at = definition.models_endpoint
    checked_headers(definition.headers | {"authorization": definition.api_key})
    return RemoteProvider(
        dialect,
        upstream(dialect.base_url, dialect.authorise),
        listing=Listing(url=listed_at, upstream=upstream(listed_at, lambda _: {}))
        if listed_at
        else None,
        pace=shared.pace,
    )
