"""Names: validated where they are made or read, plain texts afterwards.

Source: Definitions, The file (an author's names); The store, Layout (names in paths).
"""

import re
from typing import NewType

from corbie.domain.errors import ValueRefused
from corbie.domain.times import Instant, format_path_time

PartyName = NewType("PartyName", str)
"""A controller's, runner's, client's or viewer's name: one path segment."""

RunName = NewType("RunName", str)
"""The part of a run's ID after the slash: its start's time and ten hex digits."""

RunId = NewType("RunId", str)
"""`CLIENT/RUN`."""

JobId = NewType("JobId", str)
"""`CLIENT.RUN.STEP.INDEX`, with `.ATTEMPT` past the first: one path segment."""

MessageName = NewType("MessageName", str)
"""The name of a file in an inbox: one path segment."""

SEGMENT_LENGTH_MAX = 200
AUTHOR_NAME_LENGTH_MAX = 64

_SEGMENT = re.compile(r"[A-Za-z0-9._~-]{1,200}")
_AUTHOR = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_RUN_NAME = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9a-f]{10}")


def require_segment(text: str) -> str:
    """Give the text back if it can be one segment of a path in a store.

    Raises:
        ValueRefused: it is empty, `.` or `..`, too long, or has another character.
    """
    if _SEGMENT.fullmatch(text) is None or text in {".", ".."}:
        message = (
            f"{text[:60]!r} cannot stand in a path; use 1 to {SEGMENT_LENGTH_MAX} letters, digits"
            " and . _ - ~, other than . and .."
        )
        raise ValueRefused(message)
    return text


def parse_party_name(text: str) -> PartyName:
    """Read the name of a party: a segment of at most 64 characters that begins with a letter.

    Raises:
        ValueRefused: another form.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9._-]{0,63}", text) or text == "version":
        message = (
            f"{text[:80]!r} is no name of a party; use a letter, then up to 63 letters, digits"
            " and . _ -"
        )
        raise ValueRefused(message)
    return PartyName(text)


def is_author_name(text: str) -> bool:
    """Tell whether an author may give this name to a machine, a stage, a state and the like."""
    return _AUTHOR.fullmatch(text) is not None and text != "include"


def make_run_name(at: Instant, digits: str) -> RunName:
    """Name a run by the time it is named and ten hex digits of chance."""
    return parse_run_name(f"{format_path_time(at)}-{digits}")


def parse_run_name(text: str) -> RunName:
    """Read the part of a run's ID after the slash.

    Raises:
        ValueRefused: another form.
    """
    if _RUN_NAME.fullmatch(text) is None:
        message = f"{text[:80]!r} is no run; a run looks like 20261012T210153.624Z-d2729e69f1"
        raise ValueRefused(message)
    return RunName(text)


def make_run_id(client: PartyName, run: RunName) -> RunId:
    """Join a client's name and a run's."""
    return RunId(f"{client}/{run}")


def split_run_id(run: RunId) -> tuple[PartyName, RunName]:
    """Give the client and the run's name of a run's ID.

    Raises:
        ValueRefused: another form than `CLIENT/RUN`.
    """
    client, _, name = run.partition("/")
    return parse_party_name(client), parse_run_name(name)


def make_job_id(run: RunId, step: int, index: int) -> JobId:
    """Name the job that an effect of a step starts."""
    client, name = split_run_id(run)
    return JobId(f"{client}.{name}.{step}.{index}")
