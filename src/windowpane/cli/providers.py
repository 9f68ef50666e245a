"""``windowpane providers``: where models answer. Keys go in and are never shown again."""

from __future__ import annotations

from argparse import Namespace
from typing import get_args

import msgspec
from msgspec import Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.grammar import Command, Parser
from windowpane.definitions import Family
from windowpane.settings import Settings

ADD_DESCRIPTION = """\
Add a place where models answer: a service that is known by a PRESET, or any server that
speaks one of the families. Its models are then called NAME/model. Without anything said it
lists the presets, and the model servers that run on this machine.

The key is asked for, or read from the first line of standard input with --key -; a server
of your own may need none. It is stored sealed and never shown again. Before anything is
stored the provider is asked for its models, so a wrong key or address is told at once."""

LIST_DESCRIPTION = "Show the providers, their addresses, and whether they have a key."
CHECK_DESCRIPTION = """\
Ask a provider for its models, with the stored address and key, and say what to mend if it
does not answer. It costs nothing.

exit codes: 0 it answers, 1 it does not"""
REMOVE_DESCRIPTION = "Forget a provider and its key. Chats that it answered stay as they are."
FAMILIES = tuple(family for family in get_args(Family) if family != "scripted")


class AddOptions(Struct, frozen=True, kw_only=True):
    service: str | None
    preset: str | None
    family: Family | None
    name: str | None
    base_url: str | None
    key: str | None
    header: list[str]
    models_endpoint: str | None
    icon: str | None
    local: bool
    no_check: bool

    @property
    def is_empty(self) -> bool:
        """Nothing was said of what to add."""
        return not (self.service or self.preset or self.family or self.name or self.base_url)


def add_add_options(parser: Parser) -> None:
    group = parser.add_argument_group("provider")
    group.add_argument("service", metavar="PRESET", nargs="?", help="the same as --preset")
    add = parser.add_argument
    add("--preset", metavar="ID", help="begin with what is known of this service")
    add("--family", metavar="FAMILY", choices=FAMILIES, help=", ".join(FAMILIES))
    add("--name", metavar="NAME", help="the first half of its models' names")
    add("--base-url", metavar="URL", help="such as http://127.0.0.1:11434/v1")
    add("--key", metavar="KEY", help='"-" reads it from standard input, "none" stores none')
    help = "a header for every request; may be repeated"
    add("--header", metavar="NAME=VALUE", action="append", default=[], help=help)
    add("--models-endpoint", metavar="URL", help="another address that lists its models")
    add("--icon", metavar="TEXT", help="a letter or an emoji to show beside its models")
    add("--local", action="store_true", help="it is your own: what it answers costs nothing")
    add("--no-check", action="store_true", help="store it without asking it for its models")
    add_place_options(parser)


def add_list_options(parser: Parser) -> None:
    help = "print the providers as a JSON array"
    parser.add_argument("--json", action="store_true", help=help)
    add_place_options(parser)


def add_name_options(parser: Parser) -> None:
    group = parser.add_argument_group("provider")
    group.add_argument("name", metavar="NAME", help="as windowpane providers list shows it")
    add_place_options(parser)


def add(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.providing import add_provider, show_presets

    options = msgspec.convert(vars(arguments), AddOptions)
    return show_presets(settings) if options.is_empty else add_provider(settings, options=options)


def list_all(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.providing import show_providers

    return show_providers(settings, is_json=arguments.json)


def check(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.providing import check_provider

    return check_provider(settings, name=arguments.name)


def remove(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.providing import remove_provider

    return remove_provider(settings, name=arguments.name)


ADD = Command(
    name="providers add",
    usage="[options] [PRESET]",
    summary="add a place where models answer",
    description=ADD_DESCRIPTION,
    examples=(
        "windowpane providers add",
        "windowpane providers add anthropic",
        "pass show groq | windowpane providers add groq --key -",
        "windowpane providers add ollama --base-url http://192.168.1.5:11434/v1",
        "windowpane providers add --family openai_chat --name lab --base-url https://…/v1",
    ),
    add_options=add_add_options,
    run=add,
)

LIST = Command(
    name="providers list",
    usage="[options]",
    summary="show the providers",
    description=LIST_DESCRIPTION,
    examples=("windowpane providers list", "windowpane providers list --json | jq '.[].name'"),
    add_options=add_list_options,
    run=list_all,
)

CHECK = Command(
    name="providers check",
    usage="[options] NAME",
    summary="see whether a provider answers, and what to mend if not",
    description=CHECK_DESCRIPTION,
    examples=("windowpane providers check groq",),
    add_options=add_name_options,
    run=check,
)

REMOVE = Command(
    name="providers remove",
    usage="[options] NAME",
    summary="forget a provider and its key",
    description=REMOVE_DESCRIPTION,
    examples=("windowpane providers remove groq",),
    add_options=add_name_options,
    run=remove,
)
