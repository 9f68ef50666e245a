"""The settings of one process: a frozen value, merged from file, environment and flags.

Every default of the product lives here. Reading files and the environment is the caller's work;
this module turns what was read into a value or an error that names the key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Literal

import msgspec
from msgspec import Struct

from windowpane.errors import BadSetting

ENVIRONMENT_PREFIX = "WINDOWPANE_"
# The one variable that says where the file is, so it cannot itself be a key of the file.
CONFIG_VARIABLE = "WINDOWPANE_CONFIG"

LogLevel = Literal["debug", "info", "warning", "error"]


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``data`` is the folder for everything that ``database`` and ``key_file`` do not move."""

    data: str
    database: str = ""
    key_file: str = ""
    passphrase: str = ""
    host: str = "127.0.0.1"
    port: int = 8642
    open_browser: bool = True
    password: str = ""
    allowed_hosts: str = ""
    log_level: LogLevel = "info"
    message_limit_bytes: int = 1_000_000
    max_iterations: int = 50
    open_part_flush_seconds: float = 0.5
    delta_join_seconds: float = 0.04
    connect_timeout_seconds: float = 10.0
    chunk_timeout_seconds: float = 300.0
    local_idle_seconds: float = 300.0

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
        merged[_known(key, where=file_name)] = _checked(key, value, where=file_name)
    for variable, value in environment.items():
        if variable.startswith(ENVIRONMENT_PREFIX) and variable != CONFIG_VARIABLE:
            key = _known(variable.removeprefix(ENVIRONMENT_PREFIX).lower(), where=variable)
            merged[key] = _checked(key, value, where=variable)
    for key, value in flags.items():
        merged[_known(key, where=f"--{key}")] = _checked(key, value, where=_flag(key))
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
        checked = msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadSetting(f"{where}: {value!r} does not fit the setting {key}: {error}.") from error
    if isinstance(checked, (int, float)) and checked < 0:
        raise BadSetting(f"{where}: {key} must not be negative, but is {checked}.")
    if key == "port" and isinstance(checked, int) and checked > 65535:
        raise BadSetting(f"{where}: port must be between 0 and 65535, but is {checked}.")
    return checked


def _types() -> dict[str, object]:
    return {field.name: field.type for field in msgspec.structs.fields(Settings)}
