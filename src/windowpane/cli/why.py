"""``windowpane why``: what changed between the last two requests of a chat."""

from __future__ import annotations

from argparse import Namespace

import msgspec
from msgspec import Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.grammar import Command, Parser
from windowpane.settings import Settings

DESCRIPTION = """\
Tell why the model forgot, or why it got dearer: which turns left the request since the one
before, which came, which rule did it, and where a cached prefix broke. Without --chat it is the
chat used last, and without --turn its newest turn.

exit codes: 0 told, 1 something failed, 2 wrong options or input"""


class WhyOptions(Struct, frozen=True, kw_only=True):
    chat: str | None
    turn: str | None
    json: bool


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--chat", metavar="ID", help="this chat instead of the one used last")
    add("--turn", metavar="ID", help="this turn instead of the newest")
    add("--json", action="store_true", help="print both receipts and the difference as JSON")
    add_place_options(parser)


def run(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.accounts import show_why

    return show_why(settings, options=msgspec.convert(vars(arguments), WhyOptions))


COMMAND = Command(
    name="why",
    usage="[options]",
    summary="tell what changed since the request before, and why",
    description=DESCRIPTION,
    examples=("windowpane why", "windowpane why --json | jq .sentences"),
    add_options=add_options,
    run=run,
)
