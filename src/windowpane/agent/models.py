"""Which provider answers for a model's full name, ``provider/model``, and what is known of it.

Holds the open providers, one for each definition, made on first use. Lists of models are asked for
once and kept, sealed, until somebody wants them anew. Other processes may change all of it, so
whoever asks first looks whether they did.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from windowpane.agent.checking import Checked, check
from windowpane.agent.definitions import Definitions
from windowpane.agent.quotas import Quotas
from windowpane.agent.remembered import Remembered
from windowpane.catalog.facts import limits_of, price_of
from windowpane.catalog.limits import Limits, LimitValues
from windowpane.catalog.overrides import ModelOverride, override_for
from windowpane.catalog.prices import PriceSnapshot
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import (
    InvalidInput,
    NotFound,
    UnknownModel,
    WindowpaneError,
)
from windowpane.providers.base import Provider
from windowpane.providers.choose import Shared, is_ready, provider_from
from windowpane.settings import Settings
from windowpane.storage.base import Change
from windowpane.storage.shelves import (
    MODEL_LISTS,
    OVERRIDES,
    ListedModels,
    ModelOverrides,
    list_id,
    overrides_id,
)
from windowpane.storage.vault import Vault

if TYPE_CHECKING:
    from windowpane.providers.nearby import Found

# Families whose models are known without a network: asking them never holds up a send.
ANSWERS_AT_ONCE = frozenset({"local", "scripted"})
NOTHING_SAID = ModelOverrides(overrides=())


class ModelChoice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model that can be picked: its full name and what the provider says of it."""

    name: str
    provider: str
    model: ModelInfo


class ModelList(Struct, frozen=True, kw_only=True):
    """What can be picked, and which providers could not say, with their reason."""

    choices: tuple[ModelChoice, ...]
    failures: dict[str, str]


class ModelFacts(Struct, frozen=True, kw_only=True):
    """All that is known of one model, each thing with its source."""

    name: str
    provider: str
    model: ModelInfo
    limits: Limits
    price: PriceSnapshot
    override: ModelOverride | None


class Models:
    def __init__(self, vault: Vault, *, settings: Settings) -> None:
        self._vault = vault
        self._shared = Shared(settings)
        self._defined = Definitions(vault, shared=self._shared, forget=self._forget)
        self._providers: dict[str, Provider] = {}
        self._told: dict[str, tuple[ModelInfo, ...]] = {}
        self._lists = Remembered(vault, MODEL_LISTS)
        self._overrides = Remembered(vault, OVERRIDES)
        self.quotas = Quotas()

    async def open(self) -> None:
        await self._defined.add_defaults()

    async def close(self) -> None:
        for provider in self._providers.values():
            await provider.close()
        self._providers.clear()
        await self._shared.close()

    # Definitions

    async def refresh(self) -> None:
        """See what other processes did to the definitions."""
        await self._defined.refresh()

    @property
    def definitions(self) -> list[ProviderDefinition]:
        return list(self._defined.by_name.values())

    def definition(self, name: str) -> ProviderDefinition:
        return self._defined[name]

    async def add(self, definition: ProviderDefinition) -> None:
        """A default that was never set up makes room for one of its name that is."""
        await self._defined.add(definition)

    async def replace(self, name: str, definition: ProviderDefinition) -> None:
        """Chats call their model by the provider's name, so the name stays."""
        await self._defined.replace(name, definition)

    async def remove(self, name: str) -> None:
        await self._defined.remove(name)

    async def check(self, definition: ProviderDefinition) -> Checked:
        """Ask the provider for its models, with this definition and nothing stored."""
        return await check(definition, shared=self._shared)

    async def nearby(self) -> tuple[Found, ...]:
        """Model servers on this machine that no definition points to yet."""
        from windowpane.providers.nearby import found_nearby, local_presets

        await self.refresh()
        defined = {known.base_url.rstrip("/") for known in self.definitions}
        presets = tuple(one for one in local_presets() if one.base_url not in defined)
        return await found_nearby(self._shared.session(), presets)

    # Models

    def resolve(self, name: str) -> tuple[Provider, str]:
        """The provider and its own name for the model; the provider may still refuse it.

        By the definitions as they were when they were last refreshed.
        """
        provider_name, slash, model = name.partition("/")
        known = self._defined.by_name
        if not slash or not model or provider_name not in known:
            raise UnknownModel(name, known=[f"{one}/…" for one in known])
        if not is_ready(known[provider_name]):
            raise InvalidInput(
                f"{provider_name} has no API key yet. Add one on the page of providers, or with "
                f"windowpane providers add {provider_name}."
            )
        return self._provider(provider_name), model

    async def choices(self, *, is_refreshed: bool) -> ModelList:
        """The models of every provider that is set up; asked for anew if ``is_refreshed``."""
        await self.refresh()
        names = [known.name for known in self.definitions if is_ready(known)]
        results = await asyncio.gather(*(self._asked(name, is_refreshed) for name in names))
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

    async def limits(self, name: str) -> Limits:
        provider_name, _, model = name.partition("/")
        await self.refresh()
        return limits_of(
            model,
            definition=self.definition(provider_name),
            told=_told_limits(await self._info(name)),
            learned=LimitValues(),
            override=await self._override(name),
        )

    async def facts(self, name: str) -> ModelFacts:
        provider_name, _, model = name.partition("/")
        await self.refresh()
        definition = self.definition(provider_name)
        info, override = await self._info(name), await self._override(name)
        price = await asyncio.to_thread(
            price_of,
            model,
            definition=definition,
            told=info.prices,
            override=override,
            taken_at=datetime.now(UTC),
        )
        return ModelFacts(
            name=name,
            provider=provider_name,
            model=info,
            limits=await self.limits(name),
            price=price,
            override=override,
        )

    # What a person knows better

    async def overrides(self, provider_name: str) -> tuple[ModelOverride, ...]:
        await self.refresh()
        return await self._overrides_of(provider_name)

    async def set_override(self, provider_name: str, override: ModelOverride) -> None:
        """In the place of what was said of the same models before."""

        async def changes() -> list[Change]:
            known = await self._overrides_of(provider_name)
            others = [one for one in known if one.models != override.models]
            return [self._put_overrides(provider_name, (*others, override))]

        await self._defined.change(changes)

    async def remove_override(self, provider_name: str, models: str) -> None:
        async def changes() -> list[Change]:
            known = await self._overrides_of(provider_name)
            others = tuple(one for one in known if one.models != models)
            if len(others) == len(known):
                raise NotFound("override", id=models)
            return [self._put_overrides(provider_name, others)]

        await self._defined.change(changes)

    # Inside

    async def _forget(self, name: str) -> None:
        self._told.pop(name, None)
        provider = self._providers.pop(name, None)
        if provider is not None:
            await provider.close()

    async def _asked(self, name: str, is_refreshed: bool) -> tuple[ModelInfo, ...] | str:
        try:
            if is_refreshed or self.definition(name).family in ANSWERS_AT_ONCE:
                return await self._ask(name)
            return await self._listed(name) or await self._ask(name)
        except WindowpaneError as error:
            return str(error)

    async def _ask(self, name: str) -> tuple[ModelInfo, ...]:
        definition = self.definition(name)
        models = tuple(await self._provider(name).models())
        if definition.family in ANSWERS_AT_ONCE:
            self._told[name] = models
            return models
        await self.refresh()
        if self.definition(name) == definition:  # else it is the list of another address
            await self._vault.commit([self._put_list(definition, models)])
        return models

    def _put_list(self, definition: ProviderDefinition, models: tuple[ModelInfo, ...]) -> Change:
        id = list_id(definition.id)
        listed = ListedModels(models=models, fetched_at=datetime.now(UTC))
        return self._vault.put(
            MODEL_LISTS, listed, id=id, parent_id=id, position=0, expected_version=None
        )

    async def _listed(self, name: str) -> tuple[ModelInfo, ...]:
        """The list as it was told last, by this process or another; nothing is asked."""
        stored = await self._lists.find(list_id(self.definition(name).id))
        return stored.models if stored else ()

    async def _info(self, name: str) -> ModelInfo:
        """What the provider's list says of a model; its name alone if it is not in it."""
        provider_name, _, model = name.partition("/")
        if self.definition(provider_name).family not in ANSWERS_AT_ONCE:
            told = await self._listed(provider_name)
        elif provider_name in self._told:
            told = self._told[provider_name]
        else:
            asked = await self._asked(provider_name, True)
            told = () if isinstance(asked, str) else asked
        return next((info for info in told if info.name == model), ModelInfo(name=model))

    async def _override(self, name: str) -> ModelOverride | None:
        provider_name, _, model = name.partition("/")
        return override_for(model, await self._overrides_of(provider_name))

    async def _overrides_of(self, provider_name: str) -> tuple[ModelOverride, ...]:
        stored = await self._overrides.find(overrides_id(self.definition(provider_name).id))
        return (stored or NOTHING_SAID).overrides

    def _put_overrides(self, provider_name: str, overrides: tuple[ModelOverride, ...]) -> Change:
        id = overrides_id(self.definition(provider_name).id)
        kept = ModelOverrides(overrides=overrides)
        return self._vault.put(
            OVERRIDES, kept, id=id, parent_id=id, position=0, expected_version=None
        )

    def _provider(self, name: str) -> Provider:
        if name not in self._providers:
            self._providers[name] = provider_from(self.definition(name), shared=self._shared)
        return self._providers[name]


def _told_limits(info: ModelInfo) -> LimitValues:
    return LimitValues(
        context_window_tokens=info.context_window_tokens,
        input_tokens=info.input_tokens,
        output_tokens=info.output_tokens,
    )
