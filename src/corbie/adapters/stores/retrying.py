"""A store that repeats what failed without an answer, a bounded number of times.

Source: Processes, Uncertain writes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from corbie.adapters.stores.watching import WatchedStore
from corbie.domain.errors import AlreadyExists, Changed, NotAllowed, StoreUnavailable
from corbie.domain.paths import StorePath
from corbie.domain.ports.store import Stored, StoreWatch, Version
from corbie.domain.times import MILLISECOND, SECOND, Span

T = TypeVar("T")

ATTEMPTS_MAX = 5
"""With the delays below, a store that is away for a second is not noticed."""

DELAY_FIRST = Span(50 * MILLISECOND)
DELAY_MAX = Span(2 * SECOND)

UNKNOWN_VERSION = Version("")
"""The version of a file that its writer may not read; no file ever has it."""


class RetryingStore:
    """A `Store` that repeats a call that raised StoreUnavailable, and nothing else.

    A conditional write that is repeated may find its own first attempt: a file with exactly
    the bytes to be written counts as written. Every file bears its writer and the time, so no
    one else writes the same bytes. Where the writer may not read the file back, it counts as
    written too: such files (messages, emits) have names that are unique to their writer. A
    file that is gone again by then was there: AlreadyExists or Changed.
    """

    def __init__(
        self,
        store: WatchedStore,
        sleep: Callable[[Span], None],
        *,
        attempts_max: int = ATTEMPTS_MAX,
    ) -> None:
        """Wrap a store; `sleep` is called between attempts with 50 ms, doubled up to 2 s."""
        self._store = store
        self._sleep = sleep
        self._attempts_max = attempts_max

    def read(self, path: StorePath) -> Stored | None:
        """Give a file, or None where there is none."""
        return self._repeat(lambda _: self._store.read(path))

    def list_under(self, folder: StorePath, *, up_to: str | None = None) -> Sequence[StorePath]:
        """Give the sorted paths of all files below a folder; see the port."""
        return self._repeat(lambda _: self._store.list_under(folder, up_to=up_to))

    def write(self, path: StorePath, data: bytes) -> Version:
        """Write a file, whatever is at the path."""
        return self._repeat(lambda _: self._store.write(path, data))

    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        """Replace a file that still has this version; raises Changed if it has not."""

        def attempt(is_repeated: bool) -> Version:  # noqa: FBT001 - the only argument there is
            try:
                return self._store.write_unchanged(path, data, version)
            except Changed:
                mine = self._version_if_mine(path, data) if is_repeated else None
                if mine is None:
                    raise
                return mine

        return self._repeat(attempt)

    def write_new(self, path: StorePath, data: bytes) -> Version:
        """Write a file where there is none; raises AlreadyExists if there is one."""

        def attempt(is_repeated: bool) -> Version:  # noqa: FBT001 - the only argument there is
            try:
                return self._store.write_new(path, data)
            except AlreadyExists:
                mine = self._version_if_mine(path, data) if is_repeated else None
                if mine is None:
                    raise
                return mine

        return self._repeat(attempt)

    def write_all_new(self, files: Mapping[StorePath, bytes]) -> frozenset[StorePath]:
        """Write each file where there is none; gives the paths where there was one."""

        def attempt(is_repeated: bool) -> frozenset[StorePath]:  # noqa: FBT001 - as above
            existing = self._store.write_all_new(files)
            if not is_repeated:
                return existing
            return frozenset(
                path for path in existing if self._version_if_mine(path, files[path]) is None
            )

        return self._repeat(attempt)

    def delete_all(self, paths: Sequence[StorePath]) -> None:
        """Delete files; one that is not there is no error."""
        self._repeat(lambda _: self._store.delete_all(paths))

    def watch(self, folders: Sequence[StorePath]) -> StoreWatch:
        """Watch as the store does."""
        return self._store.watch(folders)

    def _version_if_mine(self, path: StorePath, data: bytes) -> Version | None:
        try:
            there = self._store.read(path)
        except NotAllowed:
            return UNKNOWN_VERSION
        return there.version if there is not None and there.data == data else None

    def _repeat(self, attempt: Callable[[bool], T]) -> T:
        delay = DELAY_FIRST
        for number in range(1, self._attempts_max):
            try:
                return attempt(number > 1)
            except StoreUnavailable:
                self._sleep(delay)
                delay = Span(min(2 * delay, DELAY_MAX))
        return attempt(self._attempts_max > 1)
