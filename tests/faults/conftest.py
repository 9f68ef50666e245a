"""How often the faults are tried: a handful of times by default, hundreds in the long profile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from tests.databases import POSTGRES
from tests.faults.scene import Scene, staged


class Profile(Struct, frozen=True, kw_only=True):
    kills_per_phase: int
    restarts: int


PROFILES = {
    "default": Profile(kills_per_phase=1, restarts=1),
    "long": Profile(kills_per_phase=25, restarts=8),
}


@pytest.fixture(scope="session")
def profile() -> Profile:
    return PROFILES[os.environ.get("FAULTS_PROFILE", "default")]


@pytest.fixture(params=["sqlite", POSTGRES])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    """A vault on each engine that servers share, and a provider that misbehaves as told."""
    database = ""
    if request.param == "postgres":
        database = request.getfixturevalue("postgres_database")
    with staged(tmp_path, database=database) as scene:
        yield scene
