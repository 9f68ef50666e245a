import msgspec
import pytest

from tests.providers.asking import asked
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import ProviderFailed
from windowpane.providers.base import Dialect, WireRequest
from windowpane.providers.choose import dialect_of


def dialect(base_url: str = "", **headers: str) -> Dialect:
    return dialect_of(
        ProviderDefinition(
            id="prv_1",
            name="claude",
            family="anthropic",
            base_url=base_url,
            api_key="sk-ant-1",
            headers=headers,
        )
    )


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("", "https://api.anthropic.com/v1/messages"),
        ("https://gateway.example", "https://gateway.example/v1/messages"),
        ("https://gateway.example/v1/", "https://gateway.example/v1/messages"),
    ],
)
def test_the_address_may_be_written_with_its_version_or_without(base_url: str, url: str) -> None:
    wire = dialect(base_url).to_wire(asked("Hi", model="claude-sonnet-4-5"))
    assert wire.url == url
    assert wire.headers["anthropic-version"] == "2023-06-01"
    assert msgspec.json.decode(wire.body)["model"] == "claude-sonnet-4-5"


def test_the_key_has_a_header_of_its_own_which_is_not_shown() -> None:
    one = dialect(team="blue")
    wire = one.to_wire(asked("Hi", model="m"))
    assert one.authorise(wire) == {"x-api-key": "sk-ant-1", "team": "blue"}
    assert "sk-ant-1" not in repr(wire)


async def test_models_are_listed_to_the_last_page() -> None:
    able = {"image_input": {"supported": True}, "thinking": {"supported": True}}
    pages: dict[str, object] = {
        "limit=1000": {
            "data": [
                {"id": "a", "max_input_tokens": 9, "max_tokens": 3, "capabilities": able},
            ],
            "has_more": True,
            "last_id": "a",
        },
        "limit=1000&after_id=a": {"data": [{"id": "b", "capabilities": {}}], "has_more": False},
    }

    async def fetch(wire: WireRequest) -> bytes:
        address, _, query = wire.url.partition("?")
        assert (wire.method, address) == ("GET", "https://api.anthropic.com/v1/models")
        assert wire.headers == {"anthropic-version": "2023-06-01"}
        return msgspec.json.encode(pages[query])

    assert await dialect().models(fetch) == [
        ModelInfo(
            name="a",
            context_window_tokens=9,
            output_tokens=3,
            abilities=("tools", "images", "reasoning"),
        ),
        ModelInfo(name="b", abilities=("tools",)),
    ]


async def test_a_list_of_models_that_is_none_points_to_the_base_url() -> None:
    async def fetch(wire: WireRequest) -> bytes:
        return b"<html>"

    with pytest.raises(ProviderFailed, match="Check the base URL"):
        await dialect().models(fetch)
