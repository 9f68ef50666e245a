"""Is this definition right? Asked before it is kept, and answered with the field to mend."""

from __future__ import annotations

import asyncio
from typing import Literal

from msgspec import Struct, structs

from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import Failure, FailureKind, InvalidInput, PartMissing, ProviderFailed
from windowpane.providers.choose import Shared, provider_from

CHECK_SECONDS = 20.0
Field = Literal["name", "api_key", "base_url", "models_endpoint", "headers"]
SLOW = Failure(
    kind="net",
    message=f"The provider did not list its models within {CHECK_SECONDS:g} seconds.",
)
ADVICE: dict[Field, str] = {
    "name": "Choose another name.",
    "api_key": "Check the API key.",
    "base_url": "Check the base URL.",
    "models_endpoint": "Check the address of the list of models.",
    "headers": "Check the extra headers.",
}
# What says nothing against the definition: the server is away, busy or has had enough for now.
PASSING: frozenset[FailureKind] = frozenset({"net", "overloaded", "server", "quota"})
# A server that answers, but lists no models anywhere, can be used all the same.
NO_LIST_STATUSES = (404, 405)


class Checked(Struct, frozen=True, kw_only=True):
    """``field`` is what to look at if the check failed; ``advice`` says so in a sentence.

    ``can_be_kept``: what failed may mend itself, so that it makes sense to store the definition.
    """

    models: tuple[ModelInfo, ...] = ()
    failure: Failure | None = None
    field: Field | None = None
    advice: str = ""
    can_be_kept: bool = True


async def check(definition: ProviderDefinition, *, shared: Shared) -> Checked:
    """Ask for the list of models: it costs nothing, and needs the address and the key."""
    try:
        provider = provider_from(definition, shared=shared)
    except (InvalidInput, PartMissing) as error:
        return unusable(str(error), field=_unusable_field(definition, shared=shared))
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            models = tuple(await provider.models())
    except ProviderFailed as failed:
        return _failed(failed.failure, definition)
    except TimeoutError:
        return _failed(SLOW, definition)
    except (InvalidInput, PartMissing) as error:
        return unusable(str(error), field="base_url")
    return Checked(models=models)


def unusable(message: str, *, field: Field) -> Checked:
    """What cannot be stored as it is, whatever a provider would say to it."""
    return Checked(
        failure=Failure(kind="invalid", message=message),
        field=field,
        advice=ADVICE[field],
        can_be_kept=False,
    )


def _failed(failure: Failure, definition: ProviderDefinition) -> Checked:
    field = field_to_mend(failure, definition)
    return Checked(
        failure=failure,
        field=field,
        advice=ADVICE[field] if field else "",
        can_be_kept=failure.kind in PASSING or failure.http_status in NO_LIST_STATUSES,
    )


def field_to_mend(failure: Failure, definition: ProviderDefinition) -> Field | None:
    if failure.kind == "auth":
        return "api_key"
    if failure.kind in ("net", "invalid", "model"):
        return "models_endpoint" if definition.models_endpoint else "base_url"
    return None


def _unusable_field(definition: ProviderDefinition, *, shared: Shared) -> Field:
    """The one without which the rest could be used."""
    without: dict[Field, ProviderDefinition] = {
        "api_key": structs.replace(definition, api_key=""),
        "models_endpoint": structs.replace(definition, models_endpoint=""),
        "headers": structs.replace(definition, headers={}),
    }
    for field, rest in without.items():
        if _is_usable(rest, shared):
            return field
    return "base_url"


def _is_usable(definition: ProviderDefinition, shared: Shared) -> bool:
    try:
        provider_from(definition, shared=shared)
    except (InvalidInput, PartMissing):
        return False
    return True
