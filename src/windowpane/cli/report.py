"""The report of ``windowpane doctor``: the value, and how it reads.

``--json`` prints the value as it is, so its fields are a promise to programs.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

KeyState = Literal["absent", "plain", "wrapped", "unreadable"]
Engine = Literal["sqlite", "postgresql", "memory"]


class Problem(Struct, frozen=True, kw_only=True):
    """What is wrong and what to do about it, with a code for programs."""

    code: str
    message: str


class Installation(Struct, frozen=True, kw_only=True):
    version: str
    python: str
    system: str
    packages: dict[str, str | None]
    has_demo_model: bool


class DataFolder(Struct, frozen=True, kw_only=True):
    path: str
    exists: bool
    mode: str | None
    free_bytes: int
    config_file: str
    has_config_file: bool


class KeyFile(Struct, frozen=True, kw_only=True):
    path: str
    state: KeyState


class Database(Struct, frozen=True, kw_only=True):
    """``location`` is without credentials; size and schema are None unless it could be opened."""

    engine: Engine
    location: str
    size_bytes: int | None
    schema: int | None


class Contents(Struct, frozen=True, kw_only=True):
    projects: int
    chats: int
    turns: int
    damaged: list[str]


class Report(Struct, frozen=True, kw_only=True):
    """``contents`` is None where there is nothing yet, or nothing that could be opened."""

    installation: Installation
    data: DataFolder
    key: KeyFile
    database: Database
    contents: Contents | None
    problems: list[Problem]


def report_text(report: Report) -> str:
    lines = [
        _installation(report.installation),
        "",
        f"data      {_data(report.data)}",
        f"settings  {_settings(report.data)}",
        f"key       {_key(report.key)}",
        f"database  {_database(report.database)}",
        f"contents  {_contents(report)}",
        *(f"damaged   {sentence}" for sentence in _damaged(report)),
        "",
        *_problems(report.problems),
    ]
    return "\n".join(lines)


def _installation(found: Installation) -> str:
    packages = ", ".join(
        f"{name} {version or 'missing'}" for name, version in found.packages.items()
    )
    demo = (
        "installed"
        if found.has_demo_model
        else "not installed (pip install windowpane[demo-model])"
    )
    return (
        f"Windowpane {found.version}, Python {found.python}, {found.system}\n"
        f"{packages}\n"
        f"demo model: {demo}"
    )


def _data(data: DataFolder) -> str:
    free = f"{amount(data.free_bytes)} free"
    return (
        f"{data.path} ({f'mode {data.mode}' if data.exists else 'made on the first run'}, {free})"
    )


def _settings(data: DataFolder) -> str:
    return data.config_file + ("" if data.has_config_file else " (not there, so defaults apply)")


def _key(key: KeyFile) -> str:
    meanings: dict[KeyState, str] = {
        "absent": "made on the first run",
        "plain": "without passphrase",
        "wrapped": "protected by a passphrase",
        "unreadable": "unreadable",
    }
    return f"{key.path} ({meanings[key.state]})"


def _database(database: Database) -> str:
    if database.size_bytes is None:
        return f"{database.location} ({database.engine}, not opened)"
    size = amount(database.size_bytes)
    return f"{database.location} ({database.engine}, schema {database.schema}, {size})"


def _contents(report: Report) -> str:
    contents = report.contents
    if contents is not None:
        counts = (contents.projects, "project"), (contents.chats, "chat"), (contents.turns, "turn")
        return ", ".join(f"{n:,} {noun}{'' if n == 1 else 's'}" for n, noun in counts)
    return "locked: give the passphrase to look inside" if report.key.state == "wrapped" else "none"


def _damaged(report: Report) -> list[str]:
    return [] if report.contents is None else report.contents.damaged


def _problems(problems: list[Problem]) -> list[str]:
    if not problems:
        return ["Nothing is wrong."]
    heading = "One thing is wrong:" if len(problems) == 1 else f"{len(problems)} things are wrong:"
    return [heading, *(f"- {problem.message}" for problem in problems)]


def amount(size_bytes: int) -> str:
    for unit, unit_bytes in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size_bytes >= unit_bytes:
            return f"{size_bytes / unit_bytes:.1f} {unit}"
    return f"{size_bytes} bytes"
