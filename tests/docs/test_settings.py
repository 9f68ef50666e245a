"""The page about settings: every one is on it, with its default and its option."""

import re
import tomllib
from pathlib import Path

import msgspec

from windowpane.cli.program import program_parser
from windowpane.settings import Settings, settings_from, settings_keys

TEXT = (Path(__file__).parents[2] / "docs/settings.md").read_text()
ROW = re.compile(
    r"^\| `(?P<key>\w+)` \| (?P<default>[^|]*) \| (?P<option>[^|]*) ?\| ", re.MULTILINE
)
ROWS = {row["key"]: row for row in ROW.finditer(TEXT)}
# Said in words on the page, because they depend on the machine or are empty.
IN_WORDS = {"data", "database", "key_file", "passphrase", "password", "allowed_hosts"}


def test_every_setting_is_on_the_page_and_no_other() -> None:
    assert set(ROWS) == set(settings_keys())


def test_the_defaults_on_the_page_are_the_defaults() -> None:
    fields = [field for field in msgspec.structs.fields(Settings) if field.name not in IN_WORDS]
    told = {field.name: ROWS[field.name]["default"].strip("`") for field in fields}
    assert {
        key: settings_from(
            default_data="/data",
            file_name="page",
            file_text="",
            environment={},
            flags={key: value},
        )
        for key, value in told.items()
    } == dict.fromkeys(told, Settings(data="/data"))


def test_the_options_on_the_page_exist() -> None:
    options = {row["option"].strip(" `") for row in ROWS.values()} - {""}
    assert options <= set(program_parser().option_names)
    assert {"--data", "--database", "--log-level"} <= options


def test_the_example_file_on_the_page_is_one() -> None:
    [example] = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert tomllib.loads(example)
    settings_from(
        default_data="/data", file_name="page", file_text=example, environment={}, flags={}
    )
