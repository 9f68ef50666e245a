"""Search as thinking: what is asked, what is indexed, which turns answer best, what is shown.

Pure, though SQLite does the work: its full-text indexes live in memory and are bytes otherwise.
Where segments are kept and when they grow is decided elsewhere.
"""

from windowpane.search.excerpt import HitWords, excerpt, merged
from windowpane.search.fields import ROLES, Fields, Texts, fields_of, texts_of
from windowpane.search.found import ChatHit, Excerpt, Found, Mark, TurnHit
from windowpane.search.rank import Corpus, Find, Scored, ranked
from windowpane.search.segment import COLUMNS, RECIPE, Grown, OpenSegment, grown
from windowpane.search.wish import Wanted, Wish, wish_of

__all__ = [
    "COLUMNS",
    "RECIPE",
    "ROLES",
    "ChatHit",
    "Corpus",
    "Excerpt",
    "Fields",
    "Find",
    "Found",
    "Grown",
    "HitWords",
    "Mark",
    "OpenSegment",
    "Scored",
    "Texts",
    "TurnHit",
    "Wanted",
    "Wish",
    "excerpt",
    "fields_of",
    "grown",
    "merged",
    "ranked",
    "texts_of",
    "wish_of",
]
