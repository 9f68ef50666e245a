"""What lies where: one shelf per kind of value, and how ids, parents and positions are chosen."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from windowpane.accounting import UsageEvent
from windowpane.catalog.limits import LimitValues
from windowpane.catalog.overrides import ModelOverride
from windowpane.context.receipt import Receipt
from windowpane.context.scope import PageTotals
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.deletions import Deletion, Tombstone
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


class Run(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A turn that a process is answering now. Its id is the chat's: one send per chat.

    ``receipt`` is that of the request on its way, so that a crash leaves its account.
    """

    turn_id: str
    process_id: str
    open_part: OpenPart | None
    receipt: Receipt | None = None


class SharedText(Struct, frozen=True):
    """A text that many receipts of a chat point to, stored once."""

    text: str


class PackedTurns(Struct, frozen=True, kw_only=True):
    """A cache: the turns of one full page of a chat's path, opened at one stroke."""

    turns: tuple[Turn, ...]


class ListedModels(Struct, frozen=True, kw_only=True):
    """A cache: the models that a provider listed when it was asked last."""

    models: tuple[ModelInfo, ...]
    fetched_at: datetime


class ModelOverrides(Struct, frozen=True, kw_only=True):
    """What a person knows better of a provider's models."""

    overrides: tuple[ModelOverride, ...]


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
VIEWS = Shelf("views", holds=NamedView, noun="view")
PAGES = Shelf("pages", holds=PackedTurns, noun="page of turns")
PAGE_TOTALS = Shelf("pages", holds=PageTotals, noun="page's totals")
TURNS = Shelf("turns", holds=Turn, noun="turn")
RECORDS = Shelf("records", holds=Message, noun="message")
SPECIALS = Shelf[SpecialRecord]("records", holds=SpecialRecord, noun="special record")
TOMBSTONES = Shelf("tombstones", holds=Tombstone, noun="tombstone")
DELETIONS = Shelf("tombstones", holds=Deletion, noun="deletion")
EVENTS = Shelf("events", holds=LoggedEvent, noun="event")
RUNS = Shelf("runs", holds=Run, noun="running turn")
RECEIPTS = Shelf("receipts", holds=Receipt, noun="receipt")
TEXTS = Shelf("texts", holds=SharedText, noun="text of a receipt")
USAGE = Shelf("usage", holds=UsageEvent, noun="usage event")
DEFINITIONS = Shelf("definitions", holds=ProviderDefinition, noun="provider")
MODEL_LISTS = Shelf("definitions", holds=ListedModels, noun="list of models")
LEARNED = Shelf("definitions", holds=LearnedModels, noun="lesson about models")
OVERRIDES = Shelf("definitions", holds=ModelOverrides, noun="override")
PREFERENCES = Shelf("preferences", holds=Preferences, noun="preferences record")
PREFERENCES_ID = "preferences"


def list_id(definition_id: str) -> str:
    """Of a provider's list of models, which lies beside the definitions and not among them."""
    return f"{definition_id}:models"


def overrides_id(definition_id: str) -> str:
    return f"{definition_id}:overrides"


def learned_id(definition_id: str) -> str:
    return f"{definition_id}:learned"


def left_of(chat_id: str) -> str:
    """The parent of a chat's turns that are not on its path any more."""
    return f"{chat_id}:left"


def deleted_of(chat_id: str) -> str:
    """The parent of a chat's turns that were deleted and can still come back."""
    return f"{chat_id}:deleted"


def micros(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000)
