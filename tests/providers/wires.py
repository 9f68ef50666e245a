"""Answers as servers send them, kept under ``tests/wire``, with what they mean."""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.providers.asking import Answer
from tests.providers.frames import event, exception
from windowpane.definitions import Family
from windowpane.errors import FailureKind
from windowpane.messages import Finish
from windowpane.parts import Part
from windowpane.usage import TokenUsage

FOLDER = Path(__file__).parents[1] / "wire"


class ExpectedFailure(Struct):
    kind: FailureKind
    message: str | None = None


class Expected(Struct):
    parts: tuple[Part, ...]
    usage: TokenUsage | None = None
    finish: Finish | None = None
    failure: ExpectedFailure | None = None


class WireFrame(Struct):
    """One of Amazon's frames: an event, or an exception of this kind."""

    payload: object
    event: str = ""
    exception: str = ""

    @property
    def body(self) -> bytes:
        if self.exception:
            return exception(self.exception, self.payload)
        return event(self.event, self.payload)


class Wire(Struct):
    """One answer: ``lines`` or ``frames`` of a stream, and what they mean."""

    about: str
    answer: Expected
    newline: str = "\n"
    lines: list[str] = []
    frames: list[WireFrame] = []

    @property
    def body(self) -> bytes:
        if self.frames:
            return b"".join(one.body for one in self.frames)
        return self.newline.join(self.lines).encode()


def wires(family: Family) -> dict[str, Wire]:
    return {
        path.stem: msgspec.json.decode(path.read_bytes(), type=Wire)
        for path in sorted((FOLDER / family).glob("*.json"))
    }


def assert_is(answer: Answer, expected: Expected) -> None:
    assert answer.parts == expected.parts
    assert answer.usage == expected.usage
    assert answer.finish == expected.finish
    if expected.failure is None:
        assert answer.failure is None
    else:
        assert answer.failure is not None
        assert answer.failure.kind == expected.failure.kind
        assert expected.failure.message in (None, answer.failure.message)


def cut_at(body: bytes, places: Iterable[int]) -> list[bytes]:
    bounds = [0, *sorted(places), len(body)]
    return [body[start:end] for start, end in pairwise(bounds)]
