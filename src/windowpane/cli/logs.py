"""Where log lines go and which are shown: plain lines on standard error.

Only the product's own lines follow the chosen level. Libraries stay at warnings, because what
they tell below that holds addresses and bodies, and those are nobody's but the user's.
"""

from __future__ import annotations

import logging

LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def start_logging(level: str) -> None:
    logging.basicConfig(format=LINE, level=logging.WARNING)
    logging.getLogger("windowpane").setLevel(level.upper())
