"""``windowpane chats``: list, rename, fork, move and delete chats, and bring them back."""

from __future__ import annotations

from argparse import Namespace

import msgspec
from msgspec import Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.grammar import Command, Parser
from windowpane.settings import Settings

LIST_DESCRIPTION = """\
List the chats, those used last first: id, number of turns, project and title."""
RENAME_DESCRIPTION = "Give a chat another title."
FORK_DESCRIPTION = """\
Make a new chat that begins with copies of everything up to a turn, or of the whole chat.
Both go their own ways from there. A turn that was left behind by an edit can be forked, too."""
MOVE_DESCRIPTION = """\
Move a chat to another project. Its turns keep their topics as far as the other project has
topics at the same paths; those that it does not have are named."""
DELETE_DESCRIPTION = """\
Delete a chat with all its turns. For a minute it can be brought back with the command that
is printed; afterwards it is gone for good, and only what it cost stays in the accounts."""
RESTORE_DESCRIPTION = "Bring back what was deleted less than a minute ago, as it was."


class ListOptions(Struct, frozen=True, kw_only=True):
    project: str | None
    json: bool


class ForkOptions(Struct, frozen=True, kw_only=True):
    chat: str
    turn: str | None
    json: bool


def add_list_options(parser: Parser) -> None:
    parser.add_argument("--project", metavar="PROJECT", help="only of this project: id or name")
    help = "print the chats as a JSON array"
    parser.add_argument("--json", action="store_true", help=help)
    add_place_options(parser)


def add_rename_options(parser: Parser) -> None:
    _add_chat(parser)
    parser.add_argument("title", metavar="TITLE", help="on one line")
    _add_rest(parser)


def add_fork_options(parser: Parser) -> None:
    _add_chat(parser)
    help = "the last turn to copy, instead of the newest one"
    parser.add_argument("--turn", metavar="ID", help=help)
    _add_rest(parser)


def add_move_options(parser: Parser) -> None:
    _add_chat(parser)
    parser.add_argument("project", metavar="PROJECT", help="its id or its name")
    _add_rest(parser)


def add_delete_options(parser: Parser) -> None:
    _add_chat(parser)
    _add_rest(parser)


def add_restore_options(parser: Parser) -> None:
    parser.add_argument("deletion", metavar="DELETION", help="as the deletion printed it")
    _add_rest(parser)


def list_all(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.chatting import show_chats

    return show_chats(settings, options=msgspec.convert(vars(arguments), ListOptions))


def rename(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.chatting import rename_chat

    return rename_chat(
        settings, chat_id=arguments.chat, title=arguments.title, is_json=arguments.json
    )


def fork(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.chatting import fork_chat

    return fork_chat(settings, options=msgspec.convert(vars(arguments), ForkOptions))


def move(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.chatting import move_chat

    return move_chat(
        settings, chat_id=arguments.chat, project=arguments.project, is_json=arguments.json
    )


def delete(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.chatting import delete_chat

    return delete_chat(settings, chat_id=arguments.chat, is_json=arguments.json)


def restore(settings: Settings, arguments: Namespace) -> int:
    from windowpane.cli.chatting import restore_deleted

    return restore_deleted(settings, deletion_id=arguments.deletion, is_json=arguments.json)


def _add_chat(parser: Parser) -> None:
    parser.add_argument("chat", metavar="ID", help="as windowpane chats list shows it")


def _add_rest(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_place_options(parser)


LIST = Command(
    name="chats list",
    usage="[options]",
    summary="list the chats",
    description=LIST_DESCRIPTION,
    examples=(
        "windowpane chats list",
        "windowpane chats list --project Garden",
        "windowpane chats list --json | jq -r '.[0].id'",
    ),
    add_options=add_list_options,
    run=list_all,
)

RENAME = Command(
    name="chats rename",
    usage="[options] ID TITLE",
    summary="give a chat another title",
    description=RENAME_DESCRIPTION,
    examples=('windowpane chats rename cht_… "Pruning the old pear"',),
    add_options=add_rename_options,
    run=rename,
)

FORK = Command(
    name="chats fork",
    usage="[options] ID",
    summary="go on with a copy of a chat",
    description=FORK_DESCRIPTION,
    examples=(
        "windowpane chats fork cht_…",
        'windowpane send --chat "$(windowpane chats fork cht_… --json | jq -r .id)" "And if not?"',
    ),
    add_options=add_fork_options,
    run=fork,
)

MOVE = Command(
    name="chats move",
    usage="[options] ID PROJECT",
    summary="move a chat to another project",
    description=MOVE_DESCRIPTION,
    examples=("windowpane chats move cht_… Garden",),
    add_options=add_move_options,
    run=move,
)

DELETE = Command(
    name="chats delete",
    usage="[options] ID",
    summary="delete a chat; for a minute it can come back",
    description=DELETE_DESCRIPTION,
    examples=("windowpane chats delete cht_…",),
    add_options=add_delete_options,
    run=delete,
)

RESTORE = Command(
    name="chats restore",
    usage="[options] DELETION",
    summary="bring back what was deleted",
    description=RESTORE_DESCRIPTION,
    examples=("windowpane chats restore del_…",),
    add_options=add_restore_options,
    run=restore,
)
