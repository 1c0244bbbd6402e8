"""A store in this process's memory, for `corbie test` and tests; shared by threads."""

import bisect
import threading
import time
from collections.abc import Mapping, Sequence

from corbie.adapters.stores.bounds import require_writable
from corbie.domain.errors import AlreadyExists, Changed
from corbie.domain.paths import StorePath, is_under, parse_path, require_folder
from corbie.domain.ports.store import Stored, StoreWatch, Version
from corbie.domain.times import SECOND, Span


class MemoryStore:
    """A `WatchableStore` and `Store` on a dictionary; one lock orders all that happens."""

    def __init__(self) -> None:
        """Begin empty."""
        self._changed = threading.Condition()
        self._files: dict[StorePath, Stored] = {}
        self._paths: list[StorePath] = []
        self._writes = 0
        self._watches: set[_MemoryWatch] = set()

    def read(self, path: StorePath) -> Stored | None:
        """Give a file, or None where there is none."""
        parse_path(path)
        with self._changed:
            return self._files.get(path)

    def list_under(self, folder: StorePath, *, up_to: str | None = None) -> Sequence[StorePath]:
        """Give the sorted paths of all files below a folder; see the port."""
        require_folder(folder)
        prefix = f"{folder}/" if folder else ""
        with self._changed:
            # "0" is the character after "/", so this is where the folder's paths end.
            first = bisect.bisect_left(self._paths, prefix)
            last = bisect.bisect_left(self._paths, f"{folder}0") if folder else len(self._paths)
            found = self._paths[first:last]
        if up_to is None:
            return found
        return [path for path in found if path[len(prefix) :].partition("/")[0] <= up_to]

    def write(self, path: StorePath, data: bytes) -> Version:
        """Write a file, whatever is at the path."""
        require_writable(path, data)
        with self._changed:
            return self._put(path, data)

    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        """Replace a file that still has this version; raises Changed if it has not."""
        require_writable(path, data)
        with self._changed:
            there = self._files.get(path)
            if there is None or there.version != version:
                raise Changed(path=path)
            return self._put(path, data)

    def write_new(self, path: StorePath, data: bytes) -> Version:
        """Write a file where there is none; raises AlreadyExists if there is one."""
        require_writable(path, data)
        with self._changed:
            if path in self._files:
                raise AlreadyExists(path=path)
            return self._put(path, data)

    def write_all_new(self, files: Mapping[StorePath, bytes]) -> frozenset[StorePath]:
        """Write each file where there is none; gives the paths where there was one."""
        for path, data in files.items():
            require_writable(path, data)
        with self._changed:
            existing = frozenset(path for path in files if path in self._files)
            for path, data in files.items():
                if path not in existing:
                    self._put(path, data)
        return existing

    def delete_all(self, paths: Sequence[StorePath]) -> None:
        """Delete files; one that is not there is no error."""
        for path in paths:
            parse_path(path)
        with self._changed:
            for path in paths:
                if self._files.pop(path, None) is not None:
                    del self._paths[bisect.bisect_left(self._paths, path)]

    def watch(self, folders: Sequence[StorePath]) -> StoreWatch:
        """Watch for files written below the folders, from this moment on."""
        for folder in folders:
            require_folder(folder)
        watch = _MemoryWatch(self._changed, tuple(folders), self._watches)
        with self._changed:
            self._watches.add(watch)
        return watch

    def _put(self, path: StorePath, data: bytes) -> Version:
        self._writes += 1
        version = Version(str(self._writes))
        if path not in self._files:
            bisect.insort(self._paths, path)
        self._files[path] = Stored(data=bytes(data), version=version)
        for watch in self._watches:
            watch.tell(path)
        return version


class _MemoryWatch:
    """A watch on a memory store; all its state is guarded by the store's condition."""

    def __init__(
        self,
        changed: threading.Condition,
        folders: tuple[StorePath, ...],
        watches: "set[_MemoryWatch]",
    ) -> None:
        self._changed = changed
        self._folders = folders
        self._watches = watches
        self._has_news = False
        self._is_closed = False

    def tell(self, path: StorePath) -> None:
        """Note that a file was written; the caller holds the condition."""
        if any(is_under(path, folder) for folder in self._folders):
            self._has_news = True
            self._changed.notify_all()

    def wait(self, timeout: Span) -> bool:
        """Wait for news or until time is up, or the watch is closed."""
        end = time.monotonic() + timeout / SECOND
        with self._changed:
            while not self._has_news and not self._is_closed:
                left = end - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(min(left, threading.TIMEOUT_MAX))
            has_news = self._has_news and not self._is_closed
            self._has_news = False
        return has_news

    def close(self) -> None:
        """Stop watching, and end a wait under way."""
        with self._changed:
            self._is_closed = True
            self._watches.discard(self)
            self._changed.notify_all()
