"""``windowpane projects``: which there are, and the settings that their sends are shaped by."""

from __future__ import annotations

from argparse import Namespace

import msgspec
from msgspec import Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.grammar import Command, Parser
from windowpane.settings import Settings

LIST_DESCRIPTION = "List the projects, their chats and turns, and the model they have chosen."
ADD_DESCRIPTION = "Make a project. It has nothing chosen yet: the defaults apply."
SHOW_DESCRIPTION = """\
Show every setting that applies to a new chat of a project: its value, and whether the
project chose it or the default applies. What the model would not heed is said below.
windowpane plan --settings shows the same for a chat, with what the chat and its topic chose."""
SET_DESCRIPTION = """\
Choose settings for a project, for one of its topics or for one of its chats. KEY= takes a
choice away again, so that the next place decides: topic, then project, then the default.
KEY=@FILE reads the value from a file. windowpane projects show lists the keys.

Nothing is stored unless all of it fits."""


class SetOptions(Struct, frozen=True, kw_only=True):
    name: str
    changes: list[str]
    topic: str | None
    chat: str | None


def add_list_options(parser: Parser) -> None:
    help = "print the projects as a JSON array"
    parser.add_argument("--json", action="store_true", help=help)
    add_place_options(parser)


def add_name(parser: Parser) -> None:
    group = parser.add_argument_group("project")
    group.add_argument("name", metavar="NAME", help="its name, or its id")


def add_add_options(parser: Parser) -> None:
    add_name(parser)
    add_place_options(parser)


def add_show_options(parser: Parser) -> None:
    add_name(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_place_options(parser)


def add_set_options(parser: Parser) -> None:
    group = parser.add_argument_group("settings")
    group.add_argument("name", metavar="NAME", help="the project's name, or its id")
    help = "such as temperature=0.2, max_output_tokens=model or prefill="
    group.add_argument("changes", metavar="KEY=VALUE", nargs="+", help=help)
    add = parser.add_argument
    add("--topic", metavar="PATH", help="for this topic of the project, such as 'AI > Papers'")
    add("--chat", metavar="ID", help="for this chat of the project")
    add_place_options(parser)


def list_all(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.projecting import show_projects

    return show_projects(settings, is_json=arguments.json)


def add(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.projecting import add_project

    return add_project(settings, name=arguments.name)


def show_one(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.projecting import show_project

    return show_project(settings, name=arguments.name, is_json=arguments.json)


def change(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.projecting import change_settings

    return change_settings(settings, options=msgspec.convert(vars(arguments), SetOptions))


LIST = Command(
    name="projects",
    usage="[options]",
    summary="list the projects",
    description=LIST_DESCRIPTION,
    examples=("windowpane projects", "windowpane projects --json | jq -r '.[].id'"),
    add_options=add_list_options,
    run=list_all,
)

ADD = Command(
    name="projects add",
    usage="[options] NAME",
    summary="make a project",
    description=ADD_DESCRIPTION,
    examples=("windowpane projects add 'Ledger service'",),
    add_options=add_add_options,
    run=add,
)

SHOW = Command(
    name="projects show",
    usage="[options] NAME",
    summary="show the settings of a project",
    description=SHOW_DESCRIPTION,
    examples=(
        "windowpane projects show Home",
        "windowpane projects show Home --json | jq .applied.temperature",
    ),
    add_options=add_show_options,
    run=show_one,
)

SET = Command(
    name="projects set",
    usage="[options] NAME KEY=VALUE ...",
    summary="choose settings for a project, a topic or a chat",
    description=SET_DESCRIPTION,
    examples=(
        "windowpane projects set Home model=openai/gpt-5 reasoning_effort=low",
        "windowpane projects set Home system_prompt=@prompt.md message_format=metadata",
        "windowpane projects set Home --topic 'AI > Papers' temperature=0",
        "windowpane projects set Home temperature=",
    ),
    add_options=add_set_options,
    run=change,
)
