"""A provider that answers from a script: for tests and demonstrations, and labelled so.

The same script and the same requests give the same events. It can do everything a real provider
does to its caller: stream, reason, call tools, report usage, fail, hang and break off.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import assert_never

import msgspec
from msgspec import Struct

from windowpane.catalog.limits import LimitValues
from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo
from windowpane.errors import Failure, FailureKind, InvalidInput, ProviderFailed
from windowpane.events import Finished, StreamEvent, UsageReported
from windowpane.messages import Finish
from windowpane.parts import ToolResult
from windowpane.providers.assembly import Assembly
from windowpane.providers.base import WireRequest
from windowpane.usage import TokenUsage

LABEL = "scripted, no model"
REMEMBERED_REQUESTS = 1000
CUT = Failure(kind="net", message="The connection broke before the answer was complete.")


class Say(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="text"):
    """Text in chunks, each after its delay. Following text continues the same part."""

    chunks: tuple[str, ...]
    delay_seconds: float = 0.0


class Think(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="reasoning"):
    chunks: tuple[str, ...]
    delay_seconds: float = 0.0


class Call(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="tool_call"):
    call_id: str
    name: str
    arguments: str


class Report(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="usage"):
    usage: TokenUsage


class End(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="finish"):
    """Finish as said. Without it a reply ends with ``stop``, or ``tool_use`` after calls."""

    finish: Finish


class Fail(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="error"):
    failure: Failure


class Hang(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="hang"):
    """Say nothing more, with the part left open, until the caller gives up."""


class Cut(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="cut"):
    """Break off: a ``net`` failure; what was said so far is kept."""


Step = Say | Think | Call | Report | End | Fail | Hang | Cut


class Reply(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``when``: text that the last user message must contain; empty matches every message.

    ``after``: text that the last results of tools must contain; empty matches without any, too.
    """

    steps: tuple[Step, ...]
    when: str = ""
    after: str = ""
    is_repeatable: bool = False

    def __post_init__(self) -> None:
        if any(isinstance(step, End | Fail | Hang | Cut) for step in self.steps[:-1]):
            raise ValueError("a reply ends with its finish, error, hang or cut step")


class Script(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first reply that matches and is not used up answers.

    Models that are said to be able to call tools are offered ``tools`` as well: what these are,
    and what they play, is read by those who run them.
    """

    replies: tuple[Reply, ...]
    models: tuple[ModelInfo, ...] = (ModelInfo(name="scripted"),)
    tools: tuple[dict[str, object], ...] = ()


def load_script(path: Path) -> Script:
    """Read a ``.json`` or ``.toml`` script."""
    decode = msgspec.toml.decode if path.suffix == ".toml" else msgspec.json.decode
    try:
        return decode(path.read_bytes(), type=Script)
    except (OSError, msgspec.MsgspecError) as error:
        raise InvalidInput(f"The script {path} cannot be used: {error}. Correct it.") from error


class ScriptedProvider:
    """``requests`` keeps what was asked, oldest first, for a test to look at."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._unused = list(script.replies)
        self.requests: deque[ModelRequest] = deque(maxlen=REMEMBERED_REQUESTS)

    def to_wire(self, request: ModelRequest) -> WireRequest:
        body = msgspec.json.encode(request)
        return WireRequest(method="SCRIPT", url=f"script:{request.model}", headers={}, body=body)

    async def stream(self, wire: WireRequest) -> AsyncGenerator[StreamEvent, None]:
        request = msgspec.json.decode(wire.body, type=ModelRequest)
        self.requests.append(request)
        steps = _chunk_by_chunk(self._reply(request).steps)
        assembly = Assembly()
        for step in steps:
            await _pause(step)
            for event in _played(step, assembly=assembly):
                yield event
            if isinstance(step, Fail):
                raise ProviderFailed(step.failure)
        if not steps or not isinstance(steps[-1], End):
            for event in assembly.close():
                yield event
            yield Finished(finish="tool_use" if assembly.has_calls else "stop")

    async def models(self) -> list[ModelInfo]:
        return [
            msgspec.structs.replace(model, label=model.label or LABEL)
            for model in self._script.models
        ]

    def learned_limits(self, model: str) -> LimitValues:
        """Nothing: nobody limits how often one asks it."""
        return LimitValues()

    async def close(self) -> None:
        pass

    def _reply(self, request: ModelRequest) -> Reply:
        if all(model.name != request.model for model in self._script.models):
            raise _failed("model", f"The script has no model called {request.model}.")
        asked, given = _last_user_text(request), _last_results(request)
        for reply in self._unused:
            if reply.when in asked and reply.after in given:
                if not reply.is_repeatable:
                    self._unused.remove(reply)
                return reply
        raise _failed("invalid", f"The script has no reply left for {asked[:80]!r}.")


def _chunk_by_chunk(steps: tuple[Step, ...]) -> list[Step]:
    """The same steps with one chunk each, and a cut as the failure it is."""
    played: list[Step] = []
    for step in steps:
        match step:
            case Say() | Think():
                replace = msgspec.structs.replace
                played += [replace(step, chunks=(chunk,)) for chunk in step.chunks]
            case Cut():
                played.append(Fail(failure=CUT))
            case _:
                played.append(step)
    return played


async def _pause(step: Step) -> None:
    match step:
        case Say() | Think():
            await asyncio.sleep(step.delay_seconds)
        case Hang():
            await asyncio.get_running_loop().create_future()
        case _:
            pass


def _played(step: Step, *, assembly: Assembly) -> list[StreamEvent]:
    match step:
        case Say():
            assembly.write("text", step.chunks[0])
            return assembly.take()
        case Think():
            assembly.write("reasoning", step.chunks[0])
            return assembly.take()
        case Call():
            draft = assembly.begin_call(call_id=step.call_id, name=step.name)
            draft.fresh.append(step.arguments)
            return assembly.take()
        case Report():
            return [*assembly.close(), UsageReported(usage=step.usage)]
        case End():
            return [*assembly.close(), Finished(finish=step.finish)]
        case Fail() | Hang() | Cut():
            return assembly.close()
        case _ as never:
            assert_never(never)


def _last_user_text(request: ModelRequest) -> str:
    return next((m.text for m in reversed(request.messages) if m.role == "user"), "")


def _last_results(request: ModelRequest) -> str:
    parts = request.messages[-1].parts if request.messages else ()
    return "\n".join(part.text for part in parts if isinstance(part, ToolResult))


def _failed(kind: FailureKind, message: str) -> ProviderFailed:
    return ProviderFailed(Failure(kind=kind, message=message))
