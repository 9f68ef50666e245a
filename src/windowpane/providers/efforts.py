"""How much thought models behind OpenAI's interfaces can be asked for, told from their names.

No list of models says it, so it is kept here. Names may stand within others: ``openai/gpt-5``,
``openai.gpt-oss-120b-1:0`` or an Azure deployment that is called ``prod-o3-mini``.
"""

from __future__ import annotations

import re

from windowpane.options import Effort

LOW_TO_HIGH: tuple[Effort, ...] = ("low", "medium", "high")
LOW_TO_XHIGH: tuple[Effort, ...] = ("low", "medium", "high", "xhigh")

_O_SERIES = re.compile(r"(?<![a-z0-9])(?:o[134]|codex-mini)(?![a-z0-9])(?P<variant>.*)")
_GPT = re.compile(r"(?<![a-z0-9])gpt-(?P<major>[5-9])(?:\.(?P<minor>\d+))?(?!\d)(?P<variant>.*)")
_OTHERS: tuple[tuple[re.Pattern[str], tuple[Effort, ...]], ...] = (
    (re.compile(r"gpt-oss"), LOW_TO_HIGH),
    (re.compile(r"grok-3-mini"), ("low", "high")),
    # grok-4 up to 4.2 thinks as it likes and refuses to be told how much.
    (re.compile(r"grok-4\.3"), ("none", "low", "medium", "high")),
    (re.compile(r"grok-4\.[4-9]"), LOW_TO_HIGH),
    (re.compile(r"deepseek-v[4-9]"), LOW_TO_XHIGH),
)


def supported_efforts(model: str) -> tuple[Effort, ...]:
    """From the least to the most; empty for a model that takes none, as far as its name tells."""
    name = model.lower()
    if gpt := _GPT.search(name):
        version = (int(gpt["major"]), int(gpt["minor"] or 0))
        return _gpt_efforts(version, variant=gpt["variant"])
    if series := _O_SERIES.search(name):
        return _o_efforts(series["variant"])
    return next((efforts for pattern, efforts in _OTHERS if pattern.search(name)), ())


def is_sealed(model: str) -> bool:
    """Whether the model thinks out of sight: OpenAI's own, which refuse a temperature as well."""
    name = model.lower()
    return bool(supported_efforts(name)) and bool(_GPT.search(name) or _O_SERIES.search(name))


def takes_temperature(model: str, *, effort: Effort | None) -> bool:
    """OpenAI's thinking models take one only when they are told not to think."""
    return not is_sealed(model) or effort == "none"


def _gpt_efforts(version: tuple[int, int], *, variant: str) -> tuple[Effort, ...]:
    if "-chat" in variant:
        # The first was no thinking model; the later ones decide for themselves.
        return () if version == (5, 0) else ("medium",)
    if "-pro" in variant:
        return ("high",) if version < (5, 2) else ("medium", "high", "xhigh")
    if "-codex" in variant:
        is_newer = version >= (5, 2) or "-codex-max" in variant
        return LOW_TO_XHIGH if is_newer else LOW_TO_HIGH
    if version >= (5, 2):
        return ("none", *LOW_TO_XHIGH)
    # 5.1 took "none" in the place of "minimal".
    return ("none" if version == (5, 1) else "minimal", *LOW_TO_HIGH)


def _o_efforts(variant: str) -> tuple[Effort, ...]:
    return ("medium",) if "deep-research" in variant else LOW_TO_HIGH
