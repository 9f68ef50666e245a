"""Options that are settings, and the settings that a command runs with.

Reads the configuration file and the environment; ``settings`` decides what they mean.
"""

from __future__ import annotations

import os
from argparse import SUPPRESS
from collections.abc import Mapping
from pathlib import Path

from msgspec import structs

from windowpane.cli.grammar import Parser
from windowpane.errors import BadSetting
from windowpane.settings import CONFIG_VARIABLE, Settings, settings_from, settings_keys

DATA_VARIABLE = "WINDOWPANE_DATA"
FILE_NAME = "windowpane.toml"
# The database that is none: everything is forgotten when the program ends.
MEMORY = "memory:"


def add_place_options(parser: Parser) -> None:
    """What every command takes: where the vault lies, and how much to tell."""
    add = parser.add_argument
    add("--data", metavar="DIR", default=SUPPRESS, help="the folder that everything lies in")
    add(
        "--database",
        metavar="URL|PATH",
        default=SUPPRESS,
        help="a PostgreSQL URL, or a SQLite file elsewhere",
    )
    add("--config", metavar="FILE", help=f"settings, instead of {FILE_NAME} in the data folder")
    add(
        "--log-level",
        metavar="LEVEL",
        default=SUPPRESS,
        help="debug, info, warning or error",
    )


def settings_for(options: Mapping[str, object]) -> Settings:
    """``options`` holds what was given, by the names of settings, and ``config``."""
    flags = {key: value for key, value in options.items() if key in settings_keys()}
    file = config_file(options)
    settings = settings_from(
        default_data=_default_data(),
        file_name=str(file),
        file_text=_text(file, is_required=_chosen_file(options) is not None),
        environment=os.environ,
        flags=flags,
    )
    return structs.replace(
        settings,
        data=_absolute(settings.data),
        key_file=settings.key_file and _absolute(settings.key_file),
        database=settings.database and _absolute_or_url(settings.database),
    )


def config_file(options: Mapping[str, object]) -> Path:
    """The file that was chosen, else the one in the data folder, which need not be there."""
    data = options.get("data") or os.environ.get(DATA_VARIABLE) or _default_data()
    return Path(_absolute(str(_chosen_file(options) or Path(str(data), FILE_NAME))))


def _chosen_file(options: Mapping[str, object]) -> object:
    return options.get("config") or os.environ.get(CONFIG_VARIABLE)


def _default_data() -> str:
    from platformdirs import user_data_dir

    return user_data_dir("windowpane", appauthor=False)


def _absolute(path: str) -> str:
    return str(Path(path).expanduser().absolute())


def _absolute_or_url(database: str) -> str:
    return database if "://" in database or database == MEMORY else _absolute(database)


def _text(file: Path, *, is_required: bool) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        if not is_required:
            return ""
        raise BadSetting(f"There is no configuration file {file}.") from None
    except OSError as error:
        raise BadSetting(
            f"The configuration file {file} cannot be read: {error.strerror}."
        ) from error
    except UnicodeDecodeError as error:
        raise BadSetting(f"The configuration file {file} is not text in UTF-8.") from error
