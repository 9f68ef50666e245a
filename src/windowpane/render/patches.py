"""The smallest honest description of how a part changed on the page.

Elements that did not change are kept; inside a growing list or table, so are its items and rows;
where nothing but text was added, only the text travels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape

from msgspec import Struct

# No more than the closing tags of some twenty nested elements.
_CLOSING_CHARS = 120
_CLOSING_TAGS = re.compile(r"(?:</[a-z0-9]+>)+$")


class Patch(Struct, frozen=True, omit_defaults=True):
    """What to do with the elements of a part, in this order.

    Go into the last child element, `inside` times. Keep the first `keep` children there and remove
    the others; append the elements of `html`. Then go on down, always to the last child node, as
    long as that is an element, and append `open_text` there as text.
    """

    keep: int
    html: str = ""
    open_text: str = ""
    inside: int = 0


def patch_between(
    shown: Sequence[str], wanted: Sequence[str], *, kept: int, inside: int
) -> Patch | None:
    """How to get from the siblings shown to those wanted, both behind `kept` others."""
    same = 0
    for old, new in zip(shown, wanted, strict=False):
        if old != new:
            break
        same += 1
    if same == len(shown) == len(wanted):
        return None
    if len(shown) == len(wanted) == same + 1 and (text := _added(shown[-1], wanted[-1])):
        return Patch(keep=kept + len(wanted), open_text=text, inside=inside)
    return Patch(keep=kept + same, html="".join(wanted[same:]), inside=inside)


def _added(old: str, new: str) -> str:
    """The text by which the last text of an element grew, if that is all that changed."""
    tags = _CLOSING_TAGS.search(old, max(0, len(old) - _CLOSING_CHARS))
    if tags is None or old[tags.start() - 1] == ">" or not new.endswith(tags[0]):
        return ""
    added = new[tags.start() : len(new) - len(tags[0])]
    is_text = "<" not in added and new.startswith(old[: tags.start()])
    return unescape(added) if is_text else ""
