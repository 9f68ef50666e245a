"""Model servers that run on this machine, found on their usual loopback ports.

Looked for only when somebody asks, never beyond this machine, and never for long.
"""

from __future__ import annotations

import asyncio

from aiohttp import ClientError, ClientSession, ClientTimeout
from msgspec import Struct

from windowpane.definitions import ModelInfo
from windowpane.errors import ProviderFailed
from windowpane.providers.openai_models import listed_models
from windowpane.providers.presets import PRESETS, Preset

LOOK_SECONDS = 1.5


class Found(Struct, frozen=True, kw_only=True):
    preset: Preset
    base_url: str
    models: tuple[ModelInfo, ...]


async def found_nearby(session: ClientSession, presets: tuple[Preset, ...]) -> tuple[Found, ...]:
    looks = await asyncio.gather(*(_look(session, preset) for preset in presets))
    return tuple(found for found in looks if found is not None)


def local_presets() -> tuple[Preset, ...]:
    return tuple(preset for preset in PRESETS if preset.is_local)


async def _look(session: ClientSession, preset: Preset) -> Found | None:
    url = f"{preset.base_url}/models"
    timeout = ClientTimeout(total=LOOK_SECONDS)
    try:
        async with session.get(url, timeout=timeout, allow_redirects=False) as response:
            if response.status != 200:
                return None
            models = listed_models(await response.read(), url=url)
    except (ClientError, OSError, TimeoutError, ProviderFailed):
        # Whatever listens there is not a server of models.
        return None
    return Found(preset=preset, base_url=preset.base_url, models=tuple(models))
