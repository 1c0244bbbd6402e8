"""Proving a store's promises on a scratch path. Source: The store, Kinds of store (check)."""

import contextlib
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from corbie.domain.errors import AlreadyExists, Changed, CorbieError
from corbie.domain.paths import StorePath
from corbie.domain.ports.store import Store, Version

RACERS = 16
ROUNDS = 5

SCRATCH_OWNER = "storecheck"

_NO_VERSION = Version("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One promise, whether it was kept, and what was seen if not."""

    promise: str
    is_kept: bool
    detail: str = ""


class _BrokenPromiseError(Exception):
    """What was seen instead; never leaves this module."""


def check_store(store: Store, *, owner: str = SCRATCH_OWNER) -> tuple[Promise, ...]:
    """Try each promise of the store port; nothing is left behind.

    `owner` is a party's name under whose `slots/` the scratch files lie: one that may write
    there, where the store enforces the access table.
    """
    scratch = _Scratch(store, owner)
    try:
        return tuple(_try(says, test) for says, test in scratch.tests())
    finally:
        with contextlib.suppress(CorbieError):
            scratch.clear()


def _try(says: str, test: Callable[[], None]) -> Promise:
    try:
        test()
    except (_BrokenPromiseError, CorbieError) as error:
        return Promise(promise=says, is_kept=False, detail=str(error))
    return Promise(promise=says, is_kept=True)


def _ensure(is_kept: bool, seen: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not is_kept:
        raise _BrokenPromiseError(seen)


class _Scratch:
    """Files of one check, and a test for each promise, in order."""

    def __init__(self, store: Store, owner: str) -> None:
        self._store = store
        self._folder = StorePath(f"{owner}/slots")
        self._prefix = f"{owner}/slots/{secrets.token_hex(8)}"
        self._used: set[StorePath] = set()

    def tests(self) -> Iterator[tuple[str, Callable[[], None]]]:
        yield "a new file is written and read back", self._creates
        yield "a file that exists is not written as new", self._refuses_second
        yield "a file that is unchanged is replaced", self._replaces
        yield "a file that changed is not replaced", self._refuses_stale
        yield "the same bytes written again are another version", self._tells_writes_apart
        yield "of many writers of one new file one wins", self._has_one_winner
        yield "of many writers replacing one version one wins", self._has_one_replacer
        yield "several new files are written at once", self._writes_batches
        yield "a listing is complete and sorted", self._lists
        yield "a deleted file is gone", self._deletes

    def clear(self) -> None:
        self._store.delete_all(sorted(self._used))

    def _path(self, name: str) -> StorePath:
        path = StorePath(f"{self._prefix}-{name}")
        self._used.add(path)
        return path

    def _creates(self) -> None:
        version = self._store.write_new(self._path("a"), b"1")
        there = self._store.read(self._path("a"))
        _ensure(there is not None, "the file was not there")
        _ensure(there is not None and there.data == b"1", "other bytes were there")
        _ensure(there is not None and there.version == version, "its version was another one")

    def _refuses_second(self) -> None:
        with contextlib.suppress(AlreadyExists):
            self._store.write_new(self._path("a"), b"2")
            _ensure(is_kept=False, seen="it was written")
        _ensure(self._data("a") == b"1", "the file was changed")

    def _replaces(self) -> None:
        self._store.write_unchanged(self._path("a"), b"3", self._version("a"))
        _ensure(self._data("a") == b"3", "the file was not replaced")

    def _refuses_stale(self) -> None:
        stale = self._version("a")
        self._store.write(self._path("a"), b"4")
        with contextlib.suppress(Changed):
            self._store.write_unchanged(self._path("a"), b"5", stale)
            _ensure(is_kept=False, seen="it was replaced")
        with contextlib.suppress(Changed):
            self._store.write_unchanged(self._path("none"), b"5", stale)
            _ensure(is_kept=False, seen="a file that is not there was replaced")

    def _tells_writes_apart(self) -> None:
        seen = {self._version("a")}
        for _ in range(ROUNDS):
            self._store.write(self._path("a"), b"4")
            seen.add(self._version("a"))
        _ensure(len(seen) == ROUNDS + 1, f"{ROUNDS + 1} writes had {len(seen)} versions")

    def _has_one_winner(self) -> None:
        for round_number in range(ROUNDS):
            path = self._path(f"race{round_number}")

            def write(number: int, path: StorePath = path) -> bytes | None:
                data = str(number).encode()
                try:
                    self._store.write_new(path, data)
                except AlreadyExists:
                    return None
                return data

            self._require_one_winner(path, write)

    def _has_one_replacer(self) -> None:
        for round_number in range(ROUNDS):
            path = self._path(f"race{round_number}")
            version = self._store.write(path, b"first")

            def write(
                number: int, path: StorePath = path, version: Version = version
            ) -> bytes | None:
                data = str(number).encode()
                try:
                    self._store.write_unchanged(path, data, version)
                except Changed:
                    return None
                return data

            self._require_one_winner(path, write)

    def _require_one_winner(self, path: StorePath, write: Callable[[int], bytes | None]) -> None:
        with ThreadPoolExecutor(RACERS) as racers:
            won = [data for data in racers.map(write, range(RACERS)) if data is not None]
        _ensure(len(won) == 1, f"of {RACERS} writers {len(won)} won")
        there = self._store.read(path)
        _ensure(there is not None and there.data == won[0], "the winner's bytes were not there")

    def _writes_batches(self) -> None:
        existing = self._store.write_all_new(
            {self._path("a"): b"6", self._path("b"): b"6", self._path("c"): b"6"}
        )
        _ensure(existing == {self._path("a")}, "what existed was not told apart")
        _ensure(self._data("b") == self._data("c") == b"6", "not all were written")
        _ensure(self._data("a") != b"6", "what existed was changed")

    def _lists(self) -> None:
        listed = [
            path for path in self._store.list_under(self._folder) if path.startswith(self._prefix)
        ]
        _ensure(listed == sorted(listed), "it was not sorted")
        there = [path for path in sorted(self._used) if self._store.read(path) is not None]
        _ensure(listed == there, f"it had {len(listed)} of {len(there)} files")

    def _deletes(self) -> None:
        self._store.delete_all([self._path("a"), self._path("none")])
        _ensure(self._store.read(self._path("a")) is None, "it could be read")
        listed = self._store.list_under(self._folder)
        _ensure(self._path("a") not in listed, "it was listed")

    def _data(self, name: str) -> bytes | None:
        there = self._store.read(self._path(name))
        return there.data if there is not None else None

    def _version(self, name: str) -> Version:
        there = self._store.read(self._path(name))
        return there.version if there is not None else _NO_VERSION
