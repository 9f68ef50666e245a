"""What the repository may not say: where packages come from, and whose machine it was on."""

import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Written in pieces, so that this file does not name them either.
REGISTRY_HOSTS = (("pypi", "org"), ("python" + "hosted", "org"), ("npmjs", "org"), ("npmjs", "com"))


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


def test_every_locked_package_has_its_hash_and_no_address() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text()
        locked = re.findall(r"^\S+==", text, re.MULTILINE)
        hashed = re.findall(r"^\S+==.*\n +--hash=sha256:", text, re.MULTILINE)
        assert len(locked) == len(hashed) > 0
        assert "://" not in text


def test_every_package_from_npm_has_its_hash_and_no_address() -> None:
    text = (ROOT / "frontend/package-lock.json").read_text()
    assert text.count('"node_modules/') == text.count('"integrity": "sha512-') > 0
    assert '"resolved"' not in text
    assert "://" not in text
