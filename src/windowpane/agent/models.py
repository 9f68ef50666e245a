"""Which provider answers for a model's full name, ``provider/model``, and what is known of it.

Holds the definitions and the open providers, one for each definition, made on first use. Lists of
models and what a person knows better lie in files of their own beside this one. Other processes may
change all of it, so whoever asks first looks whether they did.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from windowpane.agent.checking import Checked, check
from windowpane.agent.equipment import can_call_tools
from windowpane.agent.facts import ModelFacts, facts_of, known_limits
from windowpane.agent.learned import Learned
from windowpane.agent.listed import ANSWERS_AT_ONCE, ModelLists
from windowpane.agent.overriding import Overrides
from windowpane.agent.quotas import Quotas
from windowpane.catalog.facts import price_of
from windowpane.catalog.limits import Limits, LimitValues
from windowpane.catalog.long_context import has_long_context_switch
from windowpane.catalog.overrides import ModelOverride, override_for
from windowpane.catalog.prices import PriceSnapshot
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import (
    InvalidInput,
    NotFound,
    UnknownModel,
    VersionConflict,
    WindowpaneError,
)
from windowpane.options import RequestOptions
from windowpane.projects import checked_name
from windowpane.providers.base import Provider
from windowpane.providers.choose import Shared, default_definitions, is_ready, provider_from
from windowpane.providers.pace import Pace
from windowpane.settings import Settings
from windowpane.storage.base import Change
from windowpane.storage.shelves import (
    DEFINITIONS,
    DEFINITIONS_CHANGED,
    DEFINITIONS_CHANGED_ID,
    LEARNED,
    TOP,
    DefinitionsChanged,
    ListedModels,
    learned_id,
)
from windowpane.storage.vault import Vault
from windowpane.tokens import Calibration

if TYPE_CHECKING:
    from windowpane.providers.nearby import Found

# Addresses of the API are made of names, and these mean another place in one.
UNADDRESSABLE = frozenset({".", "..", "check", "nearby"})
PRICE_LASTS = timedelta(minutes=10)


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
        self._lists = ModelLists(vault)
        self._overrides = Overrides(vault)
        self._prices: dict[str, PriceSnapshot] = {}
        self._reading = asyncio.Lock()
        self._version: int | None = None
        self.quotas = Quotas()
        self.learned = Learned(vault, definition_id=lambda name: self.definition(name).id)

    @property
    def pace(self) -> Pace:
        """How long pieces of answers are gathered now."""
        return self._shared.pace

    async def open(self) -> None:
        await self._change(self._missing_defaults)

    async def _missing_defaults(self) -> list[Change]:
        families = {known.family for known in self._definitions.values()}
        missing = [
            one
            for one in default_definitions()
            # A name that stands for something else already is not a default's any more.
            if one.family not in families and one.name not in self._definitions
        ]
        return [
            self._put(definition, position=position)
            for position, definition in enumerate(missing, start=len(self._definitions))
        ]

    async def close(self) -> None:
        for provider in self._providers.values():
            await provider.close()
        self._providers.clear()
        await self._shared.close()

    # Definitions

    async def read(self) -> int:
        """See what other processes did; gives the number of changes that were made so far."""
        async with self._reading:
            # In this order: what is decided on the definitions must not be older than the count.
            version = await self._vault.version(DEFINITIONS_CHANGED, DEFINITIONS_CHANGED_ID)
            if version != self._version:
                stored = (await self._vault.all_children(DEFINITIONS, [TOP])).values
                self._version = version
                await self._take({definition.name: definition for definition in stored})
            return version

    @property
    def definitions(self) -> list[ProviderDefinition]:
        return list(self._definitions.values())

    def definition(self, name: str) -> ProviderDefinition:
        if name not in self._definitions:
            raise NotFound("provider", id=name)
        return self._definitions[name]

    def definition_with_id(self, id: str) -> ProviderDefinition:
        found = (known for known in self._definitions.values() if known.id == id)
        definition = next(found, None)
        if definition is None:
            raise NotFound("provider", id=id)
        return definition

    async def add(self, definition: ProviderDefinition) -> None:
        """A default that was never set up makes room for one of its name that is."""

        async def changes() -> list[Change]:
            name = self.new_name(definition.name)
            if name in self._definitions:
                return self._replacing(name, structs.replace(definition, name=name))
            return [self._put(self._usable(definition), position=len(self._definitions))]

        await self._change(changes)

    def new_name(self, name: str) -> str:
        """The name as it will be stored; raises ``InvalidInput`` if no new provider can have it."""
        name = checked_name(name)
        if "/" in name:
            raise InvalidInput("A provider's name must not contain a slash: models are behind it.")
        if name in UNADDRESSABLE:
            raise InvalidInput(f"A provider cannot be called {name}. Choose another name.")
        known = self._definitions.get(name)
        if known is not None and is_ready(known):
            raise InvalidInput(f"There is a provider called {name} already. Choose another name.")
        return name

    async def replace(self, name: str, definition: ProviderDefinition) -> None:
        """Chats call their model by the provider's name, so the name stays."""

        async def changes() -> list[Change]:
            return self._replacing(name, definition)

        await self._change(changes)
        # Also where nothing differs: what it points to may have changed.
        await self._drop(name)

    async def remove(self, name: str) -> None:
        async def changes() -> list[Change]:
            definition = self.definition(name)
            return [
                self._vault.delete(DEFINITIONS, definition.id),
                self._vault.delete(LEARNED, learned_id(definition.id)),
                self._lists.forgotten(definition),
                self._overrides.forgotten(definition),
            ]

        await self._change(changes)

    async def check(self, definition: ProviderDefinition) -> Checked:
        """Ask the provider for its models, with this definition and nothing stored."""
        return await check(definition, shared=self._shared)

    async def refresh(self, name: str) -> Checked:
        """Ask a provider for its models anew, and keep the list if it has one to tell."""
        await self.read()
        definition = self.definition(name)
        checked = await self.check(definition)
        await self.read()
        # It may have been changed while it was asked: then this is no list of its.
        if checked.failure is None and self._definitions.get(name) == definition:
            await self._keep(definition, checked.models)
        return checked

    async def nearby(self) -> tuple[Found, ...]:
        """Model servers on this machine that no definition points to yet."""
        from windowpane.providers.nearby import found_nearby, local_presets

        await self.read()
        defined = {known.base_url.rstrip("/") for known in self._definitions.values()}
        presets = tuple(one for one in local_presets() if one.base_url not in defined)
        return await found_nearby(self._shared.session(), presets)

    # Models

    def resolve(self, name: str) -> tuple[Provider, str]:
        """The provider and its own name for the model; the provider may still refuse it.

        By the definitions as they were when they were last read.
        """
        provider_name, slash, model = name.partition("/")
        if not slash or not model or provider_name not in self._definitions:
            raise UnknownModel(name, known=[f"{known}/…" for known in self._definitions])
        if not is_ready(self._definitions[provider_name]):
            raise InvalidInput(
                f"{provider_name} has no API key yet. Add one on the page of providers, or with "
                f"windowpane providers add {provider_name}."
            )
        return self._provider(provider_name), model

    async def choices(self, *, is_refreshed: bool) -> ModelList:
        """The models of every provider that is set up; asked for anew if ``is_refreshed``."""
        await self.read()
        names = [name for name, known in self._definitions.items() if is_ready(known)]
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

    async def listed(self, name: str) -> ListedModels | None:
        """A provider's list as it was told last; None if it was never asked, or never answered."""
        await self.read()
        definition = self.definition(name)
        if definition.family in ANSWERS_AT_ONCE:
            await self._asked(name, True)
        return await self._lists.of(definition)

    async def limits(self, name: str) -> Limits:
        """By what was known when it was last read: a send reads once and asks several times."""
        info, override = await self._info(name), await self._override(name)
        return known_limits(
            info,
            definition=self.definition(name.partition("/")[0]),
            learned=await self._learned(name),
            override=override,
        )

    async def options(self, name: str) -> RequestOptions:
        """What a person decided for every request to a model."""
        override = await self._override(name)
        is_long = override is not None and override.uses_long_context
        return RequestOptions(uses_long_context=is_long and has_long_context_switch(name))

    async def can_call_tools(self, name: str) -> bool:
        """Whether to offer tools to a model. Some lists of models say it, most do not."""
        definition = self.definition(name.partition("/")[0])
        return can_call_tools(definition.family, (await self._info(name)).abilities)

    async def calibration(self, name: str) -> Calibration:
        return (await self.learned.of(name)).calibration

    def knows_price(self, name: str) -> bool:
        """Whether asking for the price takes no time."""
        definition = self.definition(name.partition("/")[0])
        return name in self._prices or definition.is_local or definition.family in ANSWERS_AT_ONCE

    async def price(self, name: str) -> PriceSnapshot:
        """What the model costs now; looked up at most once in a while, because that takes time.

        By what was known when it was last read.
        """
        now, prices = datetime.now(UTC), self._prices
        known = prices.get(name)
        if known is None or now - known.taken_at > PRICE_LASTS:
            known = prices[name] = await self._price(name, at=now)
        return known

    async def facts(self, name: str) -> ModelFacts:
        await self.read()
        provider_name = name.partition("/")[0]
        return (await self._facts(provider_name, (await self._info(name),), is_plain=False))[0]

    async def plain_facts(self, name: str) -> ModelFacts:
        """What would be known of a model if nobody had set anything by hand."""
        await self.read()
        provider_name = name.partition("/")[0]
        return (await self._facts(provider_name, (await self._info(name),), is_plain=True))[0]

    async def all_facts(self, provider_name: str) -> tuple[ModelFacts, ...]:
        """Of every model in the provider's list, in the list's order."""
        listed = await self.listed(provider_name)
        return await self._facts(provider_name, listed.models if listed else (), is_plain=False)

    # What a person knows better

    async def overrides(self, provider_name: str) -> tuple[ModelOverride, ...]:
        await self.read()
        return await self._overrides.of(self.definition(provider_name))

    async def set_override(self, provider_name: str, override: ModelOverride) -> None:
        """In the place of what was said of the same models before."""

        async def changes() -> list[Change]:
            return [await self._overrides.added(self.definition(provider_name), override)]

        await self._change(changes)

    async def remove_override(self, provider_name: str, models: str) -> None:
        async def changes() -> list[Change]:
            return [await self._overrides.removed(self.definition(provider_name), models)]

        await self._change(changes)

    # Inside

    def _usable(self, definition: ProviderDefinition) -> ProviderDefinition:
        """Made and dropped: whatever cannot be used in it is said now and not at the first send."""
        definition = structs.replace(definition, name=checked_name(definition.name))
        provider_from(definition, shared=self._shared)
        return definition

    def _put(self, definition: ProviderDefinition, *, position: int) -> Change:
        return self._vault.put(
            DEFINITIONS,
            definition,
            id=definition.id,
            parent_id=TOP,
            position=position,
            expected_version=None,
        )

    def _replacing(self, name: str, definition: ProviderDefinition) -> list[Change]:
        known = self.definition(name)
        if definition.name != name:
            raise InvalidInput(
                f"{name} keeps its name: chats refer to it. Add another provider instead."
            )
        changed = structs.replace(self._usable(definition), id=known.id)
        return [
            self._put(changed, position=self.definitions.index(known)),
            self._lists.forgotten(known),
        ]

    async def _change(self, changes: Callable[[], Awaitable[Sequence[Change]]]) -> None:
        """Decide by what is stored now, and anew if another process was faster."""
        while True:
            version = await self.read()
            decided = await changes()
            if not decided:
                return
            with suppress(VersionConflict):
                await self._vault.commit([*decided, self._changed(expected_version=version)])
                await self.read()
                return

    def _changed(self, *, expected_version: int | None) -> Change:
        """Goes with every change: by it other processes see that something is new."""
        return self._vault.put(
            DEFINITIONS_CHANGED,
            DefinitionsChanged(at=datetime.now(UTC)),
            id=DEFINITIONS_CHANGED_ID,
            parent_id=DEFINITIONS_CHANGED_ID,
            position=0,
            expected_version=expected_version,
        )

    async def _take(self, stored: dict[str, ProviderDefinition]) -> None:
        """Know these definitions, and nothing of what was known beside others."""
        before, self._definitions = self._definitions, stored
        self._prices = {}
        self._lists.forget()
        self._overrides.forget()
        for name, definition in before.items():
            if stored.get(name) != definition:
                await self._drop(name)

    async def _drop(self, name: str) -> None:
        self.learned.forget(name)
        provider = self._providers.pop(name, None)
        if provider is not None:
            await provider.close()

    async def _keep(
        self, definition: ProviderDefinition, models: tuple[ModelInfo, ...]
    ) -> ListedModels:
        return await self._lists.keep(definition, models, news=self._changed(expected_version=None))

    async def _asked(self, name: str, is_refreshed: bool) -> tuple[ModelInfo, ...] | str:
        definition = self._definitions[name]
        try:
            if not is_refreshed and definition.family not in ANSWERS_AT_ONCE:
                listed = await self._lists.of(definition)
                if listed is not None and listed.models:
                    return listed.models
            models = tuple(await self._provider(name).models())
            return (await self._keep(definition, models)).models
        except WindowpaneError as error:
            return str(error)

    async def _info(self, name: str) -> ModelInfo:
        """What the provider's list says of a model; its name alone if it is not in it."""
        provider_name, _, model = name.partition("/")
        listed = await self._known_list(provider_name)
        told = listed.models if listed else ()
        return next((info for info in told if info.name == model), ModelInfo(name=model))

    async def _price(self, name: str, *, at: datetime) -> PriceSnapshot:
        provider_name, _, model = name.partition("/")
        definition = self.definition(provider_name)
        told, override = (await self._info(name)).prices, await self._override(name)
        if definition.family in ANSWERS_AT_ONCE or definition.is_local:
            # Nothing to look up, so not worth a thread.
            return price_of(model, definition=definition, told=told, override=override, taken_at=at)
        return await asyncio.to_thread(
            price_of, model, definition=definition, told=told, override=override, taken_at=at
        )

    async def _learned(self, name: str) -> LimitValues:
        """What refusals taught, and what the headers of the last answer told on top of it."""
        provider_name, _, model = name.partition("/")
        learned = (await self.learned.of(name)).limits
        provider = self._providers.get(provider_name)
        return provider.learned_limits(model).over(learned) if provider else learned

    async def _known_list(self, provider_name: str) -> ListedModels | None:
        """Without asking a provider that answers at once over and over: a send waits for this."""
        definition = self.definition(provider_name)
        known = await self._lists.of(definition)
        if known is None and definition.family in ANSWERS_AT_ONCE:
            return await self.listed(provider_name)
        return known

    async def _facts(
        self, provider_name: str, infos: tuple[ModelInfo, ...], *, is_plain: bool
    ) -> tuple[ModelFacts, ...]:
        definition = self.definition(provider_name)
        overrides = () if is_plain else await self._overrides.of(definition)
        taken_at = datetime.now(UTC)
        learned = {info.name: await self._learned(f"{provider_name}/{info.name}") for info in infos}

        def look_up() -> tuple[ModelFacts, ...]:
            return tuple(
                facts_of(
                    info,
                    definition=definition,
                    overrides=overrides,
                    learned=learned[info.name],
                    taken_at=taken_at,
                )
                for info in infos
            )

        # Prices come from a package that takes its time to load, hundreds of them take theirs too.
        return await asyncio.to_thread(look_up)

    async def _override(self, name: str) -> ModelOverride | None:
        provider_name, _, model = name.partition("/")
        return override_for(model, await self._overrides.of(self.definition(provider_name)))

    def _provider(self, name: str) -> Provider:
        if name not in self._providers:
            definition = self._definitions[name]
            self._providers[name] = provider_from(definition, shared=self._shared)
        return self._providers[name]
