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
ADDRESSES: dict[Family, str] = {"bedrock": "bedrock:us-east-1"}


def path_of(family: Family) -> Path:
    return FOLDER / "golden" / f"{family}.json"


def shown(family: Family) -> bytes:
    definition = ProviderDefinition(
        id="prv_1",
        name="test",
        family=family,
        base_url=ADDRESSES.get(family, ""),
        api_key="sk-secret",
    )
    wire = dialect_of(definition).to_wire(full_request(family, is_streamed=True))
    told = {
        "method": wire.method,
        "url": wire.url,
        "headers": wire.headers,
        "body": msgspec.json.decode(wire.body),
    }
    return msgspec.json.format(msgspec.json.encode(told), indent=2) + b"\n"


@pytest.mark.parametrize("family", REMOTE)
def test_the_request_is_what_it_was(family: Family) -> None:
    assert shown(family) == path_of(family).read_bytes()


if __name__ == "__main__":
    for family in REMOTE:
        path_of(family).write_bytes(shown(family))
