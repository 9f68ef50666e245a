"""From the options of ``windowpane providers add`` to a definition with its key."""

from __future__ import annotations

import sys

from msgspec import structs

from windowpane.cli.providers import AddOptions
from windowpane.cli.terminal import ask_secret, can_ask
from windowpane.definitions import ProviderDefinition
from windowpane.errors import InvalidInput
from windowpane.ids import new_id
from windowpane.providers.presets import Preset, definition_from, preset_called

STDIN, NO_KEY = "-", "none"


def definition_for(options: AddOptions) -> ProviderDefinition:
    """Raises ``InvalidInput`` for what is missing; asks for the key as late as it can."""
    preset = _preset(options)
    headers = dict(_header(given) for given in options.header)
    if preset is None and not options.name:
        raise InvalidInput("Say with --name what to call it; its models are then NAME/model.")
    is_local = (
        options.local or options.family == "local" or (preset is not None and preset.is_local)
    )
    api_key = _key(options.key, preset=preset, is_local=is_local)
    definition = _begun(options, preset=preset, api_key=api_key)
    return structs.replace(
        definition,
        family=options.family or definition.family,
        is_local=is_local,
        icon=options.icon or "",
        models_endpoint=options.models_endpoint or "",
        headers=headers,
    )


def _preset(options: AddOptions) -> Preset | None:
    if options.service and options.preset and options.service != options.preset:
        raise InvalidInput(f"{options.service} and {options.preset} are two presets. Name one.")
    id = options.preset or options.service
    return preset_called(id) if id else None


def _begun(options: AddOptions, *, preset: Preset | None, api_key: str) -> ProviderDefinition:
    name, base_url = options.name or "", options.base_url or ""
    if preset is not None:
        return definition_from(preset, name=name, base_url=base_url, api_key=api_key)
    return ProviderDefinition(
        id=new_id("provider"),
        name=name,
        family=options.family or "openai_chat",
        base_url=base_url,
        api_key=api_key,
    )


def _header(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals or not name.strip():
        # Not repeated: what was meant to be its value may be a secret.
        raise InvalidInput("A --header is written NAME=VALUE, such as x-team=ledger.")
    return name.strip(), value.strip()


def _key(given: str | None, *, preset: Preset | None, is_local: bool) -> str:
    if given == NO_KEY or (given is None and is_local):
        return ""
    if given not in (None, STDIN):
        return given.strip()
    if given == STDIN or not can_ask():
        return sys.stdin.readline().strip()
    return ask_secret(_prompt(preset)).strip()


def _prompt(preset: Preset | None) -> str:
    if preset is None:
        return "API key (empty if it needs none): "
    hints = [preset.key_hint, f"from {preset.key_page}" if preset.key_page else ""]
    told = ", ".join(hint for hint in hints if hint)
    return f"API key of {preset.name} ({told}): " if told else f"API key of {preset.name}: "
