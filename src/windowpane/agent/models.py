"""Which provider answers for a model's full name, ``provider/model``.

Holds the open providers, one for each stored definition, made on first use.
"""

from __future__ import annotations

import asyncio

from msgspec import Struct

from windowpane.catalog.limits import Limits, LimitValues, merged
from windowpane.catalog.models import catalog_limits, catalog_provider
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import (
    InvalidInput,
    NotFound,
    UnknownModel,
    WindowpaneError,
)
from windowpane.providers.base import Provider
from windowpane.providers.choose import Shared, default_definitions, provider_from
from windowpane.settings import Settings
from windowpane.storage.shelves import DEFINITIONS, TOP
from windowpane.storage.vault import Vault

# Families whose models are known without a network: asking them never holds up a send.
ANSWERS_AT_ONCE = frozenset({"local", "scripted"})


class ModelChoice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model that can be picked: its full name and what the provider says of it."""

    name: str
    provider: str
    model: ModelInfo


class ModelList(Struct, frozen=True, kw_only=True):
    """What can be picked, and which providers could not say, with their reason."""

    choices: tuple[ModelChoice, ...]
    failures: dict[str, str]


class Models:
    def __init__(self, vault: Vault, *, settings: Settings) -> None:
        self._vault = vault
        self._shared = Shared(settings)
        self._definitions: dict[str, ProviderDefinition] = {}
        self._providers: dict[str, Provider] = {}
        self._told: dict[str, list[ModelInfo]] = {}

    async def open(self) -> None:
        stored = await self._vault.all_children(DEFINITIONS, [TOP])
        for definition in stored.values:
            self._definitions[definition.name] = definition
        for definition in default_definitions():
            if all(known.family != definition.family for known in self._definitions.values()):
                await self.add(definition)

    async def close(self) -> None:
        for provider in self._providers.values():
            await provider.close()
        self._providers.clear()
        await self._shared.close()

    @property
    def definitions(self) -> list[ProviderDefinition]:
        return list(self._definitions.values())

    async def add(self, definition: ProviderDefinition) -> None:
        if definition.name in self._definitions:
            raise InvalidInput(f"There is a provider called {definition.name} already.")
        if not definition.name or "/" in definition.name:
            raise InvalidInput("A provider's name must not be empty or contain a slash.")
        put = self._vault.put(
            DEFINITIONS,
            definition,
            id=definition.id,
            parent_id=TOP,
            position=len(self._definitions),
            expected_version=0,
        )
        await self._vault.commit([put])
        self._definitions[definition.name] = definition

    async def remove(self, name: str) -> None:
        definition = self._definitions.get(name)
        if definition is None:
            raise NotFound("provider", id=name)
        await self._vault.commit([self._vault.delete(DEFINITIONS, definition.id)])
        del self._definitions[name]
        provider = self._providers.pop(name, None)
        if provider is not None:
            await provider.close()

    def resolve(self, name: str) -> tuple[Provider, str]:
        """The provider and its own name for the model; the provider may still refuse it."""
        provider_name, slash, model = name.partition("/")
        if not slash or not model or provider_name not in self._definitions:
            raise UnknownModel(name, known=[f"{known}/…" for known in self._definitions])
        return self._provider(provider_name), model

    async def limits(self, name: str) -> Limits:
        """What is known of a model's limits: what its provider says beats the catalog."""
        provider_name, _, model = name.partition("/")
        definition = self._definitions[provider_name]
        if definition.family in ANSWERS_AT_ONCE and provider_name not in self._told:
            await self._models_of(provider_name)
        known = catalog_limits(model, provider=catalog_provider(definition.base_url))
        for told in self._told.get(provider_name, []):
            if told.name == model:
                values = LimitValues(context_window_tokens=told.context_window_tokens)
                return merged(known, values, source="provider")
        return known

    async def choices(self) -> ModelList:
        names = list(self._definitions)
        results = await asyncio.gather(*(self._models_of(name) for name in names))
        choices: list[ModelChoice] = []
        failures: dict[str, str] = {}
        for name, result in zip(names, results, strict=True):
            if isinstance(result, str):
                failures[name] = result
            else:
                choices.extend(
                    ModelChoice(name=f"{name}/{model.name}", provider=name, model=model)
                    for model in result
                )
        return ModelList(choices=tuple(choices), failures=failures)

    async def _models_of(self, name: str) -> list[ModelInfo] | str:
        try:
            self._told[name] = await self._provider(name).models()
        except WindowpaneError as error:
            return str(error)
        return self._told[name]

    def _provider(self, name: str) -> Provider:
        if name not in self._providers:
            definition = self._definitions[name]
            self._providers[name] = provider_from(definition, shared=self._shared)
        return self._providers[name]
