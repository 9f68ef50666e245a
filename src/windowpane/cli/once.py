"""The options of ``windowpane send --once``: one API call to a model that nobody has set up."""

from __future__ import annotations

from argparse import ArgumentTypeError

from msgspec import Struct

from windowpane.cli.grammar import Parser
from windowpane.errors import InvalidInput
from windowpane.options import EFFORTS, Effort


class OnceOptions(Struct, frozen=True, kw_only=True):
    """Only ``--once`` takes these. As they are here, none of them was given."""

    definition: str | None = None
    no_stream: bool = False
    tools: str | None = None
    system: str | None = None
    image: tuple[str, ...] = ()
    web_search: bool = False
    effort: Effort | None = None
    budget: int | None = None
    temperature: float | None = None
    max_output: int | None = None
    prefill: str | None = None

    @property
    def first_given(self) -> str | None:
        """The name of an option that was given, as people write it."""
        for name in self.__struct_fields__:
            if getattr(self, name) not in (None, False, ()):
                return "--" + name.replace("_", "-")
        return None


def add_once_options(parser: Parser) -> None:
    add = parser.add_argument_group("without a workspace").add_argument
    add("--once", action="store_true", help="one API call as described here; nothing is stored")
    add("--definition", metavar="JSON|@FILE", help="the provider, as one JSON object")
    add("--no-stream", action="store_true", help="ask for the answer in one piece")
    add("--tools", metavar="FILE", help="a JSON list of tools that the model may call")
    add("--system", metavar="TEXT", help="the system prompt")
    add("--image", metavar="FILE", action="append", default=[], help="an image; may be repeated")
    add("--web-search", action="store_true", help="let the provider search the web")
    add("--effort", metavar="LEVEL", choices=EFFORTS, help=f"of reasoning: {', '.join(EFFORTS)}")
    add("--budget", metavar="N", type=count, help="tokens that reasoning may take")
    add("--temperature", metavar="X", type=float, help="how freely words are chosen")
    add("--max-output", metavar="N", type=count, help="tokens that the answer may take")
    add("--prefill", metavar="TEXT", help="how the answer shall begin")


def count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def check_once(options: OnceOptions, *, chat: str | None, project: str | None) -> None:
    """What ``--once`` cannot do without, and what it has no place for."""
    if chat or project:
        stray = "--chat" if chat else "--project"
        raise InvalidInput(f"--once stores nothing, so there is no place for {stray}.")
    if options.definition is None:
        raise InvalidInput(
            "--once needs --definition, which says where the model answers, such as "
            """'{"family":"openai_chat","base_url":"http://127.0.0.1:11434/v1"}'."""
        )


def check_not_once(options: OnceOptions) -> None:
    if stray := options.first_given:
        raise InvalidInput(f"{stray} goes with --once only. Add --once, or leave it out.")
