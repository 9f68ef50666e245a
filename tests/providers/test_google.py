import msgspec
import pytest

from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import ProviderFailed
from windowpane.providers.base import WireRequest
from windowpane.providers.choose import dialect_of

GEMINI = dialect_of(
    ProviderDefinition(id="prv_1", name="gemini", family="google", api_key="AIza-1")
)


async def test_models_that_answer_are_listed_to_the_last_page() -> None:
    writing = ["generateContent", "countTokens"]
    pages: dict[str, object] = {
        "pageSize=1000": {
            "models": [
                {
                    "name": "models/gemini-3-pro",
                    "inputTokenLimit": 9,
                    "outputTokenLimit": 3,
                    "supportedGenerationMethods": writing,
                    "thinking": True,
                },
                {"name": "models/embedding", "supportedGenerationMethods": ["embedContent"]},
            ],
            "nextPageToken": "a b",
        },
        "pageSize=1000&pageToken=a+b": {"models": [{"name": "models/gemma-4"}]},
    }

    async def fetch(wire: WireRequest) -> bytes:
        address, _, query = wire.url.partition("?")
        assert address == "https://generativelanguage.googleapis.com/v1beta/models"
        return msgspec.json.encode(pages[query])

    assert await GEMINI.models(fetch) == [
        ModelInfo(name="gemini-3-pro", input_tokens=9, output_tokens=3, abilities=("reasoning",)),
        ModelInfo(name="gemma-4"),
    ]


async def test_a_list_of_models_that_is_none_points_to_the_base_url() -> None:
    async def fetch(wire: WireRequest) -> bytes:
        return b"<html>"

    with pytest.raises(ProviderFailed, match="Check the base URL"):
        await GEMINI.models(fetch)
