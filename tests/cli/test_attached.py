"""Files that go with a message: tools in everybody's words, images by what they hold."""

from pathlib import Path

import msgspec
import pytest
from PIL import Image

from windowpane.cli.attached import image_in, tools_in
from windowpane.errors import InvalidInput

SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}}
WORDS = {"name": "look", "description": "Look it up."}


def written(folder: Path, value: object) -> Path:
    path = folder / "tools.json"
    path.write_bytes(msgspec.json.encode(value))
    return path


@pytest.mark.parametrize(
    "listed",
    [
        [{**WORDS, "parameters": SCHEMA}],
        [{**WORDS, "input_schema": SCHEMA}],
        [{**WORDS, "schema": SCHEMA}],
        [{"type": "function", **WORDS, "parameters": SCHEMA}],
        [{"type": "function", "function": {**WORDS, "parameters": SCHEMA}}],
        [{"functionDeclarations": [{**WORDS, "parameters": SCHEMA}]}],
        [{"toolSpec": {**WORDS, "inputSchema": {"json": SCHEMA}}}],
        {"tools": [{**WORDS, "parameters": SCHEMA}]},
    ],
)
def test_tools_are_read_in_the_words_of_every_family(listed: object, tmp_path: Path) -> None:
    [tool] = tools_in(written(tmp_path, listed))
    assert (tool.name, tool.description) == ("look", "Look it up.")
    assert msgspec.json.decode(tool.schema) == SCHEMA


def test_a_tool_without_arguments_takes_none(tmp_path: Path) -> None:
    [tool] = tools_in(written(tmp_path, [{"name": "now"}]))
    assert msgspec.json.decode(tool.schema) == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("listed", "sentence"),
    [
        ({"name": "look"}, "holds no list of tools."),
        (["look"], "Tool 1 in"),
        ([WORDS, {"type": "web_search"}], "Tool 2 in"),
        ([{**WORDS, "description": 3}], "the description of look is not text."),
        ([{**WORDS, "parameters": "none"}], "the schema of its arguments"),
        ([WORDS, WORDS], "has two tools called look."),
    ],
)
def test_a_file_that_holds_no_tools_is_refused_with_the_reason(
    listed: object, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        tools_in(written(tmp_path, listed))


def test_a_file_that_is_not_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text("[{]")
    with pytest.raises(InvalidInput, match="is not valid JSON"):
        tools_in(tmp_path / "tools.json")


@pytest.mark.parametrize(
    ("format", "media_type"),
    [
        ("JPEG", "image/jpeg"),
        ("PNG", "image/png"),
        ("GIF", "image/gif"),
        ("WEBP", "image/webp"),
    ],
)
def test_an_image_is_known_by_what_it_holds(format: str, media_type: str, tmp_path: Path) -> None:
    path = tmp_path / "no-suffix"
    Image.new("RGB", (5, 4)).save(path, format=format)
    image = image_in(path)
    assert (image.media_type, image.width_px, image.height_px) == (media_type, 5, 4)


def test_what_no_model_takes_is_no_image(tmp_path: Path) -> None:
    bitmap = tmp_path / "picture.png"
    Image.new("RGB", (5, 4)).save(bitmap, format="BMP")
    for path in (bitmap, written(tmp_path, [])):
        with pytest.raises(InvalidInput, match="JPEG, PNG, GIF or WebP"):
            image_in(path)
