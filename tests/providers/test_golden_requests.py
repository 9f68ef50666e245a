"""The exact request of each family, for a plan with something of everything.

Written by ``python -m tests.providers.test_golden_requests`` when a change is meant, and read by
whoever means it.
"""

from pathlib import Path

import msgspec
import pytest

from tests.providers.test_wire import REMOTE, full_request
from tests.providers.wires import FOLDER
from windowpane.definitions import Family, ProviderDefinition
from windowpane.providers.choose import dialect_of

# Without a region of its own, Bedrock's would be that of the environment.
ROADS: dict[str, tuple[Family, str]] = {
    **{family: (family, "bedrock:us-east-1" if family == "bedrock" else "") for family in REMOTE},
    "anthropic_on_bedrock": ("anthropic", "bedrock:us-east-1"),
}


def path_of(road: str) -> Path:
    return FOLDER / "golden" / f"{road}.json"


def shown(road: str) -> bytes:
    family, base_url = ROADS[road]
    definition = ProviderDefinition(
        id="prv_1", name="test", family=family, base_url=base_url, api_key="sk-secret"
    )
    wire = dialect_of(definition).to_wire(full_request(family, is_streamed=True))
    told = {
        "method": wire.method,
        "url": wire.url,
        "headers": wire.headers,
        "body": msgspec.json.decode(wire.body),
    }
    return msgspec.json.format(msgspec.json.encode(told), indent=2) + b"\n"


@pytest.mark.parametrize("road", ROADS)
def test_the_request_is_what_it_was(road: str) -> None:
    assert shown(road) == path_of(road).read_bytes()


if __name__ == "__main__":
    for road in ROADS:
        path_of(road).write_bytes(shown(road))
