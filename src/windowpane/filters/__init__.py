"""The filter language: which turns are shown, and with them, which are sent.

``parse`` or ``parse_line`` read what somebody wrote; ``evaluate`` (or ``select``, step by step)
chooses turns from a ``History``; ``explain`` and ``unparse`` say a filter in words and in its
own letters. Pure: texts and the context boundary are asked of the caller.
"""

from windowpane.filters.commands import (
    ChangeTopic,
    Command,
    DeleteTurns,
    Export,
    OpenView,
    SaveView,
    SetFlag,
    SetHud,
    SetPinned,
    SetSkipped,
    SetStar,
)
from windowpane.filters.errors import (
    BadDate,
    CommandError,
    DeleteRefused,
    FilterError,
    Span,
    TooManyToDelete,
    TopicAmbiguous,
    TopicNotFound,
)
from windowpane.filters.evaluate import (
    Pending,
    Question,
    Selection,
    WhichAreInContext,
    WhichContain,
    evaluate,
    no_boundary,
    select,
)
from windowpane.filters.explain import explain
from windowpane.filters.facts import History, TurnFacts
from windowpane.filters.globs import Folded, Glob, fold
from windowpane.filters.line import Line, parse_line
from windowpane.filters.parse import parse
from windowpane.filters.predicates import Viewpoint
from windowpane.filters.refusals import check_delete, check_delete_size
from windowpane.filters.syntax import ColourFlag, Everything, Filter
from windowpane.filters.topics import Topic, TopicPattern, TopicTree
from windowpane.filters.unparse import unparse

__all__ = [
    "BadDate",
    "ChangeTopic",
    "ColourFlag",
    "Command",
    "CommandError",
    "DeleteRefused",
    "DeleteTurns",
    "Everything",
    "Export",
    "Filter",
    "FilterError",
    "Folded",
    "Glob",
    "History",
    "Line",
    "OpenView",
    "Pending",
    "Question",
    "SaveView",
    "Selection",
    "SetFlag",
    "SetHud",
    "SetPinned",
    "SetSkipped",
    "SetStar",
    "Span",
    "TooManyToDelete",
    "Topic",
    "TopicAmbiguous",
    "TopicNotFound",
    "TopicPattern",
    "TopicTree",
    "TurnFacts",
    "Viewpoint",
    "WhichAreInContext",
    "WhichContain",
    "check_delete",
    "check_delete_size",
    "evaluate",
    "explain",
    "fold",
    "no_boundary",
    "parse",
    "parse_line",
    "select",
    "unparse",
]
