"""The command line's frame: quick answers, the one error handler, exit statuses."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import corbie
from corbie.domain.errors import Bug, CorbieError, NotFound, StoreUnavailable
from corbie.domain.times import parse_span
from corbie.entrypoints.cli import exits, frame, registry
from corbie.entrypoints.cli.main import run_command

COMMAND = str(Path(sys.executable).with_name("corbie"))
Capture = pytest.CaptureFixture[str]


def test_version_is_answered_both_ways(capsys: Capture) -> None:
    assert run_command(["--version"]) == 0
    assert run_command(["version"]) == 0
    assert run_command(["version", "--json"]) == 0

    plain, same, as_json = capsys.readouterr().out.splitlines()
    assert plain == same == f"corbie {corbie.__version__}"
    assert json.loads(as_json) == {"version": corbie.__version__}


def test_help_lists_every_command_and_an_example(capsys: Capture) -> None:
    assert run_command(["--help"]) == 0

    text = capsys.readouterr().out
    assert all(f"  {name}" in text for name in registry.COMMANDS)
    assert "Example: corbie " in text


@pytest.mark.parametrize("name", sorted(registry.COMMANDS))
def test_every_command_has_help_with_an_example(name: str, capsys: Capture) -> None:
    assert run_command([name, "--help"]) == 0

    assert f"Example: corbie {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "error: a command is missing\n\nUsage: corbie"),
        (["versoin"], "error: no such command 'versoin'. Did you mean 'version'?\nsee: corbie -"),
        (["--nope"], "error: no such option: --nope\nsee: corbie --help"),
        (["version", "--nope"], "error: no such option: --nope\nsee: corbie version --help"),
    ],
)
def test_a_mistake_in_the_words_ends_with_2_and_where_to_read(
    words: list[str], message: str, capsys: Capture
) -> None:
    assert run_command(words) == exits.USAGE

    captured = capsys.readouterr()
    assert captured.err.startswith(message)
    assert captured.out == ""


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound("no run ends in ab12"), 1),
        (StoreUnavailable("the store is full"), 1),
        (exits.CommandRefused("--json and --watch do not go together"), 2),
    ],
)
def test_an_error_is_its_own_sentence(error: CorbieError, status: int, capsys: Capture) -> None:
    assert run_command([], _raise(error)) == status

    assert capsys.readouterr().err == f"error: {error}\n"


@pytest.mark.parametrize(
    ("error", "text"),
    [(KeyError("x"), "KeyError: 'x'"), (Bug("two steps 3"), "two steps 3")],
)
def test_anything_else_is_called_a_bug_and_shows_no_traceback(
    error: Exception, text: str, capsys: Capture
) -> None:
    assert run_command([], _raise(error)) == 1

    assert capsys.readouterr().err == (
        f"error: this is a bug in corbie: {text}; run again with --debug to see where\n"
    )


def test_debug_shows_the_traceback_wherever_it_stands(capsys: Capture) -> None:
    assert run_command(["run", "ls", "--debug"], _raise(NotFound("nothing"))) == 1
    assert "Traceback" in capsys.readouterr().err

    run_command(["run", "--", "--debug"], _raise(NotFound("nothing")))
    assert "Traceback" not in capsys.readouterr().err


def test_an_interrupt_ends_with_130(capsys: Capture) -> None:
    assert run_command([], _raise(KeyboardInterrupt())) == exits.INTERRUPTED

    assert capsys.readouterr().err == ""


def test_an_error_cannot_steer_the_terminal(capsys: Capture) -> None:
    run_command([], _raise(NotFound("\x1b[2Jno run\nhere")))

    assert capsys.readouterr().err == "error: \\x1b[2Jno run\nhere\n"


def test_an_option_that_does_not_parse_is_a_mistake_in_the_command() -> None:
    assert frame.read_option("--until", parse_span, "2s") == 2_000_000_000

    with pytest.raises(exits.CommandRefused, match='--until: "2" is no duration'):
        frame.read_option("--until", parse_span, "2")


@pytest.mark.parametrize("words", ["--version", "--help", "config", "nonsense"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_one_that_holds_nothing(words: str, closed: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"{COMMAND} {words} {closed}"], capture_output=True, check=False
    )

    assert done.returncode == (2 if words == "nonsense" else 0)
    assert b"bug" not in done.stderr


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["config"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_cannot_be_written_is_no_bug(words: list[str], unbuffered: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [COMMAND, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr == b"error: standard output cannot be written: No space left on device\n"


def test_a_reader_that_goes_away_ends_the_command_quietly() -> None:
    with subprocess.Popen(
        [COMMAND, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        error = process.stderr.read()

    assert error == b""
    assert process.returncode == 1


@pytest.mark.parametrize(
    ("words", "limit", "heavy"),
    [
        (["--version"], 0.15, ["typer", "pydantic", "corbie.domain.places"]),
        (["--help"], 0.3, ["rich", "pydantic", "yaml", "asyncio", "corbie.app", "corbie.adapters"]),
    ],
)
def test_a_quick_answer_imports_nothing_heavy(
    words: list[str], limit: float, heavy: list[str]
) -> None:
    trace = subprocess.run(
        [sys.executable, "-X", "importtime", COMMAND, *words],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    imported = {line.rpartition("|")[2].strip() for line in trace.splitlines()}

    took = min(_time([COMMAND, *words]) for _ in range(5))

    assert imported.isdisjoint(heavy)
    assert took < limit


def test_a_shell_completes_the_names_of_commands() -> None:
    done = subprocess.run(
        [COMMAND],
        env={"_CORBIE_COMPLETE": "complete_bash", "COMP_WORDS": "corbie ver", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == ["version"]


def _raise(error: BaseException) -> Callable[[list[str]], int]:
    def answer(words: list[str]) -> int:
        del words
        raise error

    return answer


def _time(words: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(words, capture_output=True, check=True)
    return time.perf_counter() - begun
