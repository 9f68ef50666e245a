"""What Bedrock offers: models of this region, profiles across regions, and one's own models.

Asked in two phases: the region itself, then the other regions that its profiles lead to, because
only there it says whether a model writes text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec import Struct

from windowpane.definitions import Ability, ModelInfo
from windowpane.errors import Failure, ProviderFailed
from windowpane.providers.amazon import amazon_control_url_in, amazon_region
from windowpane.providers.base import Fetch, WireRequest

PAGE_PROFILES = 1000
T = TypeVar("T")


class _Foundation(Struct, frozen=True):
    modelId: str
    providerName: str = ""
    inputModalities: list[str] = []
    outputModalities: list[str] = []
    inferenceTypesSupported: list[str] = []

    @property
    def writes_text(self) -> bool:
        return "TEXT" in self.outputModalities


class _Foundations(Struct, frozen=True):
    modelSummaries: list[_Foundation] = []


class _ProfileModel(Struct, frozen=True):
    modelArn: str = ""


class _Profile(Struct, frozen=True):
    inferenceProfileId: str
    models: list[_ProfileModel] = []


class _Profiles(Struct, frozen=True):
    inferenceProfileSummaries: list[_Profile] = []


class _Own(Struct, frozen=True):
    modelArn: str
    modelName: str = ""


class _OwnModels(Struct, frozen=True):
    modelSummaries: list[_Own] = []


async def discovered(fetch: Fetch, *, base_url: str, only_provider: str | None) -> list[ModelInfo]:
    """``only_provider`` names a maker whose models are wanted; one's own models have none."""
    control = _Control(fetch, base_url=base_url)
    home = amazon_region(base_url)
    foundations, profiles, imported, custom = await asyncio.gather(
        control.foundations(home),
        control.optional(home, f"inference-profiles?maxResults={PAGE_PROFILES}", _Profiles()),
        control.optional(home, "imported-models", _OwnModels()),
        control.optional(home, "custom-models", _OwnModels()),
    )
    known = {model.modelId: model for model in foundations}
    for region in sorted(_regions(profiles) - {home}):
        elsewhere = await control.optional(region, "foundation-models", _Foundations())
        known = {model.modelId: model for model in elsewhere.modelSummaries} | known
    wanted = {
        id: model
        for id, model in known.items()
        if model.writes_text and only_provider in (None, model.providerName)
    }
    infos = [
        _info(model.modelId, model)
        for model in foundations
        if model.modelId in wanted and "ON_DEMAND" in model.inferenceTypesSupported
    ]
    infos += _profiled(profiles, wanted)
    if only_provider is None:
        infos += _own(imported, label="imported") + _own(custom, label="custom")
    return infos


class _Control:
    def __init__(self, fetch: Fetch, *, base_url: str) -> None:
        self._fetch = fetch
        self._base_url = base_url

    async def foundations(self, region: str) -> list[_Foundation]:
        found = await self._asked(region, "foundation-models", _Foundations)
        return found.modelSummaries

    async def optional(self, region: str, path: str, nothing: T) -> T:
        """What the key may not see, or the region does not have, is left out."""
        try:
            return await self._asked(region, path, type(nothing))
        except ProviderFailed:
            return nothing

    async def _asked(self, region: str, path: str, kind: type[T]) -> T:
        url = f"{amazon_control_url_in(region, base_url=self._base_url)}/{path}"
        body = await self._fetch(WireRequest(method="GET", url=url, headers={}, body=b""))
        try:
            return msgspec.json.decode(body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            message = f"{url} does not answer with a list of models. Check the base URL."
            raise ProviderFailed(Failure(kind="invalid", message=message)) from error


def _regions(profiles: _Profiles) -> set[str]:
    """``arn:aws:bedrock:REGION::foundation-model/…``; profiles of the whole world name none."""
    arns = (model.modelArn for one in profiles.inferenceProfileSummaries for model in one.models)
    return {parts[3] for arn in arns if len(parts := arn.split(":")) > 3 and parts[3]}


def _profiled(profiles: _Profiles, wanted: dict[str, _Foundation]) -> list[ModelInfo]:
    infos: list[ModelInfo] = []
    for profile in profiles.inferenceProfileSummaries:
        ids = (model.modelArn.rpartition("/")[2] for model in profile.models)
        model = next((wanted[id] for id in ids if id in wanted), None)
        if model is not None:
            infos.append(_info(profile.inferenceProfileId, model))
    return infos


def _own(models: _OwnModels, *, label: str) -> list[ModelInfo]:
    return [ModelInfo(name=one.modelArn, label=label) for one in models.modelSummaries]


def _info(name: str, model: _Foundation) -> ModelInfo:
    return ModelInfo(name=name, abilities=tuple(_abilities(model.inputModalities)))


def _abilities(modalities: Iterable[str]) -> list[Ability]:
    return ["images"] if "IMAGE" in modalities else []
