"""The command `corbie`: the quickest answers, and the one error handler.

Nothing heavy is imported before it is needed: `--version` must answer within 0.15 s. What the
commands are is in `registry`, how they are found and parsed in `frame`.
"""

import gc
import os
import sys
import traceback
from collections.abc import Callable, Sequence

import corbie
from corbie.domain.errors import CorbieError
from corbie.entrypoints.cli import exits


def main() -> None:
    """End the process with the status of the command in its arguments."""
    # Importing makes many objects and no garbage: at Python's own threshold of 700, looking for
    # some takes a tenth of a command's start.
    gc.set_threshold(100_000)
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: Sequence[str], answer: Callable[[list[str]], int] | None = None) -> int:
    """Carry out one command line and give its exit status; no exception leaves this function."""
    words, is_debugging = _take_debug(arguments)
    try:
        status = (answer or _answer)(words)
        sys.stdout.flush()
    except BrokenPipeError:
        return _leave_quietly()
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the command line's error handler, one of the three
        if is_debugging:
            traceback.print_exc()
        exits.print_error(exits.describe_error(error))
        return exits.exit_status(error) if isinstance(error, CorbieError) else exits.FAILURE
    return status


def _take_debug(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """Give the words without `--debug`, which may stand anywhere before `--`, and whether it did.

    Somebody who is told to run a command again with it adds it to the end.
    """
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    kept = [word for word in words[:end] if word != "--debug"]
    return kept + words[end:], len(kept) < end


def _answer(words: list[str]) -> int:
    if words[:1] == ["--version"]:
        sys.stdout.write(f"corbie {corbie.__version__}\n")
        return exits.SUCCESS
    _write_any_text()
    # Typer takes half of the time in which --version must have answered.
    from corbie.entrypoints.cli import frame  # noqa: PLC0415 - see above

    return frame.run_words(words)


def _write_any_text() -> None:
    """Let output in an encoding without some character show its number instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _leave_quietly() -> int:
    """Give failure after the reader of standard output went away, without a second complaint."""
    # The interpreter flushes standard output once more as it ends.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return exits.FAILURE


if __name__ == "__main__":
    main()
