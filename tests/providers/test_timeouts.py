from aiohttp import ClientSession

from tests.providers.asking import Answer, answered, asked
from tests.providers.loopback import STREAM_HEAD, Answering, Line, loopback
from tests.providers.recordings import dialect_for
from windowpane.providers.http import Timeouts, Upstream
from windowpane.providers.pace import Pace
from windowpane.providers.remote import RemoteProvider

SOON = 0.3
LATE = 60.0


async def patiently(answering: Answering, *, timeouts: Timeouts) -> Answer:
    async with loopback(answering) as server, ClientSession() as session:
        dialect = dialect_for("openai_chat", base_url=server.url)
        upstream = Upstream(
            session,
            base_url=dialect.base_url,
            authorise=dialect.authorise,
            secrets=dialect.secrets,
            timeouts=timeouts,
        )
        provider = RemoteProvider(dialect, upstream, listing=None, pace=Pace(0.0))
        return await answered(provider, asked("Hello?", model="m1"))


async def never_begin(line: Line) -> bool:
    await line.hung_up()
    return False


async def begin_and_fall_silent(line: Line) -> bool:
    await line.send(STREAM_HEAD)
    await line.hung_up()
    return False


async def test_an_answer_that_does_not_begin_is_given_up() -> None:
    timeouts = Timeouts(connect_seconds=LATE, first_byte_seconds=SOON, chunk_seconds=LATE)
    answer = await patiently(never_begin, timeouts=timeouts)
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert "did not answer in time" in answer.failure.message


async def test_silence_within_an_answer_has_a_limit_of_its_own() -> None:
    timeouts = Timeouts(connect_seconds=LATE, first_byte_seconds=LATE, chunk_seconds=SOON)
    answer = await patiently(begin_and_fall_silent, timeouts=timeouts)
    assert answer.failure is not None
    assert answer.failure.kind == "net"
    assert "nothing for 0.3 seconds" in answer.failure.message
