"""Recorded traffic played by a server of its own: every answer through the real HTTP path.

The server lies beside the recordings; where there are none, there is nothing to play.
"""

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence

import pytest
from msgspec.structs import replace

from tests.providers.asking import answered, asked
from tests.providers.recordings import FAMILIES, Recording, folder, recordings
from tests.providers.test_recordings import assert_as_expected
from windowpane.context.request import ModelRequest
from windowpane.definitions import Family, ProviderDefinition
from windowpane.options import RequestOptions
from windowpane.providers.choose import Shared, provider_from
from windowpane.settings import Settings

FOLDER = folder()
TOOL = FOLDER.parent.parent / "tools" / "replay_server.py" if FOLDER else None
AT_ONCE = 8
pytestmark = pytest.mark.skipif(
    TOOL is None or not TOOL.is_file(),
    reason="WINDOWPANE_RECORDINGS names no recordings with a server beside them",
)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    command = [sys.executable, str(TOOL), str(FOLDER), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found, "the server says where it listens"
            yield found[0]
        finally:
            process.kill()


@pytest.mark.parametrize("chunk", ["whole", "61"])
@pytest.mark.parametrize("family", FAMILIES.values())
async def test_recorded_answers_are_understood_over_http(
    family: Family, chunk: str, server: str
) -> None:
    recorded = [one for one in recordings() if one.family == family]
    assert recorded
    assert await _misunderstood(recorded, f"{server}/case/{{}}~chunk={chunk}") == {}


async def _misunderstood(recorded: Sequence[Recording], address: str) -> dict[str, str]:
    """What went wrong, by recording: one must not hide another."""
    shared = Shared(Settings(data="nowhere", delta_join_seconds=0))
    places = asyncio.Semaphore(AT_ONCE)
    wrong: dict[str, str] = {}

    async def play(recording: Recording) -> None:
        definition = ProviderDefinition(
            id="prv_1",
            name="replayed",
            family=recording.family,
            base_url=address.format(recording.id),
            api_key="sk-very-secret",
        )
        async with places:
            answer = await answered(provider_from(definition, shared=shared), _asked(recording))
        try:
            assert_as_expected(answer, recording)
        except AssertionError as error:
            wrong[recording.id] = str(error)

    try:
        await asyncio.gather(*(play(recording) for recording in recorded))
    finally:
        await shared.close()
    return wrong


def _asked(recording: Recording) -> ModelRequest:
    options = RequestOptions(is_streamed=recording.is_streamed)
    return replace(asked("Hello?", model="recorded"), options=options)
