"""The store: values under paths, and three ways of writing one.

Source: The store, Who may read and write; architecture, Ports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NewType, Protocol

from corbie.domain.paths import StorePath
from corbie.domain.times import Span

Version = NewType("Version", str)
"""What `write_unchanged` compares: opaque, and different for every write of a path."""

FILE_BYTES_MAX = 72 * 1024 * 1024
"""No file in a store is larger: a blob of 64 MiB, its chunks' tags, and room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A file as it was read."""

    data: bytes
    version: Version


class Store(Protocol):
    """Files under paths. All writes are durable when they return.

    One writer among many wins a `write_new`; a stale version is refused; a read sees a finished
    write, whole; a listing is complete and sorted. Every method may raise `StoreUnavailable`:
    after a write, that means "done or not done, now or later".
    """

    def read(self, path: StorePath) -> Stored | None:
        """Give a file, or None where there is none."""
        ...

    def list_under(self, folder: StorePath, *, up_to: str | None = None) -> Sequence[StorePath]:
        """Give the sorted paths of all files below a folder, at any depth.

        With `up_to`, only those whose first segment below the folder sorts at or before it: a
        listing of wakes stops at now. A missing folder has no files. `WHOLE_STORE` lists all.
        """
        ...

    def write(self, path: StorePath, data: bytes) -> Version:
        """Write a file, whatever is at the path."""
        ...

    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        """Replace a file that still has this version.

        Raises:
            Changed: it has another one, or is gone.
        """
        ...

    def write_new(self, path: StorePath, data: bytes) -> Version:
        """Write a file where there is none.

        Raises:
            AlreadyExists: there is one.
        """
        ...

    def write_all_new(self, files: Mapping[StorePath, bytes]) -> frozenset[StorePath]:
        """Write each file where there is none, sharing what can be shared, in no set order.

        Gives the paths where there was one already, which were left as they are. A failure may
        leave any of the files written.
        """
        ...

    def delete_all(self, paths: Sequence[StorePath]) -> None:
        """Delete files, in the order given; one that is not there is no error."""
        ...


class StoreWatch(Protocol):
    """Waking when a store changes; hints only, so a missed one costs at most a poll."""

    def wait(self, timeout: Span) -> bool:
        """Wait until something changed in a watched folder since the last wait, or time is up.

        Gives whether something changed. A change between two waits is not lost.
        """
        ...

    def close(self) -> None:
        """Stop watching."""
        ...


class WatchableStore(Protocol):
    """A store that may be able to tell of changes."""

    def watch(self, folders: Sequence[StorePath]) -> StoreWatch:
        """Watch all files below the folders, which need not exist yet, from this moment on.

        A store that cannot tell of changes gives a watch that only sleeps.
        """
        ...
