"""The one table from an error to an exit status, and the one way an error is printed.

0 is success, 1 a failure, 2 a mistake in the command itself. No other module decides either.
"""

from typing import ClassVar

from corbie.domain.errors import Bug, CorbieError, Refusal
from corbie.entrypoints.cli.printing import write_note

SUCCESS = 0
FAILURE = 1
USAGE = 2
INTERRUPTED = 130


class CommandRefused(Refusal):
    """The words of the command are wrong: an option's value, or options that do not go together."""

    code: ClassVar[str] = "usage"


# The first class that fits decides.
_STATUSES: tuple[tuple[type[CorbieError], int], ...] = (
    (CommandRefused, USAGE),
    (CorbieError, FAILURE),
)


def exit_status(error: CorbieError) -> int:
    """Give the exit status of a command that ended with this error."""
    return next(status for kind, status in _STATUSES if isinstance(error, kind))


def describe_error(error: Exception) -> str:
    """Give the text for people: an error's own sentence, or that Corbie itself is at fault."""
    if isinstance(error, CorbieError) and not isinstance(error, Bug):
        return str(error)
    # Every class of ours says what is wrong by itself; of another, the name is half the message.
    name = "" if isinstance(error, Bug) else f"{type(error).__name__}: "
    return f"this is a bug in corbie: {name}{error}; run again with --debug to see where"


def print_error(text: str) -> None:
    """Write `error: TEXT` to standard error, with control characters made visible."""
    write_note(f"error: {text}")
