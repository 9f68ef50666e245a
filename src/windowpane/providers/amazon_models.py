"""What Bedrock offers: models of this region, profiles across regions, and one's own models.

Asked in two phases: the region itself, then the other regions that its profiles lead to, because
only there it says whether a model writes text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TypeVar
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from windowpane.definitions import Ability, ModelInfo
from windowpane.errors import ProviderFailed
from windowpane.providers.amazon import amazon_control_url_in, amazon_region
from windowpane.providers.base import Fetch, WireRequest
from windowpane.providers.classify import no_list
from windowpane.providers.decoding import NOT_JSON

PAGE_ENTRIES = 1000
MOST_PAGES = 20


class _Page(Struct, frozen=True):
    nextToken: str | None = None


class _Foundation(Struct, frozen=True):
    modelId: str
    providerName: str = ""
    inputModalities: list[str] = []
    outputModalities: list[str] = []
    inferenceTypesSupported: list[str] = []

    @property
    def writes_text(self) -> bool:
        return "TEXT" in self.outputModalities


class _Foundations(_Page, frozen=True):
    modelSummaries: list[_Foundation] = []


class _ProfileModel(Struct, frozen=True):
    modelArn: str = ""


class _Profile(Struct, frozen=True):
    inferenceProfileId: str
    models: list[_ProfileModel] = []


class _Profiles(_Page, frozen=True):
    inferenceProfileSummaries: list[_Profile] = []


class _Own(Struct, frozen=True):
    modelArn: str
    modelName: str = ""


class _OwnModels(_Page, frozen=True):
    modelSummaries: list[_Own] = []


P = TypeVar("P", bound=_Page)


async def discovered(fetch: Fetch, *, base_url: str, only_provider: str | None) -> list[ModelInfo]:
    """``only_provider`` names a maker whose models are wanted; one's own models have none."""
    control = _Control(fetch, base_url=base_url)
    home = amazon_region(base_url)
    foundations, profiles, own = await asyncio.gather(
        control.foundations(home, is_needed=True),
        control.profiles(home),
        control.own_models(home) if only_provider is None else _nothing(),
    )
    elsewhere = await asyncio.gather(
        *(
            control.foundations(region, is_needed=False)
            for region in sorted(_regions(profiles) - {home})
        )
    )
    # The word of the region itself counts most.
    known = {one.modelId: one for listed in (*reversed(elsewhere), foundations) for one in listed}
    wanted = {
        id: model
        for id, model in known.items()
        if model.writes_text and only_provider in (None, model.providerName)
    }
    on_demand = [
        _info(model.modelId, model)
        for model in foundations
        if model.modelId in wanted and "ON_DEMAND" in model.inferenceTypesSupported
    ]
    return [*on_demand, *_profiled(profiles, wanted), *own]


async def _nothing() -> list[ModelInfo]:
    return []


class _Control:
    def __init__(self, fetch: Fetch, *, base_url: str) -> None:
        self._fetch = fetch
        self._base_url = base_url

    async def foundations(self, region: str, *, is_needed: bool) -> list[_Foundation]:
        pages = await self._pages(
            region, "foundation-models", {}, _Foundations, is_needed=is_needed
        )
        return [one for page in pages for one in page.modelSummaries]

    async def profiles(self, region: str) -> list[_Profile]:
        asked = {"maxResults": str(PAGE_ENTRIES)}
        pages = await self._pages(region, "inference-profiles", asked, _Profiles, is_needed=False)
        return [one for page in pages for one in page.inferenceProfileSummaries]

    async def own_models(self, region: str) -> list[ModelInfo]:
        imported, custom = await asyncio.gather(
            self._pages(region, "imported-models", {}, _OwnModels, is_needed=False),
            self._pages(region, "custom-models", {}, _OwnModels, is_needed=False),
        )
        return [*_own(imported, label="imported"), *_own(custom, label="custom")]

    async def _pages(
        self, region: str, path: str, asked: dict[str, str], kind: type[P], *, is_needed: bool
    ) -> list[P]:
        """What the key may not see, or the region does not have, is left out unless needed."""
        pages: list[P] = []
        token: dict[str, str] = {}
        for _ in range(MOST_PAGES):
            try:
                page = await self._page(region, path, {**asked, **token}, kind)
            except ProviderFailed:
                if is_needed:
                    raise
                break
            pages.append(page)
            if not page.nextToken:
                break
            token = {"nextToken": page.nextToken}
        return pages

    async def _page(self, region: str, path: str, asked: dict[str, str], kind: type[P]) -> P:
        url = f"{amazon_control_url_in(region, base_url=self._base_url)}/{path}"
        url = f"{url}?{urlencode(asked)}" if asked else url
        body = await self._fetch(WireRequest(method="GET", url=url, headers={}, body=b""))
        try:
            return msgspec.json.decode(body, type=kind)
        except NOT_JSON as error:
            raise no_list(url) from error


def _regions(profiles: Iterable[_Profile]) -> set[str]:
    """``arn:aws:bedrock:REGION::foundation-model/…``; profiles of the whole world name none."""
    arns = (model.modelArn for one in profiles for model in one.models)
    return {parts[3] for arn in arns if len(parts := arn.split(":")) > 3 and parts[3]}


def _profiled(profiles: Iterable[_Profile], wanted: dict[str, _Foundation]) -> list[ModelInfo]:
    infos: list[ModelInfo] = []
    for profile in profiles:
        ids = (model.modelArn.rpartition("/")[2] for model in profile.models)
        model = next((wanted[id] for id in ids if id in wanted), None)
        if model is not None:
            infos.append(_info(profile.inferenceProfileId, model))
    return infos


def _own(pages: Iterable[_OwnModels], *, label: str) -> list[ModelInfo]:
    return [
        ModelInfo(name=one.modelArn, label=label) for page in pages for one in page.modelSummaries
    ]


def _info(name: str, model: _Foundation) -> ModelInfo:
    return ModelInfo(name=name, abilities=tuple(_abilities(model.inputModalities)))


def _abilities(modalities: Iterable[str]) -> list[Ability]:
    return ["images"] if "IMAGE" in modalities else []
