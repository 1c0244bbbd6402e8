"""The command `corbie`: the quickest answers, and the one error handler.

Nothing heavy is imported before it is needed: `--version` must answer within 0.15 s. What the
commands are is in `registry`, how they are found and parsed in `frame`.
"""

import errno
import gc
import os
import sys
import traceback
from collections.abc import Callable, Sequence

import corbie
from corbie.domain.errors import CorbieError
from corbie.entrypoints.cli import exits

STANDARD_ERROR = 2
"""The number of the last of the three standard streams."""

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""What writing to a file may end with. The store says these by itself: what comes to the error
handler was standard output."""


def main() -> None:
    """End the process with the status of the command in its arguments."""
    # Importing makes many objects and no garbage: at Python's own threshold of 700, looking for
    # some takes a tenth of a command's start.
    gc.set_threshold(100_000)
    if None in {sys.stdin, sys.stdout, sys.stderr}:
        _open_closed_streams()
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
        if isinstance(error, OSError) and error.errno in _FULL and error.filename is None:
            exits.print_error(f"standard output cannot be written: {error.strerror}")
            return _leave_quietly()
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


def _open_closed_streams() -> None:
    """Let each standard stream that is closed be one that holds nothing.

    Otherwise the next file that is opened, perhaps one of the store, would get its number.
    """
    number = os.open(os.devnull, os.O_RDWR)
    while number <= STANDARD_ERROR:
        number = os.open(os.devnull, os.O_RDWR)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _leave_quietly() -> int:
    """Give failure after the reader of standard output went away, without a second complaint."""
    # The interpreter flushes standard output once more as it ends.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return exits.FAILURE


if __name__ == "__main__":
    main()
