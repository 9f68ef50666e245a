"""Settings as forms show them: a label, what it takes, what is chosen here, what applies otherwise.

The project's page, a topic's form and a chat's dialog draw the same fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct, structs

from windowpane.choices import Choices, Place
from windowpane.context.applied import Applied, applied
from windowpane.settings import DEFAULT_CHOICES

Kind = Literal["model", "area", "number", "select", "switch"]
SHOWN_CHARACTERS = 60
SHOWN_IN_AREA = 240
PLACE_WORDS: dict[Place, str] = {
    "send": "This send",
    "chat": "This chat",
    "topic": "As the topic",
    "project": "As the project",
    "default": "Default",
}
OWN = "the model’s own"
FIRST_MODEL = "the model chosen last"


class Spec(Struct, frozen=True, kw_only=True):
    """``options`` are values with their words; ``rows`` is the height of an area."""

    label: str
    kind: Kind
    hint: str = ""
    options: Mapping[str, str] = {}
    rows: int = 2


class Field(Struct, frozen=True, kw_only=True):
    """``value`` is what is chosen here, "" for nothing; then ``otherwise`` applies."""

    key: str
    spec: Spec
    value: str
    otherwise: str


ON_OR_OFF = {"true": "on", "false": "off"}
SPECS: dict[str, Spec] = {
    "model": Spec(label="Model", kind="model"),
    "system_prompt": Spec(
        label="System prompt",
        kind="area",
        hint="What the model reads before the conversation. A topic’s message and the prompts of "
        "tools follow it.",
        rows=8,
    ),
    "temperature": Spec(
        label="Temperature",
        kind="number",
        hint="0 to 2: how freely words are chosen. “model” leaves it to the model.",
    ),
    "max_output_tokens": Spec(
        label="Longest answer, in tokens",
        kind="number",
        hint="So much of the window is kept free for the answer. “model” is the most it can write.",
    ),
    "has_web_search": Spec(
        label="Web search",
        kind="switch",
        hint="The provider may search the web for an answer.",
        options=ON_OR_OFF,
    ),
    "prefill": Spec(
        label="Beginning of every answer",
        kind="area",
        hint="Gemini, Mistral, vLLM, the embedded model and Claude up to 4.5 go on from it; a "
        "Claude that reasons does not, and OpenAI’s own models, xAI and DeepSeek take none.",
        rows=2,
    ),
    "reasoning_effort": Spec(
        label="Reasoning effort",
        kind="select",
        hint="For models that take a level: OpenAI, Gemini 3, Claude from 4.6 on, xAI, Nova 2.",
        options={
            "none": "none",
            "minimal": "minimal",
            "low": "low",
            "medium": "medium",
            "high": "high",
            "xhigh": "extra high",
            "model": OWN,
        },
    ),
    "reasoning_budget_tokens": Spec(
        label="Reasoning budget, in tokens",
        kind="number",
        hint="For models that take a number: Claude up to 4.5, Gemini 2.5. “model” for its own.",
    ),
    "reasoning_summary": Spec(
        label="Summary of the reasoning",
        kind="select",
        hint="OpenAI makes one for organisations that it has verified.",
        options={
            "auto": "auto",
            "concise": "concise",
            "detailed": "detailed",
            "model": "none",
        },
    ),
    "reasoning_turns": Spec(
        label="Reasoning is sent back for",
        kind="number",
        hint="So many turns; older reasoning is left out of requests. “all” keeps it.",
    ),
    "message_format": Spec(
        label="Messages are sent",
        kind="select",
        options={
            "plain": "as typed",
            "metadata": "with metadata",
            "template": "in a template",
        },
    ),
    "message_template": Spec(
        label="Template",
        kind="area",
        hint="{{userMessage}} must be in it. Also: timestamp, timestampUtc, timestampRelative, "
        "modelName, contextWindowUsage, currentCost; {{#name}}…{{/name}} shows where there is one.",
        rows=4,
    ),
    "when_full": Spec(
        label="When it does not fit any more",
        kind="select",
        options={
            "compress": "summarise older turns",
            "slide": "leave the oldest turns out",
            "ask": "ask what to do",
        },
        hint="Nothing makes summaries yet: so far the oldest turns are left out.",
    ),
    "cache_mode": Spec(
        label="The provider is asked to remember",
        kind="select",
        options={
            "cached": "all that will not change",
            "system": "tools and system prompt",
            "all-off": "nothing",
        },
    ),
    "tool_mode": Spec(
        label="Tools that go with a request",
        kind="select",
        options={
            "cached": "those that are on",
            "auto": "those that are on, and used lately",
            "all-on": "all there are",
            "all-off": "none: past calls go as text",
            "manual": "chosen for each message",
        },
    ),
    "tool_turns": Spec(
        label="Calls and results are sent back for",
        kind="number",
        hint="So many turns; older ones are left out, both together. “all” keeps them.",
    ),
    "has_title": Spec(
        label="A model names new chats",
        kind="switch",
        hint="After the first answer. Otherwise the first words of the message are the title.",
        options=ON_OR_OFF,
    ),
    "title_model": Spec(label="Model for titles", kind="model"),
}
ANSWER_KEYS = ("temperature", "max_output_tokens", "has_web_search", "prefill")
REASONING_KEYS = (
    "reasoning_effort",
    "reasoning_budget_tokens",
    "reasoning_summary",
    "reasoning_turns",
)
TOPIC_KEYS = (
    "model",
    "temperature",
    "max_output_tokens",
    "reasoning_effort",
    "reasoning_budget_tokens",
    "has_web_search",
)
CHAT_KEYS = (
    "temperature",
    "max_output_tokens",
    "reasoning_effort",
    "reasoning_budget_tokens",
    "has_web_search",
    "message_format",
    "system_prompt",
    "prefill",
)


def above(places: Mapping[Place, Choices], *, default_model: str) -> Applied:
    """What applies where the form's own place has not chosen. Asks no provider."""
    defaults = structs.replace(DEFAULT_CHOICES, model=default_model)
    return applied({**places, "default": defaults}, topic_message="")


def fields(keys: Iterable[str], choices: Choices, *, inherited: Applied) -> dict[str, Field]:
    return {
        key: Field(
            key=key,
            spec=SPECS[key],
            value=raw_text(getattr(choices, key)),
            otherwise=f"{PLACE_WORDS[inherited.sources[key]]}: "
            f"{value_words(key, getattr(inherited, key))}",
        )
        for key in keys
    }


def raw_text(value: object) -> str:
    """A value as a box of the form holds it."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:g}"
        case str() | int():
            return str(value)
        case _:
            return msgspec.json.encode(value).decode()


def value_words(key: str, value: object) -> str:
    """A value as people read it."""
    text = raw_text(value)
    spec = SPECS.get(key)
    if spec and text in spec.options:
        return spec.options[text]
    if key in ("model", "title_model"):
        return {"": FIRST_MODEL, "cheap": "the provider’s cheap one"}.get(text, text)
    if text == "model":
        return OWN
    line = " ".join(text.split())
    most = SHOWN_IN_AREA if spec and spec.kind == "area" else SHOWN_CHARACTERS
    if len(line) > most:
        return f"{line[: most - 1]}…"
    return line if line not in ("", "{}", "[]") else "none"


class ToolRow(Struct, frozen=True, kw_only=True):
    """``options`` as JSON; an ``approval`` of "" is the tool's own."""

    name: str
    options: str
    approval: str


def tool_rows(settings: Applied) -> list[ToolRow]:
    """Every tool that is on, or of which it is said whether it may run."""
    tools, approvals = settings.tools, settings.tool_approvals
    return [
        ToolRow(
            name=name,
            options=raw_text(tools[name]) if tools.get(name) else "",
            approval=approvals.get(name, ""),
        )
        for name in dict.fromkeys([*tools, *approvals])
    ]


class AppliedRow(Struct, frozen=True, kw_only=True):
    label: str
    value: str
    place: str


def applied_rows(settings: Applied, keys: Sequence[str]) -> list[AppliedRow]:
    return [
        AppliedRow(
            label=SPECS[key].label,
            value=value_words(key, getattr(settings, key)),
            place=settings.sources[key],
        )
        for key in keys
    ]
