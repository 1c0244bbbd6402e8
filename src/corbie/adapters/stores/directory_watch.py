"""Telling of files that appear in a directory store, by inotify.

New and replaced files are told of, deleted ones are not: nobody waits for those.
"""

import math
import os
import select
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from corbie.adapters.stores.watching import SleepingWatch
from corbie.domain.paths import WHOLE_STORE, StorePath, is_under
from corbie.domain.ports.store import StoreWatch
from corbie.domain.times import MILLISECOND, SECOND, Span

try:
    import inotify_simple
except ImportError:  # pragma: no cover - other systems than Linux
    HAS_INOTIFY = False
else:
    HAS_INOTIFY = True

_WAIT_MAX_MS = 2**31 - 1


def open_watch(root: str, folders: tuple[StorePath, ...]) -> StoreWatch:
    """Watch folders of a store; where the system cannot, give a watch that only sleeps."""
    if HAS_INOTIFY:
        try:
            return DirectoryWatch(root, folders)
        except OSError:
            # This user has as many watches as it may: polling still finds everything.
            pass
    return SleepingWatch()


class DirectoryWatch:
    """A `StoreWatch` on folders of a directory store, whether or not they exist yet.

    Of a folder that does not exist yet the nearest one above is watched. Watches are set
    before a folder is looked through, so a file is either seen there or told of.
    """

    def __init__(self, root: str, folders: tuple[StorePath, ...]) -> None:
        """Watch from this moment on; raises OSError if the system has no watch left."""
        self._root = root
        self._targets = folders
        self._folders: dict[int, str] = {}
        self._using = threading.Lock()
        self._is_closed = False
        self._inotify = inotify_simple.INotify(nonblocking=True)
        flags = inotify_simple.flags
        self._mask = flags.CREATE | flags.MOVED_TO | flags.ONLYDIR | flags.DONT_FOLLOW
        self._closing = os.eventfd(0)
        self._poll = select.poll()
        self._poll.register(self._inotify.fileno(), select.POLLIN)
        self._poll.register(self._closing, select.POLLIN)
        try:
            self._add("")
        except OSError:
            self.close()
            raise

    def wait(self, timeout: Span) -> bool:
        """Wait until a file appeared since the last wait, time is up, or the watch is closed."""
        end = time.monotonic() + timeout / SECOND
        with self._using:
            while not self._is_closed:
                if self._take_events():
                    return True
                left_ms = (end - time.monotonic()) * (SECOND / MILLISECOND)
                if left_ms <= 0:
                    return False
                self._poll.poll(min(math.ceil(left_ms), _WAIT_MAX_MS))
            return False

    def close(self) -> None:
        """Stop watching, end a wait under way, and let go of the descriptors."""
        if self._is_closed:
            return
        self._is_closed = True
        os.eventfd_write(self._closing, 1)
        with self._using:
            self._inotify.close()
            os.close(self._closing)

    def _take_events(self) -> bool:
        flags = inotify_simple.flags
        has_news = False
        for event in self._inotify.read(timeout=0):
            if event.mask & flags.Q_OVERFLOW:
                # Events were lost, perhaps those of new folders: look at everything again.
                self._add_more("")
                has_news = True
            elif event.mask & flags.IGNORED:
                self._folders.pop(event.wd, None)
            elif event.wd in self._folders:
                folder = self._folders[event.wd]
                if event.mask & flags.ISDIR:
                    child = f"{folder}/{event.name}" if folder else event.name
                    has_news |= self._leads_on(child) and self._add_more(child)
                else:
                    has_news |= self._is_watched(folder)
        return has_news

    def _add_more(self, folder: str) -> bool:
        try:
            return self._add(folder)
        except OSError:
            # No watch left for this one. Say that something changed: the caller looks.
            return True

    def _add(self, folder: str) -> bool:
        """Watch a folder and those in it; tells whether there are files in them already."""
        try:
            self._folders[self._inotify.add_watch(self._path(folder), self._mask)] = folder
            has_files = False
            for child, is_folder in self._children(folder):
                if is_folder:
                    has_files |= self._add(child)
                else:
                    has_files = True
        except (FileNotFoundError, NotADirectoryError):
            return False
        return has_files

    def _children(self, folder: str) -> Iterator[tuple[str, bool]]:
        """Give what matters in a folder, and whether each is a folder."""
        prefix = f"{folder}/" if folder else ""
        if not self._is_watched(folder):
            # Not looked through: there may be very much in it that nobody asked for.
            for target in self._targets:
                if target.startswith(prefix):
                    yield prefix + target[len(prefix) :].partition("/")[0], True
            return
        with os.scandir(self._path(folder)) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for name, is_folder in found:
            if folder or not name.startswith("."):
                yield prefix + name, is_folder

    def _path(self, folder: str) -> Path:
        return Path(self._root, folder)

    def _is_watched(self, folder: str) -> bool:
        return any(
            folder == target or is_under(StorePath(folder), target) for target in self._targets
        )

    def _leads_on(self, folder: str) -> bool:
        """Tell whether a folder is watched, or one that is lies in it."""
        if WHOLE_STORE in self._targets and folder.startswith("."):
            return False
        return self._is_watched(folder) or any(
            is_under(target, StorePath(folder)) for target in self._targets
        )
