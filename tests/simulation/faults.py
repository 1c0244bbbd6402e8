"""A store that lets others move at each call, fails before or after a write, and late.

It is the only way that actors meet, so that wrapping it is enough to reorder and fail all.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from corbie.adapters.stores.memory import MemoryStore
from corbie.adapters.stores.watching import SleepingWatch
from corbie.domain.errors import AlreadyExists, Changed, StoreUnavailable
from corbie.domain.paths import StorePath
from corbie.domain.ports.store import Stored, StoreWatch, Version
from corbie.domain.times import SKEW, Instant
from tests.simulation.scheduler import Scheduler

T = TypeVar("T")


@dataclass(slots=True)
class Chances:
    """How often what goes wrong, of 1."""

    uncertain: float = 0.0
    listing: float = 0.0


@dataclass(slots=True)
class Late:
    """A write that failed and may still land."""

    at: Instant
    land: Callable[[], object]


class FaultyStore:
    """One actor's way to the shared store."""

    def __init__(
        self,
        store: MemoryStore,
        scheduler: Scheduler,
        chances: Chances,
        late: list[Late],
        now: Callable[[], Instant],
    ) -> None:
        """Hold the shared store, and where late writes wait."""
        self._store = store
        self._scheduler = scheduler
        self._chances = chances
        self._late = late
        self._now = now

    def read(self, path: StorePath) -> Stored | None:
        """Read, after others may have moved."""
        self._scheduler.pause()
        return self._store.read(path)

    def list_under(self, folder: StorePath, *, up_to: str | None = None) -> Sequence[StorePath]:
        """List in two halves, between which others may move; or fail between them."""
        self._scheduler.pause()
        first = list(self._store.list_under(folder, up_to=up_to))
        if len(first) < 2 or self._scheduler.chance.random() < 0.5:
            return first
        middle = first[len(first) // 2]
        self._scheduler.pause()
        if self._scheduler.chance.random() < self._chances.listing:
            message = "the listing broke off"
            raise StoreUnavailable(message)
        rest = self._store.list_under(folder, up_to=up_to)
        return [*first[: len(first) // 2], *(path for path in rest if path >= middle)]

    def write(self, path: StorePath, data: bytes) -> Version:
        """Overwrite, perhaps uncertainly."""
        return self._attempt(lambda: self._store.write(path, data))

    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        """Replace, perhaps uncertainly."""
        return self._attempt(lambda: self._store.write_unchanged(path, data, version))

    def write_new(self, path: StorePath, data: bytes) -> Version:
        """Write, perhaps uncertainly."""
        return self._attempt(lambda: self._store.write_new(path, data))

    def write_all_new(self, files: Mapping[StorePath, bytes]) -> frozenset[StorePath]:
        """Write one after another in a drawn order: any of them may be the last."""
        paths = list(files)
        self._scheduler.chance.shuffle(paths)
        exists = set()
        for path in paths:
            try:
                self.write_new(path, files[path])
            except AlreadyExists:
                exists.add(path)
        return frozenset(exists)

    def delete_all(self, paths: Sequence[StorePath]) -> None:
        """Delete one after another, in order."""
        for path in paths:
            self._attempt(lambda path=path: self._store.delete_all([path]))

    def watch(self, folders: Sequence[StorePath]) -> StoreWatch:  # noqa: ARG002 - the port's
        """Give a watch that only sleeps: actors look when it is their turn."""
        return SleepingWatch()

    def _attempt(self, act: Callable[[], T]) -> T:
        self._scheduler.pause()
        chance = self._scheduler.chance
        if chance.random() >= self._chances.uncertain:
            return act()
        match chance.choice(["lost", "done", "late"]):
            case "done":
                with suppress(AlreadyExists, Changed):
                    act()
            case "late":
                self._late.append(Late(at=self._now(), land=act))
            case _:
                pass
        message = "no answer came"
        raise StoreUnavailable(message)


def land(late: Late, now: Instant) -> None:
    """Let a late write land, unless it is so old that its sender no longer counts on it."""
    if now - late.at > SKEW:
        return
    with suppress(AlreadyExists, Changed):
        late.land()
