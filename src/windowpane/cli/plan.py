"""``windowpane plan``: what the next request of a chat would contain, and why."""

from __future__ import annotations

from argparse import Namespace

import msgspec
from msgspec import Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.grammar import Command, Parser
from windowpane.settings import Settings

DESCRIPTION = """\
Show what the model would see if you sent now: every turn with where it stands, why, and its
tokens, and a bar of the window. Nothing is sent. Without --chat it is the chat used last.
With --request and a --draft it prints the request itself, byte for byte as it would go out.
With --settings it shows which settings apply, and where each comes from: this send, the
chat, its topic, the project or the default.

exit codes: 0 it can be sent, 1 it cannot, 2 wrong options or input"""


class PlanOptions(Struct, frozen=True, kw_only=True):
    chat: str | None
    filter: str
    model: str | None
    draft: str
    request: bool
    settings: bool
    json: bool


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--chat", metavar="ID", help="this chat instead of the one used last")
    add("--filter", metavar="FILTER", default="", help="show and send only these turns")
    add("--model", metavar="NAME", help="as if this model were to answer (provider/model)")
    add("--draft", metavar="TEXT", default="", help="as if this were the next message")
    add("--request", action="store_true", help="print the exact request for the draft instead")
    add("--settings", action="store_true", help="show the settings that apply instead")
    add("--json", action="store_true", help="print the plan, the request or the settings as JSON")
    add_place_options(parser)


def run(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.planning import show_plan

    return show_plan(settings, options=msgspec.convert(vars(arguments), PlanOptions))


COMMAND = Command(
    name="plan",
    usage="[options]",
    summary="show what the next request would contain, and why",
    description=DESCRIPTION,
    examples=(
        "windowpane plan",
        "windowpane plan --filter 's>=2 | r6'",
        'windowpane plan --draft "$(cat question.txt)" --model local/smollm2-135m',
        'windowpane plan --request --draft "And the keys?" | tail -n 1 | jq .',
        "windowpane plan --settings",
        "windowpane plan --json | jq .total_tokens",
    ),
    add_options=add_options,
    run=run,
)
