"""What stores share about watching: the whole of a store's face, and a watch that only sleeps."""

import threading
from typing import Protocol

from corbie.domain.ports.store import Store, WatchableStore
from corbie.domain.times import SECOND, Span


class WatchedStore(Store, WatchableStore, Protocol):
    """A store that can be watched too; every store of this package is one."""


class SleepingWatch:
    """A `StoreWatch` where nothing tells of changes: it only sleeps."""

    def __init__(self) -> None:
        """Begin open."""
        self._closed = threading.Event()

    def wait(self, timeout: Span) -> bool:
        """Sleep, or return at once when closed, also by another thread."""
        self._closed.wait(min(timeout / SECOND, threading.TIMEOUT_MAX))
        return False

    def close(self) -> None:
        """End a sleep under way and every later one."""
        self._closed.set()
