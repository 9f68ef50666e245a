"""The page about errors: every code that a program can meet is on it, and no other."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import get_args

import windowpane
from windowpane.errors import FailureKind, WindowpaneError

ROOT = Path(windowpane.__file__).parent
TEXT = (Path(__file__).parents[2] / "docs/errors.md").read_text()
CODES, KINDS = TEXT.split("## When a provider fails")


def first_cells(text: str) -> list[str]:
    return re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


def kinds_of(error: type[WindowpaneError]) -> Iterator[type[WindowpaneError]]:
    yield error
    for kind in error.__subclasses__():
        yield from kinds_of(kind)


def raised_codes() -> set[str]:
    for module in walk_packages([str(ROOT)], "windowpane."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    return {error.code for error in kinds_of(WindowpaneError)} - {"provider_failed"}


def written_codes() -> set[str]:
    """Codes of answers that are no error inside the program, such as those of the gate."""
    sources = [path.read_text() for path in (*ROOT.glob("web/*.py"), *ROOT.glob("cli/*.py"))]
    told = re.compile(r'(?:code=|_tell\()"(\w+)"')
    return {code for source in sources for code in told.findall(source)}


def test_every_code_is_on_the_page_once_and_no_other() -> None:
    told = first_cells(CODES)
    assert len(told) == len(set(told))
    assert set(told) == raised_codes() | written_codes()


def test_every_kind_of_failure_is_on_the_page_and_no_other() -> None:
    assert "`provider_failed`" in KINDS
    assert first_cells(KINDS) == list(get_args(FailureKind))


def test_no_two_errors_share_a_code() -> None:
    raised_codes()
    codes = [error.code for error in kinds_of(WindowpaneError)]
    assert len(codes) == len(set(codes))
