"""The command line as a whole: where it is parted, and what each command is read as."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from windowpane.errors import InvalidInput
from windowpane.filters import (
    ChangeTopic,
    Command,
    CommandError,
    DeleteRefused,
    DeleteTurns,
    Everything,
    Export,
    FilterError,
    OpenView,
    SaveView,
    SetFlag,
    SetHud,
    SetPinned,
    SetSkipped,
    SetStar,
    TooManyToDelete,
    TopicPattern,
    check_delete_size,
    parse,
    parse_line,
)

EXPORT = Export(format="json", order="time", filename=None, takes_base=False)
CHANGE = ChangeTopic(topic=None, takes_base=False, asks_first=True, is_dry_run=False)

COMMANDS: list[tuple[str, Command]] = [
    (":export", EXPORT),
    (": export", EXPORT),
    (":export md", replace(EXPORT, format="md")),
    (":export html --base", replace(EXPORT, format="html", takes_base=True)),
    (":export --order=topic", replace(EXPORT, order="topic")),
    (":export --order topic txt", replace(EXPORT, order="topic", format="txt")),
    (":export --filename=notes.md", replace(EXPORT, filename="notes.md")),
    (":export --filename notes.md", replace(EXPORT, filename="notes.md")),
    (":export --filename 'my notes.md'", replace(EXPORT, filename="my notes.md")),
    (':export --filename="my notes.md" md', replace(EXPORT, format="md", filename="my notes.md")),
    (r":export --filename my\ notes", replace(EXPORT, filename="my notes")),
    (":export --filename '--base'", replace(EXPORT, filename="--base")),
    (":tchange", CHANGE),
    (":tchange 'AI > GPT'", replace(CHANGE, topic=TopicPattern.of("AI > GPT"))),
    (r":tchange 'a \> b'", replace(CHANGE, topic=TopicPattern.of(r"a \> b"))),
    (":tchange AI --dry-run", replace(CHANGE, topic=TopicPattern.of("AI"), is_dry_run=True)),
    (":tchange --no-confirm --base", replace(CHANGE, asks_first=False, takes_base=True)),
    (":delete", DeleteTurns(is_forced=False)),
    (":delete --force", DeleteTurns(is_forced=True)),
    (":star 0", SetStar(star=0)),
    (":star 3", SetStar(star=3)),
    (":flag blue", SetFlag(flag="blue")),
    (":flag g", SetFlag(flag="grey")),
    (":pin", SetPinned(is_pinned=True)),
    (":pin off", SetPinned(is_pinned=False)),
    (":skip", SetSkipped(is_skipped=True)),
    (":skip off", SetSkipped(is_skipped=False)),
    (":save best", SaveView(name="best")),
    (":save 'the best'", SaveView(name="the best")),
    (":view best", OpenView(name="best")),
    (":hud", SetHud(is_on=None)),
    (":hud on", SetHud(is_on=True)),
    (":hud off", SetHud(is_on=False)),
]


@pytest.mark.parametrize(("text", "command"), COMMANDS)
def test_a_command_is_read(text: str, command: Command) -> None:
    line = parse_line(text)
    assert line.command == command
    assert line.filter == Everything()


PARTED = [
    ("s2 :pin", "s2"),
    ("  s2:pin", "s2"),
    ("c'a:b' :pin", "c'a:b'"),
    ('c"a:b":pin', 'c"a:b"'),
    (r"c'\':' :pin", r"c'\':'"),
    ("(c'(' | b) :pin", "(c'(' | b)"),
    (":pin", ""),
]


@pytest.mark.parametrize(("text", "filter_text"), PARTED)
def test_a_line_is_parted_at_the_first_colon_in_the_open(text: str, filter_text: str) -> None:
    line = parse_line(text)
    assert line.filter_text == filter_text
    assert line.filter == parse(filter_text)
    assert line.command == SetPinned(is_pinned=True)


def test_a_line_without_a_colon_is_a_filter() -> None:
    line = parse_line(" s2 | c':pin' ")
    assert line.filter == parse("s2 | c':pin'")
    assert line.filter_text == "s2 | c':pin'"
    assert line.command is None


# The line, then carets under what is wrong, then words that the message must have.
ERRORS = [
    ("s2 :exprt", "    ^^^^^", "Unknown command: exprt"),
    (":Export", " ^^^^^^", "Unknown command: Export"),
    (": ''", "^", "Empty command"),
    ("b :export pdf", "          ^^^", "json|md|txt|html"),
    (":export md txt", "           ^^^", "Unexpected argument txt"),
    (":export --all", "        ^^^^^", "Unknown flag --all"),
    (":export -ab", "        ^^^", "Unknown flag -ab"),
    (":export --base=1", "        ^^^^^^^^", "--base takes no value"),
    (":export --filename", "        ^^^^^^^^^^", "--filename needs a value"),
    (":export --filename=", "        ^^^^^^^^^^^", "--filename needs a value"),
    (":export --filename --base", "        ^^^^^^^^^^", "--filename needs a value"),
    (":export --order=size", "        ^^^^^^^^^^^^", "Unexpected argument size"),
    (":export 'md", "        ^", "Unterminated quote"),
    (":export md\\", "          ^", "Nothing follows \\"),
    (":delete now", "        ^^^", "Unexpected argument now"),
    (":star", " ^^^^", "0|1|2|3"),
    (":star 4", "      ^", "0|1|2|3"),
    (":flag red", "      ^^^", "blue|grey"),
    (":pin maybe", "     ^^^^^", "on|off"),
    (":save", " ^^^^", "A view needs a name"),
    (":save ' '", "      ^^^", "A view needs a name"),
    (":save my view", "         ^^^^", "'A NAME'"),
    ("s2 :view best", "   ^^^^^^^^^^", "brings its own filter"),
]


@pytest.mark.parametrize(("text", "carets", "words"), ERRORS)
def test_a_wrong_command_shows_the_place_and_the_way_out(
    text: str, carets: str, words: str
) -> None:
    with pytest.raises(CommandError) as caught:
        parse_line(text)
    assert caught.value.caret == f"{text}\n{carets}"
    assert words in str(caught.value)
    assert str(caught.value).startswith("Command error: ")
    assert caught.value.code == "command_syntax"


FILTER_ERRORS = [
    ("b:", 2, "trailing input :"),
    ("b : ", 3, "trailing input :"),
    ("(b :export", 4, "outside parentheses"),
    ("(b :export)", 4, "input :"),
    ("c'b :export", 2, "Unterminated quote"),
    ("s2) :export", 3, "trailing input )"),
]


@pytest.mark.parametrize(("text", "column", "words"), FILTER_ERRORS)
def test_a_wrong_filter_is_told_before_its_command(text: str, column: int, words: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse_line(text)
    assert caught.value.column == column
    assert words in str(caught.value)
    assert str(caught.value).startswith("Incorrect command: ")


@given(st.text(st.sampled_from("srbto2 '\"\\():-=delt expor\n"), max_size=20))
@example(":export \ud800")
@example("\\:export")
def test_any_line_is_read_or_is_an_error_at_a_place_in_it(text: str) -> None:
    try:
        parse_line(text)
    except FilterError as error:
        assert 1 <= error.column <= error.span.end <= len(text)
        assert str(error).isprintable()


STEADY = ["", "s3", "t'AI' d>30d", "c'r o t'", "m e x p", "c\"r3\" | t'o'", "b & !g & z"]
MOVING = [
    ("r3 :delete", "^^", "(no r)"),
    ("s2 | r :delete", "     ^", "(no r)"),
    ("o :delete", "^", "(no o)"),
    ("!o3 :delete", " ^^", "(no o)"),
    ("t :delete", "^", "(no t/tN)"),
    ("b & (t10 | c'r') :delete --force", "     ^^^", "(no t/tN)"),
    ("b r3 !o t5 t :delete", "  ^^", "(no r, o, t/tN)"),
]


@pytest.mark.parametrize("text", STEADY)
def test_delete_takes_a_filter_whose_answer_stays(text: str) -> None:
    assert parse_line(f"{text} :delete").command == DeleteTurns(is_forced=False)


@pytest.mark.parametrize(("text", "carets", "words"), MOVING)
def test_delete_refuses_a_filter_whose_answer_moves(text: str, carets: str, words: str) -> None:
    with pytest.raises(DeleteRefused) as caught:
        parse_line(text)
    assert caught.value.caret == f"{text}\n{carets}"
    assert f"Delete-incompatible filter {words}" in str(caught.value)
    assert caught.value.code == "delete_refused"


def test_other_commands_take_a_filter_whose_answer_moves() -> None:
    assert parse_line("r3 o t :star 2").command == SetStar(star=2)


def test_more_than_fifty_turns_are_deleted_only_by_force() -> None:
    check_delete_size(50, is_forced=False)
    check_delete_size(51, is_forced=True)
    with pytest.raises(TooManyToDelete, match=r"Too many turns \(51\).*--force") as caught:
        check_delete_size(51, is_forced=False)
    assert isinstance(caught.value, InvalidInput)
