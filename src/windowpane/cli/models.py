"""``windowpane models``: what can answer, how much it takes and what it costs."""

from __future__ import annotations

from argparse import Namespace

import msgspec
from msgspec import Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.grammar import Command, Parser
from windowpane.settings import Settings

LIST_DESCRIPTION = """\
List the models of every provider that is set up: the name to use with --model, the window
in tokens, the prices of a million tokens in and out, and what else the provider tells. A ~
stands before the price of a model's maker where the provider may ask another.

The lists are asked for once and kept; --refresh asks again. A provider that does not
answer is named on standard error, and the others are listed.

exit codes: 0 all have answered, 1 one has not, 2 wrong options or input"""

SHOW_DESCRIPTION = """\
Show all that is known of one model: its limits, its prices and what it is able to do, each
with where it is known from: the provider's own list, the catalog that comes with
Windowpane, what you set yourself, or what the provider taught by refusing."""


class ModelsOptions(Struct, frozen=True, kw_only=True):
    provider: str | None
    refresh: bool
    json: bool


def add_list_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--provider", metavar="NAME", help="only the models of this provider")
    add("--refresh", action="store_true", help="ask the providers again")
    add("--json", action="store_true", help="print one JSON object")
    add_place_options(parser)


def add_show_options(parser: Parser) -> None:
    group = parser.add_argument_group("model")
    group.add_argument("name", metavar="NAME", help="its full name (provider/model)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_place_options(parser)


def list_all(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.modelling import show_models

    return show_models(settings, options=msgspec.convert(vars(arguments), ModelsOptions))


def show_one(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.modelling import show_model

    return show_model(settings, name=arguments.name, is_json=arguments.json)


LIST = Command(
    name="models",
    usage="[options]",
    summary="list the models that can answer",
    description=LIST_DESCRIPTION,
    examples=(
        "windowpane models",
        "windowpane models --provider groq --refresh",
        "windowpane models --json | jq -r '.models[].name'",
    ),
    add_options=add_list_options,
    run=list_all,
)

SHOW = Command(
    name="models show",
    usage="[options] NAME",
    summary="show a model's limits and prices, and where they are known from",
    description=SHOW_DESCRIPTION,
    examples=(
        "windowpane models show local/smollm2-135m",
        "windowpane models show openai/gpt-5 --json | jq .limits",
    ),
    add_options=add_show_options,
    run=show_one,
)
