"""The program as a whole: what it answers to, how it refuses, what it does not load."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import PROGRAM, environment, run
from windowpane import __version__
from windowpane.cli.program import COMMANDS

HEAVY = ("litestar", "uvicorn", "aiohttp", "psycopg", "cryptography", "rich", "asyncio")


def test_the_version_is_one_line(data_dir: Path) -> None:
    outcome = run("--version", data=data_dir)
    assert (outcome.code, outcome.out) == (0, f"windowpane {__version__}\n")


@pytest.mark.parametrize("words", [("--version",), ("--help",), ("send", "--help")])
def test_help_and_version_load_nothing_heavy(words: tuple[str, ...], data_dir: Path) -> None:
    code = (
        "import sys\n"
        "from windowpane.cli import main\n"
        f"sys.argv[1:] = {list(words)!r}\n"
        "try: main()\n"
        f"except SystemExit: print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(data_dir, {}), check=True
    )
    assert done.stderr == "[]\n"


def test_help_lists_every_command_and_gives_examples(data_dir: Path) -> None:
    outcome = run("--help", data=data_dir)
    assert outcome.code == 0
    assert "examples:" in outcome.out
    assert all(f"  {command.name} " in outcome.out for command in COMMANDS)


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_each_command_has_help_with_examples_of_itself(name: str, data_dir: Path) -> None:
    outcome = run(*name.split(), "--help", data=data_dir)
    assert outcome.code == 0
    assert outcome.out.startswith(f"usage: windowpane {name}")
    examples = outcome.out.partition("examples:\n")[2].splitlines()
    assert examples
    assert all("windowpane" in example for example in examples)


def test_a_word_that_two_commands_share_has_help_too(data_dir: Path) -> None:
    outcome = run("vault", "--help", data=data_dir)
    assert outcome.code == 0
    assert "vault passphrase" in outcome.out
    assert "vault show-key" in outcome.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--prot", "1"], "There is no option --prot. Did you mean --port?"),
        (["serve", "--prot=1"], "There is no option --prot. Did you mean --port?"),
        (["send", "--modle", "x", "hi"], "There is no option --modle. Did you mean --model?"),
        (["doctor", "--zzzzzz"], "There is no option --zzzzzz. See windowpane doctor --help."),
        (["doctor", "--js"], "There is no option --js. Did you mean --json?"),
        (["snd"], "There is no command snd. Did you mean send?"),
        (["qqqqq"], "There is no command qqqqq. See windowpane --help."),
        (["vault"], "windowpane vault is followed by passphrase or show-key."),
        (["vault", "lock"], "windowpane vault is followed by passphrase or show-key."),
        (["send", "Say", "hello"], "windowpane send has no place for 'hello'. Put a text with"),
        (["--port"], "Argument --port: expected one argument. See windowpane --help."),
        (["--port", "many"], "--port: 'many' does not fit the setting port. It takes a whole"),
        (["--port", "70000"], "--port: '70000' does not fit the setting port. It takes a whole"),
        (["--log-level", "loud"], "--log-level: 'loud' does not fit the setting log_level."),
        (["--data", ""], "--data: '' does not fit the setting data. It takes the path of a folder"),
        (["send", "--chat", "a", "--project", "b", "hi"], "Give --chat or --project, not both"),
    ],
)
def test_a_wrong_line_is_refused_in_one_sentence_and_makes_nothing(
    words: list[str], sentence: str, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    outcome = run(*words, data=data)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.complaint.startswith(sentence)
    assert not data.exists()


def test_a_reader_that_leaves_is_no_error(data_dir: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "doctor"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(data_dir, {}),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_something_unexpected_is_one_sentence_and_a_traceback_on_request(data_dir: Path) -> None:
    code = (
        "import sys\n"
        "from windowpane.cli import examination, program\n"
        "examination.examined = None\n"
        "sys.exit(program.main())"
    )

    def broken(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, "doctor", *words],
            capture_output=True,
            text=True,
            env=environment(data_dir, {}),
            check=False,
        )

    quiet, told = broken(), broken("--log-level", "debug")
    assert (quiet.returncode, told.returncode) == (1, 1)
    assert quiet.stderr.startswith("windowpane: Something went wrong inside Windowpane (TypeError)")
    assert quiet.stderr.count("\n") == 1
    assert "Traceback" in told.stderr
