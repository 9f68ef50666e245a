"""How a call of a tool that nobody knows any more is shown."""

from windowpane.tools.drawing import json_drawing, text_drawing


def test_arguments_are_shown_as_json_with_line_ends() -> None:
    drawing = json_drawing('{"a":[1],"ö":"é"}')
    assert drawing.text == '{\n  "a": [\n    1\n  ],\n  "ö": "é"\n}'
    assert (drawing.title, drawing.language) == ('{"a":[1],"ö":"é"}', "json")


def test_what_is_no_json_is_shown_as_it_is() -> None:
    assert json_drawing('{"a": ') == text_drawing('{"a": ')
    assert json_drawing("[" * 100_000).language == ""


def test_a_title_is_one_short_line() -> None:
    assert text_drawing("one\n  two\t three").title == "one two three"
    assert len(text_drawing("word " * 1_000).title) <= 160
