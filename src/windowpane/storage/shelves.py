"""What lies where: one shelf per kind of value, and how ids, parents and positions are chosen."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from msgspec import Struct

from windowpane.accounting import UsageEvent, UsageSum
from windowpane.catalog.limits import LimitValues
from windowpane.catalog.overrides import ModelOverride
from windowpane.context.receipt import Receipt
from windowpane.context.scope import PageTotals
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.deletions import Deletion, Tombstone
from windowpane.drafts import Draft
from windowpane.events import LoggedEvent, OpenPart
from windowpane.messages import Message
from windowpane.projects import Chat, Project
from windowpane.records import SpecialRecord
from windowpane.storage.vault import Shelf
from windowpane.tokens import UNCALIBRATED, Calibration
from windowpane.topics import NamedView, ProjectTopic
from windowpane.turns import Turn

# The parent of what has none: projects, definitions, runs.
TOP = ""
# The parent of deletions that can still be undone, by the moment when they no longer can.
DUE = "due"


class Run(Struct, frozen=True, kw_only=True):
    """A turn that a process is answering now. Its id is the chat's: one send per chat."""

    turn_id: str
    process_id: str


class Progress(Struct, frozen=True, kw_only=True):
    """How far a running turn is beyond its messages and events, written again and again.

    Its id is the turn's, so that a process whose turn was closed by another can never write into
    the next one's. ``receipt`` is that of the request on its way, so that a crash leaves its
    account.
    """

    open_part: OpenPart | None
    receipt: Receipt | None


class StopRequest(Struct, frozen=True, kw_only=True):
    """Somebody wants a running turn to stop, perhaps in another process than the one it is in.

    ``is_soft``: after the step it is at.
    """

    asked_at: datetime
    is_soft: bool


class ToolOutput(Struct, frozen=True, kw_only=True):
    """The whole of what a tool gave, where a message holds only some of it."""

    turn_id: str
    name: str
    text: str


class SharedText(Struct, frozen=True):
    """A text that many receipts of a chat point to, stored once."""

    text: str


class PackedTurns(Struct, frozen=True, kw_only=True):
    """A cache: the turns of one full page of a chat's path, opened at one stroke."""

    turns: tuple[Turn, ...]


class PagesDropped(Struct, frozen=True, kw_only=True):
    """Written whenever pages of a chat are dropped, so that nobody packs what he read before."""


class TopicsChanged(Struct, frozen=True, kw_only=True):
    """Written with every change of a project's topics, so that two cannot both make one."""


class ListedModels(Struct, frozen=True, kw_only=True):
    """A cache: the models that a provider listed when it was asked last."""

    models: tuple[ModelInfo, ...]
    fetched_at: datetime


class DefinitionsChanged(Struct, frozen=True, kw_only=True):
    """Written with every change of definitions, lists of models and overrides.

    By its version other processes see that there is news, and two cannot both make a change.
    """

    at: datetime


class ModelOverrides(Struct, frozen=True, kw_only=True):
    """What a person knows better of a provider's models."""

    overrides: tuple[ModelOverride, ...]


class LedgerGuard(Struct, frozen=True):
    """Says nothing: its version grows with every reservation."""


class Reservation(Struct, frozen=True, kw_only=True):
    """Money set aside for a call that is being made."""

    usd: Decimal
    process_id: str


class DaySums(Struct, frozen=True, kw_only=True):
    """A cache: the usage of one day that is over, added up."""

    sums: tuple[UsageSum, ...]


class LearnedModel(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A cache: what calls to one model have taught."""

    limits: LimitValues = LimitValues()
    calibration: Calibration = UNCALIBRATED


class LearnedModels(Struct, frozen=True, kw_only=True):
    models: dict[str, LearnedModel]


class Preferences(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the user chose and the product remembers, beside the process's settings."""

    model: str | None = None


PROJECTS = Shelf("projects", holds=Project, noun="project")
CHATS = Shelf("chats", holds=Chat, noun="chat")
TOPICS = Shelf("topics", holds=ProjectTopic, noun="topic")
TOPICS_CHANGED = Shelf("topics", holds=TopicsChanged, noun="mark of changed topics")
VIEWS = Shelf("views", holds=NamedView, noun="view")
PAGES = Shelf("pages", holds=PackedTurns, noun="page of turns")
PAGE_TOTALS = Shelf("pages", holds=PageTotals, noun="page's totals")
PAGES_DROPPED = Shelf("pages", holds=PagesDropped, noun="mark of dropped pages")
TURNS = Shelf("turns", holds=Turn, noun="turn")
RECORDS = Shelf("records", holds=Message, noun="message")
OUTPUTS = Shelf("records", holds=ToolOutput, noun="tool output")
SPECIALS = Shelf[SpecialRecord]("records", holds=SpecialRecord, noun="special record")
TOMBSTONES = Shelf("tombstones", holds=Tombstone, noun="tombstone")
DELETIONS = Shelf("tombstones", holds=Deletion, noun="deletion")
EVENTS = Shelf("events", holds=LoggedEvent, noun="event")
RUNS = Shelf("runs", holds=Run, noun="running turn")
PROGRESS = Shelf("runs", holds=Progress, noun="progress of a turn")
STOPS = Shelf("runs", holds=StopRequest, noun="request to stop")
RECEIPTS = Shelf("receipts", holds=Receipt, noun="receipt")
TEXTS = Shelf("texts", holds=SharedText, noun="text of a receipt")
USAGE = Shelf("usage", holds=UsageEvent, noun="usage event")
LEDGERS = Shelf("ledgers", holds=LedgerGuard, noun="budget")
RESERVATIONS = Shelf("ledgers", holds=Reservation, noun="reservation")
DRAFTS = Shelf("drafts", holds=Draft, noun="draft")
DAY_SUMS = Shelf("pages", holds=DaySums, noun="day's usage")
DAY_SUMS_PARENT = "usage-days"
DEFINITIONS = Shelf("definitions", holds=ProviderDefinition, noun="provider")
DEFINITIONS_CHANGED = Shelf(
    "definitions", holds=DefinitionsChanged, noun="time at which providers were changed"
)
DEFINITIONS_CHANGED_ID = "changed"
MODEL_LISTS = Shelf("definitions", holds=ListedModels, noun="list of models")
LEARNED = Shelf("definitions", holds=LearnedModels, noun="lesson about models")
OVERRIDES = Shelf("definitions", holds=ModelOverrides, noun="override")
PREFERENCES = Shelf("preferences", holds=Preferences, noun="preferences record")
PREFERENCES_ID = "preferences"


def topics_changed_id(project_id: str) -> str:
    """Of the mark that lies beside a project's topics and not among them."""
    return f"{project_id}:changed"


def list_id(definition_id: str) -> str:
    """Of a provider's list of models, which lies beside the definitions and not among them."""
    return f"{definition_id}:models"


def overrides_id(definition_id: str) -> str:
    return f"{definition_id}:overrides"


def learned_id(definition_id: str) -> str:
    return f"{definition_id}:learned"


def chat_ledger_id(chat_id: str) -> str:
    """Of the guard of a chat's budget, which is its own parent."""
    return f"chat:{chat_id}"


def project_ledger_id(project_id: str) -> str:
    return f"project:{project_id}"


def reservations_of(ledger_id: str) -> str:
    """The parent of what is set aside of a budget."""
    return f"{ledger_id}:reserved"


def stop_id(turn_id: str) -> str:
    return f"{turn_id}:stop"


def left_of(chat_id: str) -> str:
    """The parent of a chat's turns that are not on its path any more."""
    return f"{chat_id}:left"


def deleted_of(chat_id: str) -> str:
    """The parent of a chat's turns that were deleted and can still come back."""
    return f"{chat_id}:deleted"


def outputs_of(turn_id: str) -> str:
    """The parent of a turn's tool outputs, which lie beside its messages and not among them."""
    return f"{turn_id}:outputs"


def micros(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000)
