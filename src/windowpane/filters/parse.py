"""Tokens to a syntax tree: parentheses, then ``!``, then "and", then "or".

Side by side means "and". Everything that can be wrong with a filter is found here, dates
included, so that evaluating a tree cannot fail. What a letter takes as its value is decided in
``values``.
"""

from __future__ import annotations

from windowpane.filters.dates import UNITS
from windowpane.filters.errors import FilterError, Span
from windowpane.filters.lex import LETTERS, Token, lex
from windowpane.filters.syntax import Everything, Filter, Not, Term, all_of, any_of
from windowpane.filters.values import predicate

# Deeper than anybody nests, and shallow enough to walk by recursion.
DEEPEST = 100


def parse(text: str) -> Filter:
    """Read a filter. Raises ``FilterError`` pointing at the place that is wrong."""
    return _Parser(text).filter()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = lex(text)
        self.at = 0

    def filter(self) -> Filter:
        if not self.tokens:
            return Everything()
        tree = self.any_of(depth=0)
        if token := self.next_token():
            raise self.unexpected("trailing input", token)
        return tree

    def any_of(self, *, depth: int) -> Filter:
        operands = [self.all_of(depth=depth)]
        while self.take("operator", "|+"):
            operands.append(self.all_of(depth=depth))
        return any_of(operands)

    def all_of(self, *, depth: int) -> Filter:
        operands = [self.single(depth=depth)]
        while self.take("operator", "&") or self.begins_single():
            operands.append(self.single(depth=depth))
        return all_of(operands)

    def begins_single(self) -> bool:
        token = self.next_token()
        return token is not None and (token.kind == "letter" or token.text in ("!", "("))

    def single(self, *, depth: int) -> Filter:
        if depth > DEEPEST:
            raise self.error(
                "Nested too deeply",
                span=self.tokens[self.at - 1].span,
                advice=f"Use at most {DEEPEST} parentheses and ! inside each other.",
            )
        if self.take("operator", "!"):
            return Not(operand=self.single(depth=depth + 1))
        if opening := self.take("paren", "("):
            return self.group(opening, depth=depth + 1)
        return self.term()

    def group(self, opening: Token, *, depth: int) -> Filter:
        tree = self.any_of(depth=depth)
        if not self.next_token():
            raise self.error("Unclosed parenthesis", span=opening.span, advice="Close it with ).")
        if not self.take("paren", ")"):
            raise self.unexpected("token", self.tokens[self.at])
        return tree

    def term(self) -> Term:
        letter = self.next_token()
        if not letter:
            last = self.tokens[-1]
            raise self.error(
                f"Nothing follows {last.text}",
                span=last.span,
                advice="Write a predicate behind it, such as b or s2, or remove it.",
            )
        if letter.kind != "letter":
            raise self.unexpected("token", letter)
        self.at += 1
        compare = self.take_kind("compare")
        value = self.take_kind("age", "day", "number", "quoted", "word")
        end = (value or compare or letter).span.end
        return Term(
            predicate=predicate(letter, compare=compare, value=value, text=self.text),
            span=Span(letter.span.start, end),
        )

    def next_token(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, kind: str, texts: str) -> Token | None:
        token = self.next_token()
        if token and token.kind == kind and token.text in texts:
            self.at += 1
            return token
        return None

    def take_kind(self, *kinds: str) -> Token | None:
        token = self.next_token()
        if token and token.kind in kinds:
            self.at += 1
            return token
        return None

    def unexpected(self, what: str, token: Token) -> FilterError:
        previous = self.tokens[self.at - 1] if self.at else None
        if previous and previous.kind == "age" and previous.text[-1].isalpha():
            advice = (
                f"{previous.text} is an age (units are min, h, d, w, mo, y); "
                "put a space before what is no unit."
            )
        else:
            advice = _mend(token)
        return self.error(f"Unexpected {what} {token.text}", span=token.span, advice=advice)

    def error(self, reason: str, *, span: Span, advice: str) -> FilterError:
        return FilterError(reason, text=self.text, span=span, advice=advice)


def _mend(token: Token) -> str:
    """How to write what was probably meant."""
    match token.kind:
        case "quoted":
            return f"Say what it is: c{token.text} is text, m{token.text} a model."
        case "word":
            return _mend_word(token.text)
        case "operator":
            return "Write a predicate in front of it, such as b or s2, or remove it."
        case "paren":
            return "Parentheses come in pairs around a filter, as in (s2 | b)."
        case "compare":
            return "A comparison stands between s or d and its value, as in s>=2 or d<7d."
        case _:
            return "A value follows its letter, as in s2, r3 or d<7d."


def _mend_word(word: str) -> str:
    small = word.lower()
    if small in UNITS:
        return f"A unit touches its number, as in d<7{small}."
    if small[0] in LETTERS and (len(small) == 1 or small[1:].isdigit()):
        return f"Letters are small: try {small}."
    return (
        f"Filters are made of the letters {' '.join(LETTERS)}; "
        f"text to look for is written c'{word}'."
    )
