"""Write the help that the program prints into the page about the command line."""

from __future__ import annotations

import re
from pathlib import Path

from windowpane.cli.program import COMMANDS, program_parser

PAGE = Path(__file__).with_name("cli.md")
BLOCK = re.compile(r"(<!-- help: (?P<name>[a-z -]+) -->\n)```text\n.*?```\n", re.DOTALL)


def helps() -> dict[str, str]:
    """What ``--help`` prints, by the words before it."""
    parsers = [program_parser(), *(command.parser() for command in COMMANDS)]
    return {parser.prog: parser.format_help() for parser in parsers}


def with_help(page: str) -> str:
    texts = helps()
    return BLOCK.sub(lambda block: f"{block[1]}```text\n{texts[block['name']]}```\n", page)


if __name__ == "__main__":
    PAGE.write_text(with_help(PAGE.read_text()))
