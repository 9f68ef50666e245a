"""``windowpane cost``: what was used and what it cost."""

from __future__ import annotations

from argparse import Namespace

import msgspec
from msgspec import Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.grammar import Command, Parser
from windowpane.settings import Settings

DESCRIPTION = """\
Show what was used and what it cost, by day and model. With --chat or --project, of that alone.
Deleted chats count: what was spent was spent. Days are days in UTC.

exit codes: 0 shown, 1 something failed, 2 wrong options or input"""


class CostOptions(Struct, frozen=True, kw_only=True):
    chat: str | None
    project: str | None
    days: int
    json: bool


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--chat", metavar="ID", help="of one chat")
    add("--project", metavar="ID", help="of one project")
    add("--days", metavar="N", type=int, default=30, help="the last so many days (default: 30)")
    add("--json", action="store_true", help="print every sum as JSON")
    add_place_options(parser)


def run(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.accounts import show_cost

    return show_cost(settings, options=msgspec.convert(vars(arguments), CostOptions))


COMMAND = Command(
    name="cost",
    usage="[options]",
    summary="show what was used and what it cost",
    description=DESCRIPTION,
    examples=(
        "windowpane cost",
        "windowpane cost --project prj_… --days 7",
        "windowpane cost --json | jq '.[].totals.cost'",
    ),
    add_options=add_options,
    run=run,
)
