"""Services that people use, as definitions to begin with: a name, a family, an address.

A preset is a starting point and nothing more; what it makes can be changed in every field.
"""

from __future__ import annotations

from difflib import get_close_matches

from msgspec import Struct

from windowpane.definitions import Family, ProviderDefinition
from windowpane.errors import InvalidInput
from windowpane.ids import new_id


class Preset(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``base_url_hint`` says what to write where no address can be known beforehand."""

    id: str
    name: str
    family: Family
    base_url: str = ""
    needs_key: bool = True
    is_local: bool = False
    key_hint: str = ""
    key_page: str = ""
    base_url_hint: str = ""

    @property
    def icon(self) -> str:
        """The first letter, as the page shows it where no picture was chosen."""
        return self.name[0]


PRESETS: tuple[Preset, ...] = (
    Preset(
        id="openai",
        name="OpenAI",
        family="openai_responses",
        base_url="https://api.openai.com/v1",
        key_hint="begins with sk-",
        key_page="platform.openai.com/api-keys",
    ),
    Preset(
        id="openai-chat",
        name="OpenAI (Chat Completions)",
        family="openai_chat",
        base_url="https://api.openai.com/v1",
        key_hint="begins with sk-",
        key_page="platform.openai.com/api-keys",
    ),
    Preset(
        id="anthropic",
        name="Anthropic",
        family="anthropic",
        base_url="https://api.anthropic.com",
        key_hint="begins with sk-ant-",
        key_page="console.anthropic.com/settings/keys",
    ),
    Preset(
        id="google",
        name="Google Gemini",
        family="google",
        base_url="https://generativelanguage.googleapis.com/v1beta",
        key_hint="begins with AIza",
        key_page="aistudio.google.com/apikey",
    ),
    Preset(
        id="bedrock",
        name="Amazon Bedrock",
        family="bedrock",
        base_url="bedrock:us-east-1",
        needs_key=False,
        key_hint="a Bedrock API key; empty to sign with the AWS environment",
        key_page="console.aws.amazon.com/bedrock",
        base_url_hint="bedrock: and the region, as bedrock:eu-central-1",
    ),
    Preset(
        id="bedrock-claude",
        name="Claude on Bedrock",
        family="anthropic",
        base_url="bedrock:us-east-1",
        needs_key=False,
        key_hint="a Bedrock API key; empty to sign with the AWS environment",
        key_page="console.aws.amazon.com/bedrock",
        base_url_hint="bedrock: and the region, as bedrock:eu-central-1",
    ),
    Preset(
        id="azure",
        name="Azure OpenAI",
        family="openai_responses",
        base_url_hint="https://YOUR-RESOURCE.openai.azure.com/openai/v1",
        key_page="portal.azure.com",
    ),
    Preset(
        id="openrouter",
        name="OpenRouter",
        family="openai_chat",
        base_url="https://openrouter.ai/api/v1",
        key_hint="begins with sk-or-",
        key_page="openrouter.ai/keys",
    ),
    Preset(
        id="groq",
        name="Groq",
        family="openai_chat",
        base_url="https://api.groq.com/openai/v1",
        key_hint="begins with gsk_",
        key_page="console.groq.com/keys",
    ),
    Preset(
        id="xai",
        name="xAI",
        family="openai_chat",
        base_url="https://api.x.ai/v1",
        key_hint="begins with xai-",
        key_page="console.x.ai",
    ),
    Preset(
        id="deepseek",
        name="DeepSeek",
        family="openai_chat",
        base_url="https://api.deepseek.com/v1",
        key_hint="begins with sk-",
        key_page="platform.deepseek.com/api_keys",
    ),
    Preset(
        id="mistral",
        name="Mistral",
        family="openai_chat",
        base_url="https://api.mistral.ai/v1",
        key_page="console.mistral.ai/api-keys",
    ),
    Preset(
        id="ollama",
        name="Ollama",
        family="openai_chat",
        base_url="http://127.0.0.1:11434/v1",
        needs_key=False,
        is_local=True,
    ),
    Preset(
        id="lmstudio",
        name="LM Studio",
        family="openai_chat",
        base_url="http://127.0.0.1:1234/v1",
        needs_key=False,
        is_local=True,
    ),
    Preset(
        id="llamacpp",
        name="llama.cpp",
        family="openai_chat",
        base_url="http://127.0.0.1:8080/v1",
        needs_key=False,
        is_local=True,
    ),
    Preset(
        id="vllm",
        name="vLLM",
        family="openai_chat",
        base_url="http://127.0.0.1:8000/v1",
        needs_key=False,
        is_local=True,
    ),
    Preset(
        id="custom",
        name="Custom",
        family="openai_chat",
        needs_key=False,
        base_url_hint="the address of any compatible server, as https://models.example/v1",
    ),
)


def preset_called(id: str) -> Preset:
    for preset in PRESETS:
        if preset.id == id:
            return preset
    known = [preset.id for preset in PRESETS]
    near = get_close_matches(id, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}."
    raise InvalidInput(f"There is no preset called {id}. {hint}")


def definition_from(
    preset: Preset, *, name: str, base_url: str, api_key: str
) -> ProviderDefinition:
    """Raises ``InvalidInput`` naming the field that the preset leaves to you."""
    if preset.needs_key and not api_key:
        hint = f" ({preset.key_hint})" if preset.key_hint else ""
        raise InvalidInput(f"The API key is missing: {preset.name} wants one{hint}.")
    if not (base_url or preset.base_url):
        raise InvalidInput(f"The base URL is missing: {preset.base_url_hint}.")
    return ProviderDefinition(
        id=new_id("provider"),
        name=name or preset.id,
        family=preset.family,
        base_url=base_url or preset.base_url,
        api_key=api_key,
        is_local=preset.is_local,
    )
