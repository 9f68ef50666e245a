"""Pages of the documentation whose examples are run."""

from __future__ import annotations

import re
from doctest import ELLIPSIS, DocTestParser, DocTestRunner
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text()


def check_examples(name: str) -> int:
    """Run all examples of a page, one after the other as a reader would; how many there were."""
    blocks = re.findall(r"^```pycon\n(.*?)^```$", page(name), re.MULTILINE | re.DOTALL)
    test = DocTestParser().get_doctest("\n".join(blocks), {}, name, name, 0)
    said: list[str] = []
    DocTestRunner(optionflags=ELLIPSIS).run(test, out=said.append)
    assert not said, "".join(said)
    return len(test.examples)
