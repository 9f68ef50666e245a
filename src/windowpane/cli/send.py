"""``windowpane send``: one message out, its answer on standard output."""

from __future__ import annotations

from argparse import Namespace

import msgspec
from msgspec import Struct

from windowpane.cli.configuration import add_place_options
from windowpane.cli.deciding import add_decision_options
from windowpane.cli.grammar import Command, Parser
from windowpane.cli.once import OnceOptions, add_once_options, check_not_once, check_once
from windowpane.cli.typed import message_from
from windowpane.errors import InvalidInput
from windowpane.settings import Settings

DESCRIPTION = """\
Send one message and print the answer as it arrives.

The text comes from TEXT, or from standard input if there is no TEXT or it is "-". It goes
into a new chat of the first project unless --chat or --project say otherwise. Standard
output gets the answer and nothing else; in a terminal, reasoning is shown dimmed beside it.
Ctrl+C stops the answer and keeps what arrived. A server may run at the same time.

A tool that may not run unasked is asked about in a terminal, unless --yes or --no answers.
Where nobody can be asked, the answer waits and the exit code is 1. With --chat and an empty
TEXT, a chat that waits goes on.

With --once it needs no workspace: one API call to the provider that --definition describes,
by its own name for the --model. No key file, no database and no chat is made or opened.

exit codes: 0 answered, 1 the send or the provider failed, 2 wrong options or input,
130 stopped with Ctrl+C"""


class SendOptions(Struct, frozen=True, kw_only=True):
    text: str | None
    chat: str | None
    project: str | None
    model: str | None
    json: bool
    once: bool
    yes: bool
    no: bool


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    message = parser.add_argument_group("message")
    message.add_argument("text", metavar="TEXT", nargs="?", help='"-" reads standard input')
    add("--chat", metavar="ID", help="go on in this chat")
    add("--project", metavar="ID", help="begin a chat in this project")
    add("--model", metavar="NAME", help="answer this message with this model (provider/model)")
    add("--json", action="store_true", help="print one JSON object when the answer is complete")
    add_decision_options(parser)
    add_once_options(parser)
    add_place_options(parser)


def run(settings: Settings, arguments: Namespace) -> int:
    options = msgspec.convert(vars(arguments), SendOptions)
    once = msgspec.convert(vars(arguments), OnceOptions)
    return _run_once(settings, options, once) if options.once else _run(settings, options, once)


def _run(settings: Settings, options: SendOptions, once: OnceOptions) -> int:
    from windowpane.cli.sending import send_and_follow

    check_not_once(once)
    if options.chat and options.project:
        raise InvalidInput("Give --chat or --project, not both: a chat is in a project already.")
    text = message_from(options.text, limit_bytes=settings.message_limit_bytes)
    return send_and_follow(text, settings=settings, options=options)


def _run_once(settings: Settings, options: SendOptions, once: OnceOptions) -> int:
    from windowpane.cli.asking import ask_once, question_from

    check_once(once, chat=options.chat, project=options.project)
    text = message_from(options.text, limit_bytes=settings.message_limit_bytes)
    question = question_from(once, text=text, model=options.model)
    return ask_once(question, settings=settings, is_json=options.json)


COMMAND = Command(
    name="send",
    usage="[options] [TEXT | -]",
    summary="send one message and print the answer",
    description=DESCRIPTION,
    examples=(
        'windowpane send "What does SIGPIPE mean?"',
        "git diff | windowpane send --model local/smollm2-135m -",
        'windowpane send --json "Say hello" | jq -r .text',
        'windowpane send --chat cht_… "And in French?"',
        'windowpane send --once --definition @groq.json --model qwen3-32b --json "Say hello"',
    ),
    add_options=add_options,
    run=run,
)
