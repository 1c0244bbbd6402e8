"""A store whose process dies, by kill -9, just before one of its writes."""

import os
import signal
from collections.abc import Mapping, Sequence

from corbie.adapters.stores.watching import WatchedStore
from corbie.domain.errors import AlreadyExists
from corbie.domain.paths import StorePath
from corbie.domain.ports.store import Stored, StoreWatch, Version


class DyingStore:
    """Counts writes and deletions one by one, batches taken apart, and dies before the last.

    `dies_at` 0 never dies.
    """

    def __init__(self, store: WatchedStore, *, dies_at: int) -> None:
        """Hold the store and the count."""
        self._store = store
        self._left = dies_at

    def read(self, path: StorePath) -> Stored | None:
        """Read as the wrapped store does."""
        return self._store.read(path)

    def list_under(self, folder: StorePath, *, up_to: str | None = None) -> Sequence[StorePath]:
        """List as the wrapped store does."""
        return self._store.list_under(folder, up_to=up_to)

    def write(self, path: StorePath, data: bytes) -> Version:
        """Write, unless this is where it ends."""
        self._count()
        return self._store.write(path, data)

    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        """Write, unless this is where it ends."""
        self._count()
        return self._store.write_unchanged(path, data, version)

    def write_new(self, path: StorePath, data: bytes) -> Version:
        """Write, unless this is where it ends."""
        self._count()
        return self._store.write_new(path, data)

    def write_all_new(self, files: Mapping[StorePath, bytes]) -> frozenset[StorePath]:
        """Write one after another: between any two it may end."""
        exists = set()
        for path, data in files.items():
            try:
                self.write_new(path, data)
            except AlreadyExists:
                exists.add(path)
        return frozenset(exists)

    def delete_all(self, paths: Sequence[StorePath]) -> None:
        """Delete one after another: between any two it may end."""
        for path in paths:
            self._count()
            self._store.delete_all([path])

    def watch(self, folders: Sequence[StorePath]) -> StoreWatch:
        """Watch as the wrapped store does."""
        return self._store.watch(folders)

    def _count(self) -> None:
        if self._left:
            self._left -= 1
            if not self._left:
                os.kill(os.getpid(), signal.SIGKILL)
