"""What lies where: one shelf per kind of value, and how ids, parents and positions are chosen."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from windowpane.catalog.overrides import ModelOverride
from windowpane.context.scope import PageTotals
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.events import LoggedEvent, OpenPart
from windowpane.messages import Message
from windowpane.projects import Chat, Project
from windowpane.storage.vault import Shelf
from windowpane.topics import NamedView, ProjectTopic
from windowpane.turns import Turn

# The parent of what has none: projects, definitions, runs.
TOP = ""


class Run(Struct, frozen=True, kw_only=True):
    """A turn that a process is answering now. Its id is the chat's: one send per chat."""

    turn_id: str
    process_id: str


class Progress(Struct, frozen=True, kw_only=True):
    """How far a running turn is beyond its messages and events, written again and again.

    Its id is the turn's, so that a process whose turn was closed by another can never write into
    the next one's.
    """

    open_part: OpenPart | None


class StopRequest(Struct, frozen=True, kw_only=True):
    """Somebody wants a running turn to stop, perhaps in another process than the one it is in."""

    asked_at: datetime


class PackedTurns(Struct, frozen=True, kw_only=True):
    """A cache: the turns of one full page of a chat's path, opened at one stroke."""

    turns: tuple[Turn, ...]


class PagesDropped(Struct, frozen=True, kw_only=True):
    """Written whenever pages of a chat are dropped, so that nobody packs what he read before."""


class ListedModels(Struct, frozen=True, kw_only=True):
    """A cache: the models that a provider listed when it was asked last."""

    models: tuple[ModelInfo, ...]
    fetched_at: datetime


class DefinitionsChanged(Struct, frozen=True, kw_only=True):
    """Written with every change of the definitions, so that two processes cannot both make one."""

    at: datetime


class ModelOverrides(Struct, frozen=True, kw_only=True):
    """What a person knows better of a provider's models."""

    overrides: tuple[ModelOverride, ...]


class Preferences(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the user chose and the product remembers, beside the process's settings."""

    model: str | None = None


PROJECTS = Shelf("projects", holds=Project, noun="project")
CHATS = Shelf("chats", holds=Chat, noun="chat")
TOPICS = Shelf("topics", holds=ProjectTopic, noun="topic")
VIEWS = Shelf("views", holds=NamedView, noun="view")
PAGES = Shelf("pages", holds=PackedTurns, noun="page of turns")
PAGE_TOTALS = Shelf("pages", holds=PageTotals, noun="page's totals")
PAGES_DROPPED = Shelf("pages", holds=PagesDropped, noun="mark of dropped pages")
TURNS = Shelf("turns", holds=Turn, noun="turn")
RECORDS = Shelf("records", holds=Message, noun="message")
EVENTS = Shelf("events", holds=LoggedEvent, noun="event")
RUNS = Shelf("runs", holds=Run, noun="running turn")
PROGRESS = Shelf("runs", holds=Progress, noun="progress of a turn")
STOPS = Shelf("runs", holds=StopRequest, noun="request to stop")
DEFINITIONS = Shelf("definitions", holds=ProviderDefinition, noun="provider")
DEFINITIONS_CHANGED = Shelf(
    "definitions", holds=DefinitionsChanged, noun="time at which providers were changed"
)
DEFINITIONS_CHANGED_ID = "changed"
MODEL_LISTS = Shelf("definitions", holds=ListedModels, noun="list of models")
OVERRIDES = Shelf("definitions", holds=ModelOverrides, noun="override")
PREFERENCES = Shelf("preferences", holds=Preferences, noun="preferences record")
PREFERENCES_ID = "preferences"


def list_id(definition_id: str) -> str:
    """Of a provider's list of models, which lies beside the definitions and not among them."""
    return f"{definition_id}:models"


def overrides_id(definition_id: str) -> str:
    return f"{definition_id}:overrides"


def stop_id(turn_id: str) -> str:
    return f"{turn_id}:stop"


def left_of(chat_id: str) -> str:
    """The parent of a chat's turns that are not on its path any more."""
    return f"{chat_id}:left"


def micros(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000)
