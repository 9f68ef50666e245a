"""Provider definitions and what a provider tells of its models.

A definition says where a provider is and how to reach it; it is stored sealed, key included.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Family = Literal["openai_chat", "local", "scripted"]


class ProviderDefinition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``name`` is the first half of a model's full name: ``name/model``."""

    id: str
    name: str
    family: Family
    base_url: str = ""
    api_key: str = ""
    is_local: bool = False


class ModelInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``label`` is a remark shown beside the name wherever the model is shown."""

    name: str
    context_window_tokens: int | None = None
    label: str = ""
