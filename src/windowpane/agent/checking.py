"""Is this definition right? Asked before it is kept, and answered with the field to mend."""

from __future__ import annotations

import asyncio
from typing import Literal

from msgspec import Struct

from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import Failure, InvalidInput, PartMissing, ProviderFailed
from windowpane.providers.choose import Shared, provider_from

CHECK_SECONDS = 20.0
Field = Literal["api_key", "base_url", "models_endpoint"]
SLOW = Failure(
    kind="net",
    message=f"The provider did not list its models within {CHECK_SECONDS:g} seconds.",
)
ADVICE: dict[Field, str] = {
    "api_key": "Check the API key.",
    "base_url": "Check the base URL.",
    "models_endpoint": "Check the address of the list of models.",
}


class Checked(Struct, frozen=True, kw_only=True):
    """``field`` is what to look at if the check failed; ``advice`` says so in a sentence."""

    models: tuple[ModelInfo, ...] = ()
    failure: Failure | None = None
    field: Field | None = None
    advice: str = ""


async def check(definition: ProviderDefinition, *, shared: Shared) -> Checked:
    """Ask for the list of models: it costs nothing, and needs the address and the key."""
    try:
        provider = provider_from(definition, shared=shared)
        async with asyncio.timeout(CHECK_SECONDS):
            models = tuple(await provider.models())
    except ProviderFailed as failed:
        return _failed(failed.failure, definition)
    except TimeoutError:
        return _failed(SLOW, definition)
    except (InvalidInput, PartMissing) as error:
        return _failed(Failure(kind="invalid", message=str(error)), definition)
    return Checked(models=models)


def _failed(failure: Failure, definition: ProviderDefinition) -> Checked:
    field = field_to_mend(failure, definition)
    return Checked(failure=failure, field=field, advice=ADVICE[field] if field else "")


def field_to_mend(failure: Failure, definition: ProviderDefinition) -> Field | None:
    if failure.kind == "auth":
        return "api_key"
    if failure.kind in ("net", "invalid", "model"):
        return "models_endpoint" if definition.models_endpoint else "base_url"
    return None
