"""Conversations of friends over a year, and questions about them whose evidence is known.

A question's words stand in the turn that answers it, or in the friend's question before it, or
only in what the friend says after; dates are told relative to the day. The same seed gives the same
conversations.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Literal

from msgspec import Struct

from bench.events import ANSWERS, CHATTER, EVENTS, GREETINGS, NAMES, SLOTS, Detail, Event

Kind = Literal["told", "detail", "date", "several", "swapped"]

SESSIONS = 24
EVENTS_PER_SESSION = 3
MONTHS = "January February March April May June July August September October November December"


class Line(Struct, frozen=True, kw_only=True):
    speaker: str
    text: str
    at: datetime


class Question(Struct, frozen=True, kw_only=True):
    text: str
    kind: Kind
    evidence: tuple[int, ...]


class Dialogue(Struct, frozen=True, kw_only=True):
    lines: list[Line]
    questions: list[Question]


class Happened(Struct, frozen=True, kw_only=True):
    """An event as it was told: by whom, with which words, when it was, and in which line."""

    event: Event
    name: str
    slots: dict[str, str]
    day: datetime
    told_at: int


def dialogues(seed: int, *, count: int) -> Iterator[Dialogue]:
    chance = random.Random(seed)
    for _ in range(count):
        yield _Writer(chance).dialogue()


def planted(seed: int, *, count: int, questions: int) -> list[Dialogue]:
    """Dialogues with a given number of questions altogether, of every kind."""
    chance = random.Random(seed)
    made = list(dialogues(seed, count=count))
    every = [(number, asked) for number, one in enumerate(made) for asked in one.questions]
    kept = chance.sample(every, questions)
    return [
        Dialogue(lines=one.lines, questions=[asked for at, asked in kept if at == number])
        for number, one in enumerate(made)
    ]


class _Writer:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._pair = chance.sample(NAMES.split(", "), 2)
        self._lines: list[Line] = []
        self._questions: list[Question] = []
        self._happened: list[Happened] = []
        self._at = datetime(2023, 1, 9, 18, 0, tzinfo=UTC)

    def dialogue(self) -> Dialogue:
        for _ in range(SESSIONS):
            self._session()
            self._at += timedelta(
                days=self._chance.randrange(5, 22), hours=self._chance.randrange(5)
            )
        self._ask_about_several()
        return Dialogue(lines=self._lines, questions=self._questions)

    def _session(self) -> None:
        first = self._chance.randrange(2)
        self._say(first, self._chance.choice(GREETINGS))
        self._say(1 - first, self._chance.choice(ANSWERS))
        for event in self._chance.sample(EVENTS, EVENTS_PER_SESSION):
            self._chatter(self._chance.randrange(1, 3))
            self._tell(event, who=self._chance.randrange(2))
        self._chatter(2)

    def _chatter(self, count: int) -> None:
        who = self._chance.randrange(2)
        for step in range(count):
            self._say((who + step) % 2, self._chance.choice(CHATTER))

    def _tell(self, event: Event, *, who: int) -> None:
        slots = self._slots()
        day, when = self._spoken_day()
        slots["when"] = when
        text = self._chance.choice(event.told).format(**slots)
        told_at = self._say(who, text[:1].upper() + text[1:])
        happened = Happened(
            event=event, name=self._pair[who], slots=slots, day=day, told_at=told_at
        )
        self._happened.append(happened)
        self._ask_about(happened)
        if self._chance.random() < 0.7:
            self._say(1 - who, self._chance.choice(event.echoes).format(**slots))
        for detail in event.details:
            self._add_detail(detail, happened, who=who)

    def _add_detail(self, detail: Detail, happened: Happened, *, who: int) -> None:
        self._say(1 - who, detail.prompt.format(**happened.slots))
        answered_at = self._say(who, self._chance.choice(detail.answers).format(**happened.slots))
        text = self._chance.choice(detail.questions)
        self._ask(happened, text, kind="detail", evidence=(answered_at,))

    def _ask_about(self, happened: Happened) -> None:
        evidence = (happened.told_at,)
        text = self._chance.choice(happened.event.questions)
        if "{" in text.replace("{name}", ""):
            is_swapped = self._chance.random() < 0.15
            kind: Kind = "swapped" if is_swapped else "told"
            self._ask(happened, text, kind=kind, evidence=evidence)
        if self._chance.random() < 0.25:
            self._ask(happened, happened.event.dated, kind="date", evidence=evidence)

    def _ask_about_several(self) -> None:
        """Questions whose answer is spread over the year."""
        for event in EVENTS:
            for name in self._pair:
                told = [one for one in self._happened if (one.event, one.name) == (event, name)]
                general = [text for text in event.questions if text.count("{") == 1]
                if len(told) > 1 and general:
                    evidence = tuple(one.told_at for one in told)
                    self._ask(told[0], general[0], kind="several", evidence=evidence)

    def _ask(self, happened: Happened, text: str, *, kind: Kind, evidence: tuple[int, ...]) -> None:
        other = next(name for name in self._pair if name != happened.name)
        slots = {**happened.slots, "name": other if kind == "swapped" else happened.name}
        asked = text.format(**slots, date=_date_text(happened.day, self._chance))
        self._questions.append(Question(text=asked, kind=kind, evidence=evidence))

    def _say(self, who: int, text: str) -> int:
        spoken = text.replace("{friend}", self._pair[1 - who])
        self._lines.append(Line(speaker=self._pair[who], text=spoken, at=self._at))
        self._at += timedelta(minutes=self._chance.randrange(1, 9))
        return len(self._lines) - 1

    def _slots(self) -> dict[str, str]:
        return {name: self._chance.choice(values.split(", ")) for name, values in SLOTS.items()}

    def _spoken_day(self) -> tuple[datetime, str]:
        """A day before the conversation, and how one speaks of it then."""
        ago = self._chance.choice((0, 1, 1, 2, 3, 5, 7, 14))
        day = self._at - timedelta(days=ago)
        weekday = f"{day:%A}"
        words = {
            0: "today",
            1: "yesterday",
            2: f"on {weekday}",
            7: "a week ago",
            14: "two weeks ago",
        }
        return day, words.get(ago, f"last {weekday}")


def _date_text(day: datetime, chance: random.Random) -> str:
    month = MONTHS.split()[day.month - 1]
    return chance.choice(
        (f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", f"{day.day} {month}")
    )
