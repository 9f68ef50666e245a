"""``windowpane receipts``: the requests that were really sent."""

from __future__ import annotations

from argparse import Namespace

import msgspec
from msgspec import Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.grammar import Command, Parser
from windowpane.settings import Settings

DESCRIPTION = """\
List the requests of a chat's newest turns: when, to which model, what became of them, tokens and
cost. With RECEIPT, show one whole; with --request, the exact body that was sent.

exit codes: 0 shown, 1 it cannot be reproduced any more, 2 wrong options or input"""


class ReceiptOptions(Struct, frozen=True, kw_only=True):
    receipt: str | None
    chat: str | None
    turns: int
    request: bool
    json: bool


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("receipt", metavar="RECEIPT", nargs="?", help="the id of one receipt")
    add("--chat", metavar="ID", help="this chat instead of the one used last")
    add("--turns", metavar="N", type=int, default=10, help="of so many turns (default: 10)")
    add("--request", action="store_true", help="print the body of the request as it was sent")
    add("--json", action="store_true", help="print the receipts as JSON")
    add_place_options(parser)


def run(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.accounts import show_receipts

    return show_receipts(settings, options=msgspec.convert(vars(arguments), ReceiptOptions))


COMMAND = Command(
    name="receipts",
    usage="[RECEIPT] [options]",
    summary="list the requests that were sent, and show them again",
    description=DESCRIPTION,
    examples=(
        "windowpane receipts",
        "windowpane receipts --chat cht_… --turns 3",
        "windowpane receipts rct_… --request | jq .messages",
    ),
    add_options=add_options,
    run=run,
)
