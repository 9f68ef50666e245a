"""``windowpane serve``: the server, and the page in a browser."""

from __future__ import annotations

from argparse import SUPPRESS, Namespace

from windowpane.cli.configuration import add_place_options
from windowpane.cli.grammar import Command, Parser
from windowpane.settings import Settings

DESCRIPTION = """\
Start Windowpane and open the page.

Prints the address and where the data lies. The address lets in one browser, which then
keeps a cookie; when it was used, the next one is printed. Ctrl+C ends the server: answers
that are being written keep their text and are marked as interrupted."""


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--host", metavar="HOST", default=SUPPRESS, help="listen here instead of 127.0.0.1")
    add("--port", metavar="PORT", default=SUPPRESS, help="8642 by default; 0 takes any free one")
    add(
        "--no-open",
        dest="open_browser",
        action="store_false",
        default=SUPPRESS,
        help="leave the browser alone",
    )
    add_place_options(parser)


def run(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.serving import serve_until_stopped

    return serve_until_stopped(settings)


COMMAND = Command(
    name="serve",
    usage="[options]",
    summary="start the server and open the page (also without any command)",
    description=DESCRIPTION,
    examples=(
        "windowpane",
        "windowpane serve --port 8001 --no-open",
        "windowpane serve --data ~/notes/windowpane",
        "WINDOWPANE_PASSWORD=… windowpane serve --host 0.0.0.0",
        "windowpane serve --database postgresql://panes@db.example/panes",
    ),
    add_options=add_options,
    run=run,
)
