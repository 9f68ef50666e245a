"""What an install brings: packages and bytes, in an empty environment made from the lock."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

MEGABYTE = 1_000_000
ROOT = Path(__file__).parent.parent


def installed(folder: Path) -> Path:
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", str(folder)], check=True, capture_output=True)
    lock = ["--require-hashes", "--no-deps", "-r", str(ROOT / "requirements.lock")]
    python = ["--python", str(folder / "bin" / "python")]
    subprocess.run([*uv, "pip", "install", *python, *lock], check=True, capture_output=True)
    return next(folder.glob("lib/python*/site-packages"))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="windowpane-bench-") as folder:
        packages = installed(Path(folder) / "venv")
        size = sum(path.stat().st_size for path in packages.rglob("*") if path.is_file())
        count = len(list(packages.glob("*.dist-info")))
    print(
        json.dumps({"bench": "install", "packages": count, "megabytes": round(size / MEGABYTE, 1)})
    )


if __name__ == "__main__":
    main()
