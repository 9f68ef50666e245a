"""The settings of one process: a frozen value, merged from file, environment and flags.

Every default of the product lives here. Reading files and the environment is the caller's work;
this module turns what was read into a value or an error that names the key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from windowpane.choices import CHEAP, Choices
from windowpane.errors import BadSetting
from windowpane.options import CacheMode

ENVIRONMENT_PREFIX = "WINDOWPANE_"
# The one variable that says where the file is, so it cannot itself be a key of the file.
CONFIG_VARIABLE = "WINDOWPANE_CONFIG"
# Says where the test suite finds recordings; a command run beside it has no use for it.
OTHER_VARIABLES = frozenset({CONFIG_VARIABLE, "WINDOWPANE_RECORDINGS"})

# The description completes the sentence "it takes …" when a value does not fit.
LogLevel = Annotated[
    Literal["debug", "info", "warning", "error"],
    Meta(description="one of debug, info, warning and error"),
]
Words = Annotated[str, Meta(description="text")]
Folder = Annotated[str, Meta(min_length=1, description="the path of a folder")]
Host = Annotated[str, Meta(min_length=1, description="the name or address of this machine")]
Switch = Annotated[bool, Meta(description="true or false")]
Port = Annotated[int, Meta(ge=0, le=65535, description="a whole number from 0 to 65535")]
Count = Annotated[int, Meta(ge=1, description="a whole number above 0")]
Number = Annotated[int, Meta(ge=0, description="a whole number, 0 or more")]
Seconds = Annotated[float, Meta(gt=0, description="a number of seconds above 0")]
Pause = Annotated[float, Meta(ge=0, description="a number of seconds, 0 or more")]

# Never repeated in an error or a log; a database's address may hold its password.
SECRET_KEYS = frozenset({"database", "passphrase", "password"})


class ContextSettings(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a chat's context is chosen, where neither the model nor the user says otherwise.

    ``reasoning_turns`` and ``tool_turns``: for how many turns those are kept; None for ever.
    """

    user_request_allowance_tokens: int = 100
    max_trim_attempts: int = 10
    chars_per_token: float = 3.5
    max_output_tokens: int | None = None
    reasoning_turns: int | None = None
    tool_turns: int | None = None
    cache_mode: CacheMode = "cached"


# What applies where nobody has chosen. There is no model among them: which models there are, only
# the workspace knows. A budget that is not set is none.
DEFAULT_CHOICES = Choices(
    system_prompt="",
    prefill="",
    temperature="model",
    max_output_tokens="model",
    reasoning_effort="model",
    reasoning_budget_tokens="model",
    reasoning_summary="model",
    reasoning_turns="all",
    has_web_search=False,
    message_format="plain",
    message_metadata=("timestamp", "model"),
    message_template="{{userMessage}}",
    cache_mode="cached",
    when_full="compress",
    tool_mode="cached",
    tools={"recall": {}},
    tool_approvals={},
    tool_turns="all",
    has_title=True,
    title_model=CHEAP,
)


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``data`` is the folder for everything that ``database`` and ``key_file`` do not move."""

    data: Folder
    database: Words = ""
    key_file: Words = ""
    passphrase: Words = ""
    host: Host = "127.0.0.1"
    port: Port = 8642
    open_browser: Switch = True
    password: Words = ""
    allowed_hosts: Words = ""
    log_level: LogLevel = "info"
    message_limit_bytes: Count = 1_000_000
    max_iterations: Count = 50
    tool_result_characters: Count = 24_000
    open_part_flush_seconds: Seconds = 0.5
    delta_join_seconds: Pause = 0.04
    connect_timeout_seconds: Seconds = 10.0
    first_byte_timeout_seconds: Seconds = 600.0
    chunk_timeout_seconds: Seconds = 300.0
    local_idle_seconds: Pause = 300.0
    most_retries: Number = 4
    retry_wait_seconds: Seconds = 1.0
    retry_limit_seconds: Seconds = 600.0
    undo_seconds: Seconds = 60.0

    def __repr__(self) -> str:
        """Without values: some are secrets, and a log is no place to sort them."""
        return "Settings()"

    @property
    def database_or_default(self) -> str:
        return self.database or f"{self.data}/windowpane.sqlite3"

    @property
    def key_file_or_default(self) -> str:
        return self.key_file or f"{self.data}/vault.key"


def settings_keys() -> tuple[str, ...]:
    return Settings.__struct_fields__


def settings_from(
    *,
    default_data: str,
    file_name: str,
    file_text: str,
    environment: Mapping[str, str],
    flags: Mapping[str, object],
) -> Settings:
    """Flags beat the environment, the environment beats the file, the file beats the defaults."""
    merged: dict[str, object] = {"data": default_data}
    for key, value in _from_file(file_name, file_text).items():
        merged[key] = _checked(_known(key, where=file_name), value, where=file_name)
    for variable, value in environment.items():
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in OTHER_VARIABLES:
            key = _known(variable.removeprefix(ENVIRONMENT_PREFIX).lower(), where=variable)
            merged[key] = _checked(key, value, where=variable)
    for key, value in flags.items():
        merged[key] = _checked(_known(key, where=_flag(key)), value, where=_flag(key))
    return msgspec.convert(merged, Settings)


def _flag(key: str) -> str:
    return "--" + key.replace("_", "-")


def _from_file(name: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"{name} is not valid TOML: {error}.") from error


def _known(key: str, *, where: str) -> str:
    if key in settings_keys():
        return key
    near = get_close_matches(key, settings_keys(), n=1)
    hint = f" Did you mean {near[0]}?" if near else f" Known keys: {', '.join(settings_keys())}."
    raise BadSetting(f"{where}: there is no setting called {key}.{hint}")


def _checked(key: str, value: object, *, where: str) -> object:
    kind = _types()[key]
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError:
        found = "what it holds" if key in SECRET_KEYS else repr(value)
        raise BadSetting(
            f"{where}: {found} does not fit the setting {key}. It takes {_wanted(kind)}."
        ) from None


def _types() -> dict[str, object]:
    return {field.name: field.type for field in msgspec.structs.fields(Settings)}


def _wanted(kind: object) -> str:
    return next(meta.description or "" for meta in get_args(kind) if isinstance(meta, Meta))
