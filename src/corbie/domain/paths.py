"""Paths of every kind of file in a store: build, parse.

The single place where a name could become a file name: every segment is validated each time
a path is built or parsed. Source: The store, Layout (version 1).
"""

import re
from dataclasses import dataclass
from typing import Literal, NewType

from corbie.domain.errors import ValueRefused
from corbie.domain.names import JobId, PartyName, RunId, parse_party_name, require_segment
from corbie.domain.times import Instant, format_path_time, parse_path_time

StorePath = NewType("StorePath", str)
"""The path of a file in a store, or of a folder that files lie under; no slash at its ends."""

FileKind = Literal[
    "version",
    "inbox",
    "receipt",
    "running",
    "finished",
    "step",
    "carried",
    "emit",
    "blob",
    "wake",
    "key",
    "slot",
    "waiting",
    "trust",
    "secret",
    "schedule",
    "taken",
    "alive",
]

STORE_VERSION = 1
VERSION_PATH = StorePath("version")
WHOLE_STORE = StorePath("")
"""The folder that every file of a store lies under."""

PATH_LENGTH_MAX = 900
"""S3 allows 1,024 bytes, a bucket's prefix among them."""

_FLAT: dict[str, FileKind] = {
    "slots": "slot",
    "trust": "trust",
    "secrets": "secret",
    "schedules": "schedule",
    "alive": "alive",
}
_NUMBER = re.compile(r"[0-9]{8}")
_NUMBER_MAX = 99_999_999


@dataclass(frozen=True, slots=True, kw_only=True)
class PathParts:
    """What a path says. `owner` is the party whose files these are ("" for `version`).

    `client` and `run` are "" where the kind has none; `name` is the last segment; `sender` is
    the sender of a message, the client a receipt is for, or the name of slots and waiting jobs;
    `time` is a wake's or a taken job's due time as written in the path.
    """

    kind: FileKind
    owner: str
    client: str = ""
    run: str = ""
    sender: str = ""
    time: str = ""
    name: str = ""


def _build(owner: PartyName, *segments: str) -> StorePath:
    path = "/".join((parse_party_name(owner), *(require_segment(part) for part in segments)))
    if len(path) > PATH_LENGTH_MAX:
        message = f"the path {path[:60]}… is longer than {PATH_LENGTH_MAX} characters"
        raise ValueRefused(message)
    return StorePath(path)


def _number(number: int) -> str:
    if not 0 <= number <= _NUMBER_MAX:
        message = f"{number} is no number of a step or a batch: it must be 0 to {_NUMBER_MAX}"
        raise ValueRefused(message)
    return f"{number:08}"


def inbox_folder(owner: PartyName, sender: PartyName | None = None) -> StorePath:
    """Give the folder of all messages to a party, or of one sender's."""
    return _build(owner, "inbox", *([sender] if sender else []))


def message_path(owner: PartyName, sender: PartyName, message: str) -> StorePath:
    """Give the path of a message in a party's inbox."""
    return _build(owner, "inbox", sender, message)


def receipt_path(controller: PartyName, client: PartyName, message: str) -> StorePath:
    """Give the path of the answer to a client's message."""
    return _build(controller, "receipts", client, message)


def receipts_folder(controller: PartyName, client: PartyName) -> StorePath:
    """Give the folder of the answers to a client."""
    return _build(controller, "receipts", client)


def running_folder(controller: PartyName, client: PartyName | None = None) -> StorePath:
    """Give the folder of the statuses of runs in progress."""
    return _build(controller, "running", *([client] if client else []))


def running_path(controller: PartyName, run: RunId) -> StorePath:
    """Give the path of the status of a run in progress."""
    return _build(controller, "running", *run.split("/"))


def finished_folder(controller: PartyName, client: PartyName | None = None) -> StorePath:
    """Give the folder of the statuses of ended runs."""
    return _build(controller, "finished", *([client] if client else []))


def finished_path(controller: PartyName, run: RunId) -> StorePath:
    """Give the path of the status of an ended run."""
    return _build(controller, "finished", *run.split("/"))


def record_folder(controller: PartyName, run: RunId) -> StorePath:
    """Give the folder of a run's steps, emits and blobs."""
    return _build(controller, "records", *run.split("/"))


def steps_folder(controller: PartyName, run: RunId) -> StorePath:
    """Give the folder of a run's steps."""
    return _build(controller, "records", *run.split("/"), "steps")


def step_path(controller: PartyName, run: RunId, number: int) -> StorePath:
    """Give the path of a step; numbers begin at 1."""
    return _build(controller, "records", *run.split("/"), "steps", _number(number))


def carried_path(controller: PartyName, run: RunId) -> StorePath:
    """Give the path of the note of how much of a large step was acted on."""
    return _build(controller, "records", *run.split("/"), "carried")


def emits_folder(controller: PartyName, run: RunId, job: JobId | None = None) -> StorePath:
    """Give the folder of what a run's jobs logged and emitted, or of one job's."""
    return _build(controller, "records", *run.split("/"), "emits", *([job] if job else []))


def emit_path(controller: PartyName, run: RunId, job: JobId, number: int) -> StorePath:
    """Give the path of a batch of what a job logged and emitted; numbers begin at 1."""
    return _build(controller, "records", *run.split("/"), "emits", job, _number(number))


def blob_path(controller: PartyName, run: RunId, blob: str) -> StorePath:
    """Give the path of a blob of a run."""
    return _build(controller, "records", *run.split("/"), "blobs", blob)


def wakes_folder(controller: PartyName) -> StorePath:
    """Give the folder of a controller's wakes."""
    return _build(controller, "wakes")


def wake_path(controller: PartyName, due: Instant, run: RunId, name: str) -> StorePath:
    """Give the path of a wake: a time, rounded up to the millisecond, and what it is for."""
    rounded = Instant(-(-due // 1_000_000) * 1_000_000)
    return _build(controller, "wakes", format_path_time(rounded), *run.split("/"), name)


def trust_folder(controller: PartyName) -> StorePath:
    """Give the folder of whom a controller trusts."""
    return _build(controller, "trust")


def trust_path(controller: PartyName, party: PartyName) -> StorePath:
    """Give the path of a trust entry."""
    return _build(controller, "trust", party)


def taken_folder(runner: PartyName) -> StorePath:
    """Give the folder of the jobs a runner took."""
    return _build(runner, "taken")


def taken_path(runner: PartyName, due: Instant, job: JobId) -> StorePath:
    """Give the path of the mark that a job was taken."""
    return _build(runner, "taken", format_path_time(due), job)


def alive_folder(runner: PartyName) -> StorePath:
    """Give the folder in which each copy of a runner says that it lives."""
    return _build(runner, "alive")


def alive_path(runner: PartyName, instance: str) -> StorePath:
    """Give the path at which one copy of a runner says that it lives."""
    return _build(runner, "alive", instance)


def parse_path(text: str) -> PathParts:
    """Read a path: of which kind it is and what its segments say.

    Raises:
        ValueRefused: it is the path of no kind of file.
    """
    if text == VERSION_PATH:
        return PathParts(kind="version", owner="")
    segments = text.split("/")
    # Owners begin with a letter, which keeps a store's own folders (`.lock`) out of reach.
    parse_party_name(segments[0])
    for segment in segments[1:]:
        require_segment(segment)
    parts = _parse(segments) if len(text) <= PATH_LENGTH_MAX else None
    if parts is None:
        message = f"{text[:PATH_LENGTH_MAX]!r} is the path of no kind of file"
        raise ValueRefused(message)
    return parts


def require_folder(text: str) -> StorePath:
    """Give the text back if it can be a folder of a store, or the whole store.

    Raises:
        ValueRefused: it cannot.
    """
    if text == WHOLE_STORE:
        return WHOLE_STORE
    segments = text.split("/")
    parse_party_name(segments[0])
    for segment in segments[1:]:
        require_segment(segment)
    if len(text) > PATH_LENGTH_MAX:
        message = f"the folder {text[:60]}… is longer than {PATH_LENGTH_MAX} characters"
        raise ValueRefused(message)
    return StorePath(text)


def is_under(path: StorePath, folder: StorePath) -> bool:
    """Tell whether a path lies below a folder, at any depth."""
    return folder == WHOLE_STORE or path.startswith(f"{folder}/")


def _parse(segments: list[str]) -> PathParts | None:  # noqa: PLR0911 - a table of forms
    match segments:
        case [owner, folder, name] if folder in _FLAT:
            return PathParts(kind=_FLAT[folder], owner=owner, name=name)
        case [owner, "inbox" | "waiting" as kind, sender, name]:
            return PathParts(kind=kind, owner=owner, sender=sender, name=name)
        case [owner, "receipts", client, name]:
            return PathParts(kind="receipt", owner=owner, client=client, name=name)
        case [owner, "keys", client, name]:
            return PathParts(kind="key", owner=owner, client=client, name=name)
        case [owner, "running" | "finished" as kind, client, run]:
            return PathParts(kind=kind, owner=owner, client=client, run=run, name=run)
        case [owner, "records", client, run, *rest]:
            return _parse_record(owner, client, run, rest)
        case [owner, "wakes", time, client, run, name]:
            parse_path_time(time)
            return PathParts(kind="wake", owner=owner, client=client, run=run, time=time, name=name)
        case [owner, "taken", time, name]:
            parse_path_time(time)
            return PathParts(kind="taken", owner=owner, time=time, name=name)
        case _:
            return None


def _parse_record(owner: str, client: str, run: str, rest: list[str]) -> PathParts | None:
    match rest:
        case ["steps", number] if _NUMBER.fullmatch(number):
            return PathParts(kind="step", owner=owner, client=client, run=run, name=number)
        case ["carried"]:
            return PathParts(kind="carried", owner=owner, client=client, run=run, name="carried")
        case ["emits", job, number] if _NUMBER.fullmatch(number):
            return PathParts(
                kind="emit", owner=owner, client=client, run=run, sender=job, name=number
            )
        case ["blobs", blob]:
            return PathParts(kind="blob", owner=owner, client=client, run=run, name=blob)
        case _:
            return None
