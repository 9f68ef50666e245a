"""``windowpane providers``: where models answer. Keys go in and are never shown again."""

from __future__ import annotations

import sys
from argparse import Namespace

import msgspec
from msgspec import Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.exits import DONE
from windowpane.cli.grammar import Command, Parser
from windowpane.cli.terminal import ask_secret, can_ask
from windowpane.settings import Settings

ADD_DESCRIPTION = """\
Add a server that speaks OpenAI's Chat Completions: OpenAI itself, Ollama, LM Studio,
llama.cpp, vLLM, OpenRouter, Groq and many others. Its models are then called NAME/model.

The key is asked for, or read from the first line of standard input with --key -; a server
of your own may need none. It is stored sealed and never shown again."""

LIST_DESCRIPTION = "Show the providers, their addresses, and whether they have a key."
REMOVE_DESCRIPTION = "Forget a provider and its key. Chats that it answered stay as they are."


class AddOptions(Struct, frozen=True, kw_only=True):
    name: str
    base_url: str
    key: str | None


def add_add_options(parser: Parser) -> None:
    group = parser.add_argument_group("provider")
    group.add_argument("name", metavar="NAME", help="the first half of its models' names")
    group.add_argument("base_url", metavar="URL", help="such as http://127.0.0.1:11434/v1")
    help = '"-" reads the key from standard input, "none" stores no key'
    parser.add_argument("--key", metavar="WAY", choices=("-", "none"), help=help)
    add_place_options(parser)


def add_list_options(parser: Parser) -> None:
    help = "print the providers as a JSON array"
    parser.add_argument("--json", action="store_true", help=help)
    add_place_options(parser)


def add_remove_options(parser: Parser) -> None:
    group = parser.add_argument_group("provider")
    group.add_argument("name", metavar="NAME", help="as windowpane providers list shows it")
    add_place_options(parser)


def add(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.providing import add_provider

    options = msgspec.convert(vars(arguments), AddOptions)
    add_provider(settings, name=options.name, base_url=options.base_url, api_key=_key(options.key))
    print(f"Added {options.name}. Its models: windowpane send --model {options.name}/MODEL …")
    return DONE


def list_all(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.providing import listed, providers_text

    providers = listed(settings)
    shown = msgspec.json.encode(providers).decode() if arguments.json else providers_text(providers)
    print(shown)
    return DONE


def remove(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.providing import remove_provider

    remove_provider(settings, name=arguments.name)
    print(f"Removed {arguments.name}.")
    return DONE


def _key(way: str | None) -> str:
    if way == "none":
        return ""
    if way == "-" or not can_ask():
        return sys.stdin.readline().strip()
    return ask_secret("API key (empty if it needs none): ")


ADD = Command(
    name="providers add",
    usage="[options] NAME URL",
    summary="add a server where models answer",
    description=ADD_DESCRIPTION,
    examples=(
        "windowpane providers add ollama http://127.0.0.1:11434/v1 --key none",
        "windowpane providers add openai https://api.openai.com/v1",
        "pass show groq | windowpane providers add groq https://api.groq.com/openai/v1 --key -",
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

REMOVE = Command(
    name="providers remove",
    usage="[options] NAME",
    summary="forget a provider and its key",
    description=REMOVE_DESCRIPTION,
    examples=("windowpane providers remove groq",),
    add_options=add_remove_options,
    run=remove,
)
