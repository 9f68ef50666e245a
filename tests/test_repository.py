"""What the repository may not say: where packages come from, and whose machine it was on."""

import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Written in pieces, so that this file does not name them either.
REGISTRY_HOSTS = (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"))


def tracked_files() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    paths = (ROOT / name for name in listing.stdout.split("\0") if name)
    return [path for path in paths if path.is_file()]


def files_that_name(words: set[bytes]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} names {word.decode()}"
        for path in tracked_files()
        for word in sorted(words)
        if word in path.read_bytes()
    ]


def test_no_file_names_a_package_registry() -> None:
    assert files_that_name({".".join(host).encode() for host in REGISTRY_HOSTS}) == []


def test_no_file_names_a_path_of_the_machine_it_is_on() -> None:
    folders = {ROOT, ROOT.parent, Path.home()} - {Path("/"), Path(tempfile.gettempdir())}
    assert files_that_name({f"{folder}/".encode() for folder in folders}) == []


def test_the_lock_files_hold_hashes_and_no_addresses() -> None:
    for name in ("requirements.lock", "requirements-dev.lock", "frontend/package-lock.json"):
        text = (ROOT / name).read_text()
        assert "sha256:" in text or "sha512-" in text
        assert [line for line in text.splitlines() if "://" in line or '"resolved"' in line] == []
