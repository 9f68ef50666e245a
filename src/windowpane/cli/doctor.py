"""``windowpane doctor``: what is installed, where things lie, and what is wrong."""

from __future__ import annotations

from argparse import Namespace

import msgspec

from windowpane.cli.configuration import add_place_options, config_file
from windowpane.cli.exits import DONE, FAILED
from windowpane.cli.grammar import Command, Parser
from windowpane.settings import Settings

DESCRIPTION = """\
Look at the installation, the data folder, the key and everything in the database, and say
what is wrong and how to mend it. Nothing is made, changed or sent anywhere.

exit codes: 0 nothing is wrong, 1 something is"""


def add_options(parser: Parser) -> None:
    help = "print the report as one JSON object"
    parser.add_argument("--json", action="store_true", help=help)
    add_place_options(parser)


def run(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.examination import examined
    from windowpane.cli.report import report_text

    report = examined(settings, config_file=config_file(vars(arguments)))
    print(msgspec.json.encode(report).decode() if arguments.json else report_text(report))
    return FAILED if report.problems else DONE


COMMAND = Command(
    name="doctor",
    usage="[options]",
    summary="say what is installed, where the data lies and what is wrong",
    description=DESCRIPTION,
    examples=("windowpane doctor", "windowpane doctor --json | jq .problems"),
    add_options=add_options,
    run=run,
)
