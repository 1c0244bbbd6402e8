"""Which copy of a runner this is, whether another one lives, and what a dead one left.

Source: Processes, Runner (copies, after a crash); The store, Layout (alive, taken).
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from corbie.app.files.sealed import SealedFiles
from corbie.domain.errors import Untrusted
from corbie.domain.names import JobId, PartyName
from corbie.domain.paths import StorePath, alive_folder, alive_path
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.store import Store
from corbie.domain.records import Alive
from corbie.domain.times import MINUTE, SECOND, Instant, Span, later

ALIVE_EVERY = Span(30 * SECOND)
SILENT_AFTER = Span(5 * MINUTE)
DEAD_AFTER = Span(15 * MINUTE)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """This copy of a runner: its name, and the process on a computer that it is.

    `started` tells the process from a later one with the same number.
    """

    name: str
    host: str
    process: int
    started: str
    version: str


class Presence:
    """Says that this copy lives, and asks it of others."""

    def __init__(  # noqa: PLR0913 - each is one port or one part, wired by name
        self,
        *,
        store: Store,
        files: SealedFiles,
        runner: PartyName,
        instance: Instance,
        capacity: int,
        clock: Clock,
        is_process: Callable[[int, str], bool],
    ) -> None:
        """Hold who this is; `is_process` tells whether a process of this computer still runs."""
        self._store = store
        self._files = files
        self._runner = runner
        self._instance = instance
        self._capacity = capacity
        self._clock = clock
        self._is_process = is_process
        self._told: Instant | None = None
        self._jobs: tuple[JobId, ...] = ()

    @property
    def name(self) -> str:
        """The name of this copy."""
        return self._instance.name

    @property
    def _path(self) -> StorePath:
        return alive_path(self._runner, self._instance.name)

    def tell(self, jobs: tuple[JobId, ...]) -> None:
        """Say that this copy lives and what it holds, every 30 s."""
        now = self._clock.now()
        if self._told is not None and now < later(self._told, ALIVE_EVERY):
            return
        alive = Alive(
            instance=self._instance.name,
            host=self._instance.host,
            process=self._instance.process,
            started=self._instance.started,
            capacity=self._capacity,
            version=self._instance.version,
            jobs=jobs,
        )
        self._store.write(self._path, self._files.compose(self._path, alive))
        self._told = now

    def leave(self) -> None:
        """Say no more that this copy lives."""
        self._store.delete_all([self._path])

    def sweep(self) -> None:
        """Delete the `alive` files of copies that said nothing for fifteen minutes."""
        for path in self._store.list_under(alive_folder(self._runner)):
            if path == self._path:
                continue
            try:
                opened = self._files.read(path, Alive)
            except Untrusted as error:
                _log.warning("an alive file is passed over: %s", error)
                continue
            if opened is not None and self._clock.now() > later(opened.sent, DEAD_AFTER):
                self._store.delete_all([path])

    def has_ended(self, instance: str) -> bool:
        """Tell whether a copy, this one or another, can no longer report a job it took.

        A copy on this computer has ended when its process has; any copy when it has left, or
        was silent for five minutes. One whose `alive` file fails a check is not believed dead.
        """
        if instance == self._instance.name:
            return False
        try:
            opened = self._files.read(alive_path(self._runner, instance), Alive)
        except Untrusted as error:
            _log.warning("an alive file is passed over: %s", error)
            return False
        if opened is None:
            return True
        alive = opened.record
        if alive.host == self._instance.host:
            return not self._is_process(alive.process, alive.started)
        return self._clock.now() > later(opened.sent, SILENT_AFTER)
