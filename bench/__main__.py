"""Run every benchmark, or those named: ``python -m bench [NAME …]``. One JSON line each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# Parts that others measure against: servers of their own, not benchmarks.
PARTS = {"__init__", "__main__", "upstream", "relay", "bare", "processes", "watching", "shapes"} | {
    "dialogues",
    "events",
    "longchats",
}


def names() -> list[str]:
    return sorted(
        path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in PARTS
    )


def main() -> int:
    wanted = sys.argv[1:] or names()
    unknown = set(wanted) - set(names())
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}. There are: {', '.join(names())}.")
        return 2
    # One process each: what one leaves in memory shall not count for the next.
    return max(
        subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False).returncode
        for name in wanted
    )


if __name__ == "__main__":
    raise SystemExit(main())
