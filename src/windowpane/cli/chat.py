"""``windowpane chat``: a conversation in the terminal."""

from __future__ import annotations

from argparse import Namespace

import msgspec
from msgspec import Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.deciding import add_decision_options
from windowpane.cli.grammar import Command, Parser
from windowpane.settings import Settings

DESCRIPTION = """\
Talk with a model in the terminal, one line a message.

Ctrl+C stops an answer and keeps what arrived, or clears the line you are typing. Ctrl+D
leaves. What was said is in the same place as everything else, so the page shows it too.
With lines from a pipe, each is sent when the one before is answered.

A tool that may not run unasked is asked about, unless --yes or --no answers for you. Where
nobody can be asked, the answer waits, and the page asks."""


class ChatOptions(Struct, frozen=True, kw_only=True):
    chat: str | None
    model: str | None
    yes: bool
    no: bool


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--chat", metavar="ID", help="go on in this chat instead of beginning one")
    add("--model", metavar="NAME", help="answer with this model (provider/model)")
    add_decision_options(parser)
    add_place_options(parser)


def run(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.conversation import converse

    return converse(settings, options=msgspec.convert(vars(arguments), ChatOptions))


COMMAND = Command(
    name="chat",
    usage="[options]",
    summary="talk with a model in the terminal",
    description=DESCRIPTION,
    examples=(
        "windowpane chat",
        "windowpane chat --model local/smollm2-135m",
        "windowpane chat --chat cht_…",
    ),
    add_options=add_options,
    run=run,
)
