"""``windowpane search``: find turns again, in every chat and on every branch."""

from __future__ import annotations

from argparse import Namespace
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.grammar import Command, Parser
from windowpane.errors import InvalidInput
from windowpane.settings import Settings

MOST_HITS = 200
DESCRIPTION = f"""\
Find turns by their words: what you wrote, what was answered and what tools said, on every
branch, whether the model still sees them or not. Best first. A question may be typed as it
is; then turns beside the words are found, too.

  word        the word in any of its forms
  "a phrase"  exactly these words, side by side (quote it once more for the shell)
  -word       not in turns with this word (put -- before a search that begins with it)
  begin*      every word that begins so

What is new since the last search is taken into the index first. Ctrl+C gives that up; what
is in the index by then stays there. At most {MOST_HITS} turns are shown.

exit codes: 0 something was found, 1 nothing was, 2 wrong options or input"""


class SearchOptions(Struct, frozen=True, kw_only=True):
    words: list[str]
    project: str | None
    chat: str | None
    limit: Annotated[int, Meta(ge=1, le=MOST_HITS)]
    json: bool


def add_options(parser: Parser) -> None:
    group = parser.add_argument_group("what to look for")
    group.add_argument("words", metavar="WORDS", nargs="+", help="words, phrases or a question")
    add = parser.add_argument
    add("--project", metavar="ID", help="only in this project")
    add("--chat", metavar="ID", help="only in this chat")
    add("--limit", metavar="N", type=int, default=10, help="show so many turns, 10 by default")
    add("--json", action="store_true", help="print one JSON object")
    add_place_options(parser)


def run(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.searching import show_found

    try:
        options = msgspec.convert(vars(arguments), SearchOptions)
    except msgspec.ValidationError:
        raise InvalidInput(f"--limit takes a number from 1 to {MOST_HITS}.") from None
    return show_found(settings, options=options)


COMMAND = Command(
    name="search",
    usage="[options] WORDS",
    summary="find turns again by their words",
    description=DESCRIPTION,
    examples=(
        "windowpane search idempotency keys",
        "windowpane search 'which lock does the journal take?'",
        "windowpane search '\"exactly once\" -kafka retr*' --limit 5",
        "windowpane search --json overflow | jq -r '.turns[].turn_id'",
    ),
    add_options=add_options,
    run=run,
)
