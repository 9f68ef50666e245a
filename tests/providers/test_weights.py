import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowpane.errors import InvalidInput
from windowpane.providers import weights as weights_module
from windowpane.providers.gguf import context_length_tokens
from windowpane.providers.weights import (
    free_memory_bytes,
    require_memory_for,
    weights_name,
    weights_of,
)

STRING, ARRAY, UINT32, UINT64 = 8, 9, 4, 10


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def head(*entries: bytes, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + b"".join(entries)


NAMES = struct.pack("<IQ", STRING, 2) + text("a") + text("b")
SCORES = struct.pack("<IQ", UINT32, 3) + bytes(12)
WELL = head(
    entry("general.architecture", STRING, text("llama")),
    entry("tokenizer.ggml.tokens", ARRAY, NAMES),
    entry("tokenizer.ggml.scores", ARRAY, SCORES),
    entry("general.name", STRING, text("A model")),
    entry("llama.context_length", UINT32, struct.pack("<I", 2048)),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


def test_a_file_says_for_how_many_tokens_it_was_trained(file: Path) -> None:
    file.write_bytes(WELL)
    assert context_length_tokens(file) == 2048
    weights = weights_of(str(file))
    assert (weights.name, weights.label, weights.window_tokens) == ("model", "", 2048)


def test_the_window_is_bounded_because_it_costs_memory(file: Path) -> None:
    length = entry("x.context_length", UINT64, struct.pack("<Q", 1_000_000))
    file.write_bytes(head(entry("general.architecture", STRING, text("x")), length))
    assert weights_of(str(file)).window_tokens == 8192


def test_the_demo_model_comes_with_the_install_and_is_labelled() -> None:
    weights = weights_of("")
    assert (weights.name, weights.label) == ("smollm2-135m", "demo model")
    assert weights.window_tokens == 8192
    assert weights.path.is_file()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"none\.gguf cannot be read: No such file"):
        weights_of(str(tmp_path / "none.gguf"))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 a zip",
        head(version=1),
        head(),
        WELL[:-1],
        head(entry("k", 99, b"")),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1 << 40),
        head(entry("general.name", STRING, struct.pack("<Q", (1 << 64) - 1))),
        head(entry("k", ARRAY, struct.pack("<IQ", STRING, 1 << 40))),
        head(entry("k", ARRAY, struct.pack("<IQ", ARRAY, 1))),
    ],
)
def test_a_file_that_is_no_model_is_refused(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with pytest.raises(InvalidInput, match="Choose a GGUF file"):
        weights_of(str(file))


@given(data=st.data())
def test_a_damaged_head_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    damaged = bytearray(WELL)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(WELL) - 1))] = data.draw(st.integers(0, 255))
    file = tmp_path_factory.getbasetemp() / "damaged.gguf"
    file.write_bytes(damaged)
    try:
        assert context_length_tokens(file) >= 0
    except InvalidInput as refused:
        assert "GGUF" in str(refused)


def test_a_file_larger_than_free_memory_is_refused_with_both_numbers(file: Path) -> None:
    file.write_bytes(WELL)
    with file.open("r+b") as sparse:
        sparse.truncate(3_000_000_000_000)
    with pytest.raises(InvalidInput, match=r"has 3,000,000 MB, but only 2,000 MB of memory"):
        require_memory_for(weights_of(str(file)), free_bytes=2_000_000_000)


def test_free_memory_is_that_of_the_container_if_it_has_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:    5000 kB\n")
    (tmp_path / "memory.current").write_text("1000\n")
    monkeypatch.setattr(weights_module, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(weights_module, "CGROUP", tmp_path)
    assert free_memory_bytes() == 5_120_000
    (tmp_path / "memory.max").write_text("3000\n")
    assert free_memory_bytes() == 2000
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory_bytes() == 5_120_000


def test_a_model_by_path_is_called_like_its_file() -> None:
    assert weights_name("~/models/Qwen3-4B-Q4_K_M.gguf") == "Qwen3-4B-Q4_K_M"
