"""Settings: four places they may come from, one value, and errors that name the place."""

from collections.abc import Mapping

import pytest

from windowpane.errors import BadSetting
from windowpane.settings import Settings, settings_from, settings_keys


def merged(
    *, file: str = "", environment: Mapping[str, str] = {}, flags: Mapping[str, object] = {}
) -> Settings:
    return settings_from(
        default_data="/var/lib/panes",
        file_name="windowpane.toml",
        file_text=file,
        environment=environment,
        flags=flags,
    )


def test_without_a_word_from_anybody_everything_is_the_default() -> None:
    settings = merged(environment={"HOME": "/home/ada", "PATH": "/bin"})
    assert settings == Settings(data="/var/lib/panes")
    assert settings.database_or_default == "/var/lib/panes/windowpane.sqlite3"
    assert settings.key_file_or_default == "/var/lib/panes/vault.key"


def test_flags_beat_the_environment_which_beats_the_file() -> None:
    file = "port = 1\nhost = 'file'\nlog_level = 'error'"
    environment = {"WINDOWPANE_PORT": "2", "WINDOWPANE_HOST": "environment"}
    settings = merged(file=file, environment=environment, flags={"port": "3"})
    assert (settings.port, settings.host, settings.log_level) == (3, "environment", "error")


def test_the_place_of_the_file_is_no_setting() -> None:
    assert "config" not in settings_keys()
    assert merged(environment={"WINDOWPANE_CONFIG": "/etc/windowpane.toml"}) == merged()


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("port = 70000", "70000 does not fit the setting port. It takes a whole number from 0"),
        ("port = true", "It takes a whole number from 0 to 65535"),
        ("port = -1", "It takes a whole number from 0 to 65535"),
        ("key_file = 5", "5 does not fit the setting key_file. It takes text"),
        ("data = ''", "'' does not fit the setting data. It takes the path of a folder"),
        ("host = ''", "It takes the name or address of this machine"),
        ("open_browser = 'perhaps'", "It takes true or false"),
        ("log_level = 'loud'", "It takes one of debug, info, warning and error"),
        ("max_iterations = 0", "It takes a whole number above 0"),
        ("chunk_timeout_seconds = 0", "It takes a number of seconds above 0"),
        ("chunk_timeout_seconds = nan", "It takes a number of seconds above 0"),
        ("[port]\nnumber = 1", "It takes a whole number"),
        ("prot = 1", "there is no setting called prot. Did you mean port?"),
        ("zzz = 1", "there is no setting called zzz. Known keys: data, database"),
        ("port: 1", "is not valid TOML"),
    ],
)
def test_a_setting_that_does_not_fit_is_named_with_its_place(file: str, sentence: str) -> None:
    with pytest.raises(BadSetting) as refused:
        merged(file=file)
    assert str(refused.value).startswith("windowpane.toml")
    assert sentence in str(refused.value)


def test_the_variable_or_the_flag_is_named() -> None:
    with pytest.raises(BadSetting, match="WINDOWPANE_PROT: there is no setting called prot"):
        merged(environment={"WINDOWPANE_PROT": "1"})
    with pytest.raises(BadSetting, match="--log-level: 'loud' does not fit"):
        merged(flags={"log_level": "loud"})


@pytest.mark.parametrize("key", ["passphrase", "password", "database"])
def test_an_error_does_not_repeat_a_secret(key: str) -> None:
    with pytest.raises(BadSetting) as refused:
        merged(file=f"{key} = 271828")
    assert "271828" not in str(refused.value)
    assert "271828" not in repr(merged(flags={key: "271828"}))
