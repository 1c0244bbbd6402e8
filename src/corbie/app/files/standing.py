"""A store for one pass: past five minutes of it, nothing more is written.

A process that was suspended acts on what it read long ago; this is where it stops.
Source: Processes, The rules that make it exact (min_keep).
"""

from collections.abc import Mapping, Sequence

from corbie.domain.errors import Unavailable
from corbie.domain.paths import StorePath
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.store import Store, Stored, Version
from corbie.domain.times import SKEW, Instant


class PassTooLong(Unavailable):
    """The pass took longer than five minutes by its own clock; begin another."""

    code = "pass_too_long"


class PassStore:
    """A `Store` whose writes and deletions stop five minutes after `begin`."""

    def __init__(self, *, store: Store, clock: Clock) -> None:
        """Wrap a store; no pass has begun, and nothing is stopped."""
        self._store = store
        self._clock = clock
        self._begun: Instant | None = None

    def begin(self) -> Instant:
        """Begin a pass; give its time."""
        self._begun = self._clock.now()
        return self._begun

    def end(self) -> None:
        """End the pass: until the next, nothing is stopped."""
        self._begun = None

    def require_time(self) -> None:
        """Return while the pass may act.

        Raises:
            PassTooLong: it began more than five minutes ago.
        """
        if self._begun is not None and self._clock.now() > self._begun + SKEW:
            message = "the pass took longer than five minutes; what it read is too old to act on"
            raise PassTooLong(message)

    def read(self, path: StorePath) -> Stored | None:
        """Read as the wrapped store does."""
        return self._store.read(path)

    def list_under(self, folder: StorePath, *, up_to: str | None = None) -> Sequence[StorePath]:
        """List as the wrapped store does."""
        return self._store.list_under(folder, up_to=up_to)

    def write(self, path: StorePath, data: bytes) -> Version:
        """Write as the wrapped store does, in time."""
        self.require_time()
        return self._store.write(path, data)

    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        """Write as the wrapped store does, in time."""
        self.require_time()
        return self._store.write_unchanged(path, data, version)

    def write_new(self, path: StorePath, data: bytes) -> Version:
        """Write as the wrapped store does, in time."""
        self.require_time()
        return self._store.write_new(path, data)

    def write_all_new(self, files: Mapping[StorePath, bytes]) -> frozenset[StorePath]:
        """Write as the wrapped store does, in time."""
        self.require_time()
        return self._store.write_all_new(files)

    def delete_all(self, paths: Sequence[StorePath]) -> None:
        """Delete as the wrapped store does, in time."""
        self.require_time()
        self._store.delete_all(paths)
