"""Every store that needs nothing but this process and a directory."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from typing_extensions import override

from corbie.adapters.stores.checking import check_store
from corbie.adapters.stores.directory import DirectoryStore
from corbie.adapters.stores.guarded import GuardedStore
from corbie.adapters.stores.memory import MemoryStore
from corbie.adapters.stores.opening import open_store, prepare_store, require_version
from corbie.adapters.stores.retrying import UNKNOWN_VERSION, RetryingStore
from corbie.adapters.stores.watching import SleepingWatch, WatchedStore
from corbie.domain.access import Party
from corbie.domain.cards import Role
from corbie.domain.errors import (
    AlreadyExists,
    Changed,
    NotAllowed,
    SetupRefused,
    StoreUnavailable,
)
from corbie.domain.names import PartyName
from corbie.domain.paths import VERSION_PATH, StorePath
from corbie.domain.ports.store import Store, Stored, StoreWatch, Version
from corbie.domain.times import SECOND, Span
from tests.contract.store_contract import NONE, SLOTS, A, B, StoreContract, data_at

MESSAGE = StorePath("ctl/inbox/ann/m1")


def no_sleep(_: Span) -> None:
    pass


def party(name: str, role: Role) -> Party:
    return Party(name=PartyName(name), role=role)


class TestMemoryStore(StoreContract):
    @override
    def make(self) -> WatchedStore:
        return MemoryStore()


class TestDirectoryStoreContract(StoreContract):
    @override
    def make(self) -> WatchedStore:
        return DirectoryStore.create(str(self.folder / "store"))


class TestGuardedStore(StoreContract):
    @override
    def make(self) -> WatchedStore:
        return GuardedStore(MemoryStore(), party("ctl", "controller"))


class TestRetryingStore(StoreContract):
    @override
    def make(self) -> WatchedStore:
        return RetryingStore(MemoryStore(), no_sleep)


class FailingStore:
    """Fails a number of calls, each before or after it is carried out."""

    def __init__(self, store: WatchedStore) -> None:
        self.store = store
        self.plan: list[str] = []
        self.calls = 0

    def _meet(self, call: Callable[[], object]) -> None:
        self.calls += 1
        fate = self.plan.pop(0) if self.plan else ""
        if fate == "after":
            call()
        if fate:
            message = f"planned to fail {fate}"
            raise StoreUnavailable(message)

    def read(self, path: StorePath) -> Stored | None:
        self._meet(lambda: None)
        return self.store.read(path)

    def list_under(self, folder: StorePath, *, up_to: str | None = None) -> Sequence[StorePath]:
        self._meet(lambda: None)
        return self.store.list_under(folder, up_to=up_to)

    def write(self, path: StorePath, data: bytes) -> Version:
        self._meet(lambda: self.store.write(path, data))
        return self.store.write(path, data)

    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        self._meet(lambda: self.store.write_unchanged(path, data, version))
        return self.store.write_unchanged(path, data, version)

    def write_new(self, path: StorePath, data: bytes) -> Version:
        self._meet(lambda: self.store.write_new(path, data))
        return self.store.write_new(path, data)

    def write_all_new(self, files: Mapping[StorePath, bytes]) -> frozenset[StorePath]:
        self._meet(lambda: self.store.write_all_new(files))
        return self.store.write_all_new(files)

    def delete_all(self, paths: Sequence[StorePath]) -> None:
        self._meet(lambda: self.store.delete_all(paths))
        self.store.delete_all(paths)

    def watch(self, folders: Sequence[StorePath]) -> StoreWatch:
        return self.store.watch(folders)


class TestRetrying:
    def make(self, *plan: str) -> tuple[RetryingStore, FailingStore, list[Span]]:
        failing = FailingStore(MemoryStore())
        failing.plan = list(plan)
        slept: list[Span] = []
        return RetryingStore(failing, slept.append), failing, slept

    @pytest.mark.parametrize("fate", ["before", "after"])
    def test_each_write_that_failed_once_is_done_once(self, fate: str) -> None:
        store, failing, _ = self.make(fate)
        first = store.write_new(A, b"1")
        failing.plan = [fate]
        second = store.write_unchanged(A, b"2", first)
        failing.plan = [fate]
        assert store.write_all_new({A: b"3", B: b"3"}) == {A}
        failing.plan = [fate]
        store.delete_all([B])

        there = store.read(A)
        assert there == Stored(data=b"2", version=second)
        assert store.read(B) is None

    def test_it_gives_up_after_five_attempts_with_doubled_delays(self) -> None:
        store, failing, slept = self.make(*["before"] * 9)

        with pytest.raises(StoreUnavailable):
            store.read(A)

        assert failing.calls == 5
        assert slept == [50_000_000, 100_000_000, 200_000_000, 400_000_000]

    def test_a_conflict_with_another_writer_after_a_failure_is_a_conflict(self) -> None:
        store, failing, _ = self.make()
        stale = failing.store.write_new(A, b"theirs")
        failing.store.write(A, b"theirs too")

        failing.plan = ["before"]
        with pytest.raises(AlreadyExists):
            store.write_new(A, b"mine")
        failing.plan = ["before"]
        with pytest.raises(Changed):
            store.write_unchanged(A, b"mine", stale)
        failing.plan = ["before"]
        assert store.write_all_new({A: b"mine"}) == {A}

        assert data_at(store, A) == b"theirs too"

    def test_equal_bytes_without_a_failure_are_a_conflict(self) -> None:
        store, _, _ = self.make()
        store.write_new(A, b"1")

        with pytest.raises(AlreadyExists):
            store.write_new(A, b"1")
        assert store.write_all_new({A: b"1"}) == {A}

    def test_a_refusal_is_not_repeated(self) -> None:
        store, failing, slept = self.make()
        failing.store = GuardedStore(failing.store, party("ann", "client"))

        with pytest.raises(NotAllowed):
            store.read(A)

        assert (failing.calls, slept) == (1, [])

    def test_a_repeated_write_that_cannot_be_read_back_counts_as_written(self) -> None:
        memory = MemoryStore()
        failing = FailingStore(GuardedStore(memory, party("ann", "client")))
        store = RetryingStore(failing, no_sleep)

        failing.plan = ["after"]
        assert store.write_new(MESSAGE, b"1") == UNKNOWN_VERSION
        failing.plan = ["after"]
        assert store.write_all_new({MESSAGE: b"1"}) == frozenset()

        assert data_at(memory, MESSAGE) == b"1"


class TestGuarding:
    def test_a_call_on_several_paths_is_refused_whole(self) -> None:
        memory = MemoryStore()
        memory.write_new(A, b"1")
        ann = GuardedStore(memory, party("ann", "client"))

        with pytest.raises(NotAllowed, match="ann may not add ctl/slots/b"):
            ann.write_all_new({MESSAGE: b"1", B: b"1"})
        with pytest.raises(NotAllowed, match="ann may not delete"):
            ann.delete_all([A])

        assert memory.read(MESSAGE) is None
        assert data_at(memory, A) == b"1"

    def test_adding_is_not_replacing_nor_reading(self) -> None:
        ann = GuardedStore(MemoryStore(), party("ann", "client"))
        version = ann.write_new(MESSAGE, b"1")

        refused: list[Callable[[], object]] = [
            lambda: ann.read(MESSAGE),
            lambda: ann.write(MESSAGE, b"2"),
            lambda: ann.write_unchanged(MESSAGE, b"2", version),
            lambda: ann.delete_all([MESSAGE]),
            lambda: ann.list_under(StorePath("ctl/inbox/ann")),
            lambda: ann.watch([StorePath("ctl/inbox/ann")]),
            lambda: ann.write_new(StorePath("ctl/inbox/bob/m1"), b"1"),
            lambda: ann.list_under(StorePath("")),
        ]
        for call in refused:
            with pytest.raises(NotAllowed):
                call()


class TestOpening:
    def test_a_path_and_a_file_url_open_one_directory(self, tmp_path: Path) -> None:
        made = open_store(str(tmp_path / "a b"), create=True)
        made.write_new(A, b"1")

        assert data_at(open_store(f"file://{tmp_path}/a%20b"), A) == b"1"
        assert data_at(open_store(f"file://localhost{tmp_path}/a%20b"), A) == b"1"

    def test_memory_is_empty_each_time(self) -> None:
        open_store("memory:").write_new(A, b"1")

        assert open_store("memory:").read(A) is None

    @pytest.mark.parametrize(
        "url",
        ["", "s3://bucket/x", "corbie://host:1", "file://host/x", "file:x", "file:///a?b", "a\0b"],
    )
    def test_another_url_is_refused_saying_what_serves(self, url: str) -> None:
        with pytest.raises(SetupRefused, match="file:///"):
            open_store(url)

    def test_a_missing_directory_is_not_made_by_opening(self, tmp_path: Path) -> None:
        with pytest.raises(SetupRefused, match="corbie init"):
            open_store(str(tmp_path / "none"))

        assert list(tmp_path.iterdir()) == []

    def test_preparing_marks_once(self) -> None:
        store = open_store("memory:")

        assert prepare_store(store) is True
        assert prepare_store(store) is False
        require_version(store)
        assert data_at(store, VERSION_PATH) == b"1\n"

    @pytest.mark.parametrize(
        ("data", "says"),
        [
            (b"2\n", "layout 2; this corbie reads 1: upgrade corbie"),
            (b"0\n", "layout 0; this corbie reads 1: migrate"),
            (b"", "holds no number"),
            (b"one\n", "holds no number"),
            (b"1", "holds no number"),
        ],
    )
    def test_another_layout_is_refused(self, data: bytes, says: str) -> None:
        store = open_store("memory:")
        store.write_new(VERSION_PATH, data)

        with pytest.raises(SetupRefused, match=says):
            require_version(store)
        with pytest.raises(SetupRefused, match=says):
            prepare_store(store)

    def test_a_store_that_is_not_set_up_says_how(self) -> None:
        with pytest.raises(SetupRefused, match="corbie init"):
            require_version(open_store("memory:"))


class ForgetfulStore(MemoryStore):
    """Breaks promises: overwrites what is new or stale, and lists nothing."""

    @override
    def write_new(self, path: StorePath, data: bytes) -> Version:
        return self.write(path, data)

    @override
    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        return self.write(path, data + version.encode()[:0])

    @override
    def list_under(self, folder: StorePath, *, up_to: str | None = None) -> Sequence[StorePath]:
        return super().list_under(folder, up_to=up_to)[:0]


def test_the_check_names_each_promise_that_a_store_breaks() -> None:
    found = check_store(ForgetfulStore())

    broken = {promise.promise: promise.detail for promise in found if not promise.is_kept}
    assert broken == {
        "a file that exists is not written as new": "it was written",
        "a file that changed is not replaced": "it was replaced",
        "of many writers of one new file one wins": "of 16 writers 16 won",
        "of many writers replacing one version one wins": "of 16 writers 16 won",
        "a listing is complete and sorted": broken["a listing is complete and sorted"],
    }


def test_a_store_that_is_away_fails_every_promise_and_raises_nothing() -> None:
    failing = FailingStore(MemoryStore())
    failing.plan = ["before"] * 1000
    store: Store = failing

    found = check_store(store)

    assert not any(promise.is_kept for promise in found)


def test_a_sleeping_watch_sleeps_until_it_is_closed() -> None:
    watch = SleepingWatch()
    assert watch.wait(Span(1)) is False

    closing = threading.Timer(0.02, watch.close)
    closing.start()

    assert watch.wait(Span(60 * SECOND)) is False
    closing.join()


def test_memory_lists_only_what_is_below_the_folder() -> None:
    store = MemoryStore()
    store.write_new(NONE, b"")

    assert store.list_under(StorePath("ctl/slot")) == []
    assert store.list_under(SLOTS) == store.list_under(StorePath("")) == [NONE]
