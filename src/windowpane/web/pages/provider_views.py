"""A provider as its pages show it: what it is, where it is, and in words how it stands.

Values and words only. Neither a key nor what a header holds is ever part of them.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from windowpane.catalog.facts import ADDRESSES
from windowpane.definitions import Family, ProviderDefinition
from windowpane.providers.choose import is_ready
from windowpane.providers.presets import PRESETS, Preset
from windowpane.storage.shelves import ListedModels
from windowpane.web.words import ago, counted

FAMILY_NAMES: dict[Family, str] = {
    "openai_chat": "OpenAI Chat Completions",
    "openai_responses": "OpenAI Responses",
    "anthropic": "Anthropic Messages",
    "bedrock": "Bedrock Converse",
    "google": "Google Gemini",
    "local": "Inside Windowpane",
    "scripted": "Script",
}
# What each family means by its address, where it is not simply one of the web's.
ADDRESS_HINTS: dict[Family, str] = {
    "openai_chat": "The part before /chat/completions, as https://models.example/v1.",
    "openai_responses": "The part before /responses, as https://models.example/v1.",
    "anthropic": "The part before /v1/messages, or bedrock: and a region.",
    "bedrock": "bedrock: and the region, as bedrock:eu-central-1, or an address.",
    "google": "The part before /models, or a Vertex endpoint.",
    "local": "The path of a GGUF file on the server's machine; empty is the demo model.",
    "scripted": "The path of a script.",
}


class ProviderEntry(Struct, frozen=True, kw_only=True):
    """``listed_at`` is None as long as the provider has told no list."""

    id: str
    name: str
    icon: str
    family: str
    address: str
    key: str
    models: str
    model_count: int
    listed_at: datetime | None
    is_ready: bool
    can_refresh: bool


class FamilyChoice(Struct, frozen=True, kw_only=True):
    family: Family
    name: str
    address: str
    hint: str


class ProviderDraft(Struct, frozen=True, kw_only=True):
    """What the form shows when it opens. ``id`` is empty for a provider that is not there yet.

    ``needs_address``: without one, the key would go to the family's own service.
    """

    id: str
    name: str
    family: Family
    icon: str
    base_url: str
    models_endpoint: str
    header_names: tuple[str, ...]
    is_local: bool
    has_key: bool
    needs_key: bool
    needs_address: bool
    key_hint: str
    key_page: str
    base_url_hint: str
    title: str


def entry_of(
    definition: ProviderDefinition, *, listed: ListedModels | None, now: datetime
) -> ProviderEntry:
    is_remote = definition.family not in ("local", "scripted")
    return ProviderEntry(
        id=definition.id,
        name=definition.name,
        icon=definition.icon or definition.name[0].upper(),
        family=FAMILY_NAMES[definition.family],
        address=_address(definition),
        key=_key(definition) if is_remote else "",
        models=_models(listed, now=now, is_remote=is_remote),
        model_count=len(listed.models) if listed else 0,
        listed_at=listed.fetched_at if listed else None,
        is_ready=is_ready(definition),
        can_refresh=is_remote,
    )


def family_choices(current: Family) -> list[FamilyChoice]:
    """Scripts are for demonstrations: whoever has one sees it, nobody is offered it."""
    return [
        FamilyChoice(
            family=family,
            name=name,
            address=ADDRESSES.get(family, ""),
            hint=ADDRESS_HINTS[family],
        )
        for family, name in FAMILY_NAMES.items()
        if family != "scripted" or family == current
    ]


def draft_from_preset(preset: Preset, *, taken: frozenset[str]) -> ProviderDraft:
    return ProviderDraft(
        id="",
        name=_free_name(preset.id, taken=taken) if preset.id != "custom" else "",
        family=preset.family,
        icon="",
        base_url=preset.base_url,
        models_endpoint="",
        header_names=(),
        is_local=preset.is_local,
        has_key=False,
        needs_key=preset.needs_key,
        needs_address=not preset.base_url,
        key_hint=preset.key_hint,
        key_page=preset.key_page,
        base_url_hint=_sentence(preset.base_url_hint),
        title="Add a provider" if preset.id == "custom" else f"Add {preset.name}",
    )


def draft_from_definition(definition: ProviderDefinition) -> ProviderDraft:
    preset = _preset_of(definition)
    return ProviderDraft(
        id=definition.id,
        name=definition.name,
        family=definition.family,
        icon=definition.icon,
        base_url=definition.base_url,
        models_endpoint=definition.models_endpoint,
        header_names=tuple(definition.headers),
        is_local=definition.is_local,
        has_key=bool(definition.api_key),
        needs_key=not is_ready(definition),
        needs_address=False,
        key_hint=preset.key_hint if preset else "",
        key_page=preset.key_page if preset else "",
        base_url_hint=_sentence(preset.base_url_hint) if preset else "",
        title=f"Edit {definition.name}",
    )


def _address(definition: ProviderDefinition) -> str:
    if definition.family == "local":
        return definition.base_url or "the demo model: no key, no network"
    address = definition.base_url or ADDRESSES.get(definition.family, "")
    return address.removeprefix("https://")


def _key(definition: ProviderDefinition) -> str:
    if definition.api_key:
        return "a key is stored"
    if definition.headers:
        return f"no key, {counted(len(definition.headers), 'extra header')}"
    if definition.family == "bedrock" or definition.base_url.startswith("bedrock:"):
        return "signs with the AWS environment" if is_ready(definition) else "no key yet"
    return "no key" if is_ready(definition) else "no key yet"


def _models(listed: ListedModels | None, *, now: datetime, is_remote: bool) -> str:
    if listed is None:
        return "Its models were not listed yet"
    count = counted(len(listed.models), "model")
    return f"{count}, listed {ago(listed.fetched_at, now=now)}" if is_remote else count


def _free_name(wished: str, *, taken: frozenset[str]) -> str:
    number = 2
    name = wished
    while name in taken:
        name = f"{wished}-{number}"
        number += 1
    return name


def _sentence(hint: str) -> str:
    """A hint as it stands below its box; an address alone is an example."""
    if not hint:
        return ""
    return f"As {hint}" if hint.startswith("http") else f"{hint[0].upper()}{hint[1:]}."


def _preset_of(definition: ProviderDefinition) -> Preset | None:
    """The service that it seems to be, for the hints at its fields."""
    for preset in PRESETS:
        is_there = definition.base_url in ("", preset.base_url)
        if preset.family == definition.family and is_there:
            return preset
    return None
