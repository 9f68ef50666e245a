"""What the tests need from the machine beside Python: Chromium and PostgreSQL.

Says where they are, or in one sentence what to install. A missing part skips its tests on a
developer's machine and fails them in CI, where a skipped test would go unseen.
"""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

CHROMIUM_MISSING = (
    "Chromium is missing: browser tests need it (on Debian: apt-get install chromium)."
)
POSTGRES_MISSING = (
    "PostgreSQL is missing: storage tests need it (on Debian: apt-get install postgresql)."
)


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


def postgres_binaries() -> Path | None:
    """The folder with `initdb` and `postgres`; Debian keeps it off the PATH."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    versions = [folder for folder in Path("/usr/lib/postgresql").glob("*") if folder.name.isdigit()]
    return max(versions, key=lambda folder: int(folder.name)) / "bin" if versions else None


def missing_parts() -> list[str]:
    parts = ((chromium(), CHROMIUM_MISSING), (postgres_binaries(), POSTGRES_MISSING))
    return [sentence for part, sentence in parts if part is None]


def give_up(sentence: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(sentence, pytrace=False)
    pytest.skip(sentence)
