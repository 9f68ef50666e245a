"""The engines as tests name them, and what the ``database`` setting says for each."""

from pathlib import Path

import pytest

POSTGRES = pytest.param("postgres", marks=pytest.mark.postgres)


def database_of(request: pytest.FixtureRequest, data_dir: Path) -> str:
    match request.param:
        case "postgres":
            return request.getfixturevalue("postgres_database")
        case "sqlite":
            return str(data_dir / "windowpane.sqlite3")
        case _:
            return "memory:"
