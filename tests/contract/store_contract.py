"""What every store promises; each store's tests subclass `StoreContract` and only make it."""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from corbie.adapters.stores.checking import check_store
from corbie.adapters.stores.watching import WatchedStore
from corbie.domain.errors import AlreadyExists, Changed, ValueRefused
from corbie.domain.paths import StorePath
from corbie.domain.ports.store import FILE_BYTES_MAX, Version
from corbie.domain.times import MILLISECOND, SECOND, Span

A = StorePath("ctl/slots/a")
B = StorePath("ctl/slots/b")
NONE = StorePath("ctl/slots/none")
SLOTS = StorePath("ctl/slots")
WAKES = StorePath("ctl/wakes")

HOSTILE = (
    "",
    "/",
    "../x",
    "ctl/../x",
    "ctl/slots/..",
    "ctl/slots/.",
    "ctl//a",
    "/etc/passwd",
    "ctl/slots/",
    "ctl/slots/a\0b",
    "ctl/slots/a\n",
    "ctl/slots/é",
    "ctl/slots/\u2215",
    "ctl/slots/a b",
    "ctl/slots/a\\b",
    ".lock/slots/a",
    ".tmp/slots/a",
    "version/slots/a",
    "ctl/nothing/a",
    "ctl/slots",
    "ctl/slots/a/b",
    "ctl/slots/" + "a" * 201,
    "ctl/records/" + "/".join(["a" * 190] * 6),
)


def slot(number: int) -> StorePath:
    return StorePath(f"ctl/slots/s{number:04}")


def wake(second: int, name: str = "w") -> StorePath:
    return StorePath(f"ctl/wakes/20261012T2101{second:02}.000Z/ann/r1/{name}")


def data_at(store: WatchedStore, path: StorePath) -> bytes | None:
    there = store.read(path)
    return there.data if there else None


def calls_on(store: WatchedStore, path: StorePath) -> tuple[Callable[[], object], ...]:
    return (
        lambda: store.read(path),
        lambda: store.write(path, b""),
        lambda: store.write_unchanged(path, b"", Version("")),
        lambda: store.write_new(path, b""),
        lambda: store.write_all_new({A: b"", path: b""}),
        lambda: store.delete_all([A, path]),
    )


class StoreContract(ABC):
    folder: Path

    @abstractmethod
    def make(self) -> WatchedStore:
        """Make an empty store in which the controller `ctl` may do everything."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> WatchedStore:
        self.folder = tmp_path
        return self.make()

    def test_a_missing_file_reads_as_none(self, store: WatchedStore) -> None:
        assert store.read(NONE) is None

    @pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)) * 5000])
    def test_each_write_is_read_back_whole_under_its_version(
        self, store: WatchedStore, data: bytes
    ) -> None:
        written = store.write_new(A, data)
        there = store.read(A)
        assert there is not None
        assert (there.data, there.version) == (data, written)

        replaced = store.write_unchanged(A, data + b"1", written)
        there = store.read(A)
        assert there is not None
        assert (there.data, there.version) == (data + b"1", replaced)

        overwritten = store.write(A, data + b"2")
        there = store.read(A)
        assert there is not None
        assert (there.data, there.version) == (data + b"2", overwritten)

    def test_write_new_refuses_an_existing_path_and_leaves_it(self, store: WatchedStore) -> None:
        store.write_new(A, b"1")

        with pytest.raises(AlreadyExists) as refused:
            store.write_new(A, b"2")

        assert refused.value.path == A
        assert data_at(store, A) == b"1"

    def test_write_unchanged_refuses_a_stale_version(self, store: WatchedStore) -> None:
        stale = store.write_new(A, b"1")
        store.write(A, b"2")

        with pytest.raises(Changed):
            store.write_unchanged(A, b"3", stale)

        assert data_at(store, A) == b"2"

    def test_write_unchanged_refuses_a_file_that_is_gone_or_never_was(
        self, store: WatchedStore
    ) -> None:
        version = store.write_new(A, b"1")
        store.delete_all([A])

        for path, held in ((A, version), (NONE, version), (NONE, Version(""))):
            with pytest.raises(Changed):
                store.write_unchanged(path, b"2", held)

        assert store.list_under(SLOTS) == []

    def test_no_version_comes_twice_even_for_the_same_bytes(self, store: WatchedStore) -> None:
        seen = {store.write_new(A, b"1")}
        for _ in range(30):
            seen.add(store.write(A, b"1"))
        for _ in range(30):
            store.delete_all([A])
            seen.add(store.write_new(A, b"1"))

        assert len(seen) == 61

    def test_write_all_new_tells_what_existed_and_leaves_it(self, store: WatchedStore) -> None:
        store.write_new(A, b"1")

        existing = store.write_all_new({A: b"2", B: b"3", wake(1): b""})

        assert existing == {A}
        assert [data_at(store, path) for path in (A, B, wake(1))] == [b"1", b"3", b""]

    def test_write_all_new_of_none_one_and_many(self, store: WatchedStore) -> None:
        assert store.write_all_new({}) == frozenset()
        assert store.write_all_new({A: b"1"}) == frozenset()
        assert store.write_all_new({A: b"1"}) == {A}
        many = {slot(number): b"%d" % number for number in range(60)}
        assert store.write_all_new(many) == frozenset()
        assert store.write_all_new(many) == many.keys()
        assert {path: data_at(store, path) for path in many} == many

    def test_delete_all_deletes_and_bears_what_is_not_there(self, store: WatchedStore) -> None:
        store.write_all_new({A: b"1", wake(1): b"", wake(2): b""})

        store.delete_all([])
        store.delete_all([NONE, A, wake(1), A])

        assert store.read(A) is None
        assert store.list_under(SLOTS) == []
        assert store.list_under(WAKES) == [wake(2)]

    def test_a_deleted_path_is_new_again(self, store: WatchedStore) -> None:
        for _ in range(3):
            store.write_new(wake(1), b"1")
            store.delete_all([wake(1)])

        assert store.list_under(WAKES) == []

    def test_a_listing_is_sorted_deep_and_of_this_folder_only(self, store: WatchedStore) -> None:
        paths = [
            "ctl/running/ann/r1",
            "ctl/running/ann-b/r1",
            "ctl/running/ann.c/r1",
            "ctl/running/ann/r0",
            "ctl/records/ann/r1/steps/00000002",
            "ctl/records/ann/r1/steps/00000001",
            "ctl/records/ann/r1/carried",
            "ctl/records/ann/r1/emits/j/00000001",
            "ctl/records/ann/r10/carried",
        ]
        store.write_all_new({StorePath(path): b"" for path in paths})

        def listed(folder: str) -> list[str]:
            return list(store.list_under(StorePath(folder)))

        assert listed("ctl/running") == sorted(paths[:4])
        assert listed("ctl/running/ann") == ["ctl/running/ann/r0", "ctl/running/ann/r1"]
        assert listed("ctl/records/ann/r1") == sorted(paths[4:8])
        assert listed("ctl/finished") == []
        assert listed("ctl/running/ann/r1") == []

    def test_a_listing_stops_at_the_segment_given(self, store: WatchedStore) -> None:
        store.write_all_new({wake(second): b"" for second in (1, 2, 3)})

        def due(up_to: str) -> list[str]:
            return list(store.list_under(WAKES, up_to=up_to))

        assert due("20261012T210100.999Z") == []
        assert due("20261012T210102.000Z") == [wake(1), wake(2)]
        assert due("20261012T210102.999Z") == [wake(1), wake(2)]
        assert due("~") == [wake(1), wake(2), wake(3)]

    def test_later_segments_are_listed_whatever_was_asked_of_the_first(
        self, store: WatchedStore
    ) -> None:
        store.write_all_new({wake(1, "~last"): b"", wake(1, "A"): b""})

        assert len(store.list_under(WAKES, up_to="20261012T210101.000Z")) == 2

    @pytest.mark.parametrize("path", HOSTILE)
    def test_no_method_takes_a_hostile_path(self, store: WatchedStore, path: str) -> None:
        for call in calls_on(store, StorePath(path)):
            with pytest.raises(ValueRefused):
                call()

        assert store.list_under(SLOTS) == []

    @pytest.mark.parametrize(
        "folder", ["/", "..", "ctl/..", "ctl/", "ctl//slots", "/tmp", "ctl\0", ".tmp", "ctl/é"]
    )
    def test_no_hostile_folder_is_listed_or_watched(self, store: WatchedStore, folder: str) -> None:
        with pytest.raises(ValueRefused):
            store.list_under(StorePath(folder))
        with pytest.raises(ValueRefused):
            store.watch([StorePath(folder)])

    def test_a_file_of_72_mib_is_written_and_one_byte_more_refused(
        self, store: WatchedStore
    ) -> None:
        largest = bytes(FILE_BYTES_MAX)
        store.write_new(A, largest)
        there = store.read(A)
        assert there is not None
        assert there.data == largest

        with pytest.raises(ValueRefused, match="72 MiB"):
            store.write_new(B, largest + b"1")
        with pytest.raises(ValueRefused, match="72 MiB"):
            store.write(B, largest + b"1")
        with pytest.raises(ValueRefused, match="72 MiB"):
            store.write_all_new({B: largest + b"1"})
        with pytest.raises(ValueRefused, match="72 MiB"):
            store.write_unchanged(A, largest + b"1", there.version)

    def test_of_many_threads_writing_one_new_file_one_wins(self, store: WatchedStore) -> None:
        for number in range(10):
            path = slot(number)

            def write(mine: int, path: StorePath = path) -> bool:
                try:
                    store.write_new(path, b"%d" % mine)
                except AlreadyExists:
                    return False
                return True

            with ThreadPoolExecutor(12) as racers:
                won = [mine for mine, is_won in enumerate(racers.map(write, range(12))) if is_won]

            assert len(won) == 1
            assert data_at(store, path) == b"%d" % won[0]

    def test_of_many_threads_adding_to_a_register_none_is_lost(self, store: WatchedStore) -> None:
        store.write_new(A, b"0")

        def add(_: int) -> None:
            for _ in range(10):
                while True:
                    there = store.read(A)
                    assert there is not None
                    try:
                        store.write_unchanged(A, b"%d" % (int(there.data) + 1), there.version)
                    except Changed:
                        continue
                    break

        with ThreadPoolExecutor(6) as adders:
            list(adders.map(add, range(6)))

        assert data_at(store, A) == b"60"

    def test_batches_that_overlap_write_each_file_once(self, store: WatchedStore) -> None:
        paths = [slot(number) for number in range(20)]

        def write(mine: int) -> frozenset[StorePath]:
            return store.write_all_new(dict.fromkeys(paths, b"%d" % mine))

        with ThreadPoolExecutor(6) as writers:
            existing = list(writers.map(write, range(6)))

        for path in paths:
            winners = [mine for mine in range(6) if path not in existing[mine]]
            assert [data_at(store, path)] == [b"%d" % mine for mine in winners]

    def test_a_reader_never_sees_half_a_file(self, store: WatchedStore) -> None:
        size = 1024 * 1024
        store.write_new(A, b"a" * size)
        is_over = threading.Event()

        def rewrite() -> None:
            for number in range(40):
                store.write(A, bytes([97 + number % 26]) * size)
            is_over.set()

        with ThreadPoolExecutor(1) as writers:
            done = writers.submit(rewrite)
            while not is_over.is_set() and not done.done():
                data = data_at(store, A)
                assert data is not None
                assert data == data[:1] * size
            done.result()

    def test_a_listing_misses_no_file_that_was_there_throughout(self, store: WatchedStore) -> None:
        kept = [slot(number) for number in range(0, 80, 2)] + [wake(1), wake(3)]
        store.write_all_new(dict.fromkeys(kept, b""))
        is_over = threading.Event()

        def disturb(mine: int) -> None:
            while not is_over.is_set():
                come = [slot(81 + 2 * number + mine) for number in range(0, 20, 2)]
                store.write_all_new(dict.fromkeys([*come, wake(2, f"w{mine}")], b""))
                store.write(kept[mine], b"new")
                store.delete_all([*come, wake(2, f"w{mine}")])

        with ThreadPoolExecutor(2) as others:
            disturbing = [others.submit(disturb, mine) for mine in range(2)]
            try:
                for _ in range(100):
                    listed = [*store.list_under(SLOTS), *store.list_under(WAKES)]
                    assert listed == sorted(listed)
                    assert set(kept) <= set(listed)
                    assert len(set(listed)) == len(listed)
            finally:
                is_over.set()
            for each in disturbing:
                each.result()

    def test_it_keeps_what_the_store_check_tries(self, store: WatchedStore) -> None:
        found = check_store(store, owner="ctl")

        assert [promise for promise in found if not promise.is_kept] == []
        assert store.list_under(StorePath("ctl")) == []

    def test_a_watch_tells_of_a_file_in_a_folder_that_did_not_exist(
        self, store: WatchedStore
    ) -> None:
        watch = store.watch([WAKES, SLOTS])
        assert not watch.wait(MILLISECOND)

        store.write_new(wake(1), b"")

        assert watch.wait(Span(5 * SECOND))
        assert not watch.wait(Span(20 * MILLISECOND))
        watch.close()

    def test_a_watch_tells_of_new_and_replaced_files_of_its_folders_only(
        self, store: WatchedStore
    ) -> None:
        store.write_all_new({A: b"", wake(1): b""})
        watch = store.watch([SLOTS])

        store.write_new(wake(2), b"")
        store.write_new(StorePath("ctl/schedules/a"), b"")
        assert not watch.wait(Span(20 * MILLISECOND))
        for write in (lambda: store.write(A, b"1"), lambda: store.write_all_new({B: b""})):
            write()
            assert watch.wait(Span(5 * SECOND))
        watch.close()

    def test_closing_ends_a_wait_in_another_thread(self, store: WatchedStore) -> None:
        watch = store.watch([SLOTS])

        with ThreadPoolExecutor(1) as waiters:
            waiting = waiters.submit(watch.wait, Span(60 * SECOND))
            time.sleep(0.02)
            watch.close()
            assert waiting.result(timeout=5) is False
        watch.close()
        assert watch.wait(Span(60 * SECOND)) is False
