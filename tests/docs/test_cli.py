"""The page about the command line: every command and option is on it, as the program prints it."""

import re

import pytest

from docs.write_help import BLOCK, PAGE, helps, with_help
from windowpane.cli import exits
from windowpane.cli.program import COMMANDS, program_parser

TEXT = PAGE.read_text()


def test_the_help_on_the_page_is_what_the_program_prints() -> None:
    assert with_help(TEXT) == TEXT, "run: make docs"


def test_every_command_has_its_help_on_the_page() -> None:
    assert [block["name"] for block in BLOCK.finditer(TEXT)] == list(helps())


@pytest.mark.parametrize("name", helps())
def test_every_option_is_on_the_page(name: str) -> None:
    commands = {command.full_name: command for command in COMMANDS}
    parser = commands[name].parser() if name in commands else program_parser()
    assert [option for option in parser.option_names if f"{option} " not in helps()[name]] == []


def test_every_exit_code_is_on_the_page() -> None:
    codes = {value for name, value in vars(exits).items() if name.isupper()}
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", TEXT, re.MULTILINE)} == codes
