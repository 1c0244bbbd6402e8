"""What a pass begins with: due wakes and messages, opened, checked and grouped by run.

Wakes are listed before the inbox, so that a result written before its timeout is seen with it.
Source: Processes, Controller (intake; wakes_first).
"""

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from corbie.app.controller.trusted import Trusted
from corbie.app.files.sealed import SealedFiles
from corbie.domain.errors import Untrusted, ValueRefused
from corbie.domain.names import PartyName, RunId, split_run_id
from corbie.domain.paths import StorePath, inbox_folder, parse_path, wakes_folder
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.store import Store
from corbie.domain.records import (
    ControllerMessage,
    ResultMessage,
    StartMessage,
    require_start_fits,
)
from corbie.domain.times import Instant, format_path_time, parse_path_time

RUNS_PER_PASS_MAX = 256
MESSAGES_PER_PASS_MAX = 1_000
"""Runs and messages one pass takes; the rest come with the next, which begins at once."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """A message as it came in; `is_expired` when that was after its `until`."""

    path: StorePath
    name: str
    by: PartyName
    sent: Instant
    until: Instant
    is_expired: bool
    record: ControllerMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class DueWake:
    """A wake whose time has come."""

    path: StorePath
    due: Instant
    name: str


@dataclass(slots=True, kw_only=True)
class Items:
    """What came for one run in one pass."""

    messages: list[Arrived] = field(default_factory=list)
    wakes: list[DueWake] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What a pass begins with: items by run; `refused` are messages to delete unread."""

    runs: dict[RunId, Items]
    refused: list[StorePath]
    is_more: bool


class Intake:
    """Lists and opens what came in."""

    def __init__(
        self,
        *,
        store: Store,
        files: SealedFiles,
        trusted: Trusted,
        controller: PartyName,
        clock: Clock,
    ) -> None:
        """Hold the ports."""
        self._store = store
        self._files = files
        self._trusted = trusted
        self._controller = controller
        self._clock = clock
        self._has_looked = False

    def collect(self) -> Collected:
        """Give what is due and what came in, of at most 256 runs."""
        now = format_path_time(self._clock.now())
        wakes = self._store.list_under(wakes_folder(self._controller), up_to=now)
        messages = self._store.list_under(inbox_folder(self._controller))
        self._trusted.refresh()
        self._has_looked = False
        runs: dict[RunId, Items] = {}
        refused: list[StorePath] = []
        is_more = self._add_messages(messages, runs, refused)
        is_more = self._add_wakes(wakes, runs) or is_more
        return Collected(runs=runs, refused=refused, is_more=is_more)

    def _add_messages(
        self, paths: Iterable[StorePath], runs: dict[RunId, Items], refused: list[StorePath]
    ) -> bool:
        for count, path in enumerate(_take_turns(paths)):
            if len(runs) >= RUNS_PER_PASS_MAX or count >= MESSAGES_PER_PASS_MAX:
                return True
            try:
                arrived = self._open(path)
            except Untrusted as error:
                _log.warning("a message is deleted: %s", error)
                refused.append(path)
                continue
            if arrived is not None:
                run = arrived.record.run
                runs.setdefault(run, Items()).messages.append(arrived)
        return False

    def _add_wakes(self, paths: Iterable[StorePath], runs: dict[RunId, Items]) -> bool:
        for path in paths:
            parts = parse_path(path)
            run = RunId(f"{parts.client}/{parts.run}")
            if run not in runs and len(runs) >= RUNS_PER_PASS_MAX:
                return True
            due = DueWake(path=path, due=parse_path_time(parts.time), name=parts.name)
            runs.setdefault(run, Items()).wakes.append(due)
        return False

    def _open(self, path: StorePath) -> Arrived | None:
        """Open a message; None if another controller deleted it meanwhile.

        Raises:
            Untrusted: a check failed, or the sender may not send this.
        """
        parts = parse_path(path)
        if self._trusted.entry(PartyName(parts.sender)) is None and not self._has_looked:
            # Once a pass: what is read after the listing knows whoever was trusted before it.
            self._has_looked = True
            self._trusted.refresh(now=True)
        stored = self._store.read(path)
        if stored is None:
            return None
        opened = self._files.open(path, stored.data, late=True)
        record = opened.record
        if not isinstance(record, ControllerMessage):
            what = f"a {type(record).__name__} is nothing to send to a controller"
            raise Untrusted(path=path, check="content", what=what)
        self._check_sender(path, parts.name, opened.by, record)
        return Arrived(
            path=path,
            name=parts.name,
            by=opened.by,
            sent=opened.sent,
            until=opened.until or opened.sent,
            is_expired=opened.is_expired,
            record=record,
        )

    def _check_sender(
        self, path: StorePath, name: str, by: PartyName, record: ControllerMessage
    ) -> None:
        entry = self._trusted.entry(by)
        role = "runner" if isinstance(record, ResultMessage) else "client"
        if entry is None or entry.card.role != role:
            what = f"a {record.kind} message is from a {role}, and {by} is none here"
            raise Untrusted(path=path, check="writer", what=what)
        try:
            client, run = split_run_id(record.run)
            if isinstance(record, StartMessage):
                require_start_fits(record.type, record.machine, record.labels, record.key)
        except ValueRefused as error:
            raise Untrusted(path=path, check="content", what=str(error)) from error
        if role == "client" and client != by:
            what = f"{by} speaks for a run of {client}"
            raise Untrusted(path=path, check="writer", what=what)
        if isinstance(record, ResultMessage):
            expected: str = record.job
        elif isinstance(record, StartMessage):
            expected = run
        else:
            # Its receipt goes with the run's, by this name.
            expected = name if name.startswith(f"{run}~") else f"{run}~…"
        if name != expected:
            raise Untrusted(path=path, check="content", what=f"it should be named {expected}")


def _take_turns(paths: Iterable[StorePath]) -> list[StorePath]:
    """Give messages with each sender's first before any sender's second: no one fills a pass."""
    counts: Counter[str] = Counter()
    turns = []
    for path in paths:
        sender = parse_path(path).sender
        turns.append((counts[sender], path))
        counts[sender] += 1
    return [path for _, path in sorted(turns)]
