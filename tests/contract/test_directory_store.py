"""What only a store in a directory does: processes, crashes, folders, inotify."""

import multiprocessing
import os
import random
import stat
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from corbie.adapters.stores.directory import DirectoryStore
from corbie.domain.paths import WHOLE_STORE, StorePath
from corbie.domain.times import MILLISECOND, SECOND, Span
from tests.contract.store_contract import SLOTS, WAKES, A, B, data_at, slot, wake
from tests.contract.store_processes import add, come_and_go, race, write_for_ever

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(root: Path) -> DirectoryStore:
    return DirectoryStore.create(str(root))


class TestProcesses:
    @pytest.mark.slow
    def test_of_many_processes_writing_one_new_file_one_wins(
        self, store: DirectoryStore, root: Path
    ) -> None:
        with ProcessPoolExecutor(4, mp_context=SPAWN) as racers:
            each = [racers.submit(race, str(root), me, 50) for me in range(4)]
            won = [done.result() for done in each]

        assert sorted(number for numbers in won for number in numbers) == list(range(50))
        for me, numbers in enumerate(won):
            for number in numbers:
                assert data_at(store, StorePath(f"ctl/slots/race{number}")) == b"%d" % me

    @pytest.mark.slow
    def test_of_many_processes_adding_to_a_register_no_addition_is_lost(
        self, store: DirectoryStore, root: Path
    ) -> None:
        path = StorePath("ctl/slots/register")
        store.write_new(path, b"0")

        with ProcessPoolExecutor(4, mp_context=SPAWN) as adders:
            for done in [adders.submit(add, str(root), 40) for _ in range(4)]:
                done.result()

        assert data_at(store, path) == b"160"

    @pytest.mark.slow
    def test_a_folder_pruned_under_a_writer_is_made_again(
        self, store: DirectoryStore, root: Path
    ) -> None:
        store.write_new(wake(9), b"")

        with ProcessPoolExecutor(4, mp_context=SPAWN) as others:
            each = [others.submit(come_and_go, str(root), me, 60) for me in range(4)]
            while not all(done.done() for done in each):
                assert wake(9) in store.list_under(WAKES)
            for done in each:
                done.result()

        assert store.list_under(WAKES) == [wake(9)]
        assert [path.name for path in (root / "ctl/wakes").iterdir()] == ["20261012T210109.000Z"]

    @pytest.mark.slow
    def test_killed_writers_leave_no_half_file_and_nothing_to_see(self, root: Path) -> None:
        store = DirectoryStore.create(str(root))
        seed = int.from_bytes(os.urandom(4))
        chance = random.Random(seed)
        for me in range(8):
            writer = SPAWN.Process(target=write_for_ever, args=(str(root), me))
            writer.start()
            seen = len(store.list_under(SLOTS))
            while len(store.list_under(SLOTS)) <= seen:
                time.sleep(0.001)
            time.sleep(chance.random() * 0.1)
            writer.kill()
            writer.join()

            for path in store.list_under(WHOLE_STORE):
                data = data_at(store, path)
                assert data is not None
                length, _, body = data.partition(b":")
                assert int(length) == len(body), f"half of {path}, seed {seed}"
                assert body == body[:1] * len(body), f"mixed {path}, seed {seed}"
        # Locks went with their holders.
        store.write(A, b"1")

    def test_leftovers_of_crashed_writers_are_swept_and_fresh_ones_left(self, root: Path) -> None:
        DirectoryStore.create(str(root))
        old, fresh = root / ".tmp/old", root / ".tmp/fresh"
        for left in (old, fresh):
            left.write_bytes(b"half")
        past = time.time() - 16 * 60
        os.utime(old, (past, past))

        store = DirectoryStore(str(root))
        store.write_new(A, b"1")

        assert list((root / ".tmp").iterdir()) == [fresh]
        assert store.list_under(WHOLE_STORE) == [A]


class TestFolders:
    def test_a_clock_set_back_makes_no_version_come_twice(
        self, store: DirectoryStore, root: Path
    ) -> None:
        store.write_new(A, b"1")
        ahead = time.time_ns() + 3600 * SECOND
        os.utime(root / A, ns=(ahead, ahead))

        store.write(A, b"1")
        store.write(A, b"1")

        assert (root / A).stat().st_mtime_ns == ahead + 2

    def test_times_are_the_writers_own_not_the_systems_ticks(
        self, store: DirectoryStore, root: Path
    ) -> None:
        before = time.time_ns()
        store.write_all_new({slot(number): b"" for number in range(20)})

        times = {(root / slot(number)).stat().st_mtime_ns for number in range(20)}

        assert len(times) == 20
        assert before <= min(times)

    def test_nobody_else_can_read_what_is_written(self, store: DirectoryStore, root: Path) -> None:
        store.write_all_new({A: b"1", wake(1): b""})
        store.write(A, b"2")

        modes = {
            stat.S_IMODE(path.stat().st_mode): path.is_dir() for path in (root, *root.rglob("*"))
        }

        assert modes == {0o700: True, 0o600: False}

    def test_emptied_folders_of_wakes_and_records_go_and_others_stay(
        self, store: DirectoryStore, root: Path
    ) -> None:
        paths = [
            StorePath(path)
            for path in (
                "ctl/wakes/20261012T210101.000Z/ann/r1/w",
                "ctl/records/ann/r1/steps/00000001",
                "ctl/records/ann/r1/emits/j/00000001",
                "ctl/records/ann/r1/carried",
                "run/taken/20261012T210101.000Z/j",
                "ctl/inbox/ann/m",
                "ctl/running/ann/r1",
            )
        ]
        store.write_all_new(dict.fromkeys(paths, b"1"))
        store.write_new(StorePath("ctl/records/ann/r2/carried"), b"1")

        store.delete_all(paths)

        left = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir())
        assert [folder for folder in left if not folder.startswith(".")] == [
            "ctl",
            "ctl/inbox",
            "ctl/inbox/ann",
            "ctl/records",
            "ctl/records/ann",
            "ctl/records/ann/r2",
            "ctl/running",
            "ctl/running/ann",
            "ctl/wakes",
            "run",
            "run/taken",
        ]

    def test_no_descriptor_stays_open(self, root: Path) -> None:
        def use() -> None:
            store = DirectoryStore.create(str(root))
            watch = store.watch([SLOTS, WAKES])
            store.write_all_new({A: b"", B: b"", wake(1): b""})
            store.write(A, b"2")
            assert watch.wait(SECOND)
            store.delete_all(store.list_under(WHOLE_STORE))
            assert store.read(A) is None
            watch.close()

        use()
        before = list(Path("/proc/self/fd").iterdir())
        for _ in range(5):
            use()

        assert len(list(Path("/proc/self/fd").iterdir())) == len(before)


class TestListing:
    def test_kept_names_never_hide_what_came_or_went(
        self, store: DirectoryStore, root: Path
    ) -> None:
        def due() -> list[StorePath]:
            return list(store.list_under(WAKES, up_to="20261012T210102.000Z"))

        store.write_all_new({wake(1): b"", wake(3): b""})
        for number in range(30):
            # As if the folder had last changed long ago, so that its names are kept at once.
            past = (1_000_000_000 + number) * SECOND
            os.utime(root / "ctl/wakes", ns=(past, past))
            assert due() == [wake(1)]
            assert due() == [wake(1)]
            store.write_new(wake(2), b"")
            assert due() == [wake(1), wake(2)]
            store.delete_all([wake(2)])
            assert due() == [wake(1)]

    @pytest.mark.slow
    def test_a_look_for_due_wakes_does_not_grow_with_those_that_wait(
        self, store: DirectoryStore, root: Path
    ) -> None:
        def cost() -> float:
            costs = []
            for _ in range(30):
                start = time.perf_counter()
                store.list_under(WAKES, up_to="20261012T210102.000Z")
                costs.append(time.perf_counter() - start)
            return min(costs)

        store.write_new(wake(3), b"")
        few = cost()
        for number in range(3000):
            second = f"{21 + number // 3600:02}{number // 60 % 60:02}{number % 60:02}"
            (root / f"ctl/wakes/20271012T{second}.000Z/ann/r1").mkdir(parents=True)
        time.sleep(2.1)

        assert cost() < 3 * few


class TestWatching:
    def test_no_file_is_missed_while_folders_come_and_go(self, store: DirectoryStore) -> None:
        watch = store.watch([WAKES])
        for number in range(100):
            store.write_new(wake(number % 50), b"")
            assert watch.wait(Span(5 * SECOND)), number
            if number % 3:
                store.delete_all([wake(number % 50)])
            else:
                store.delete_all(store.list_under(WAKES))
        watch.close()

    def test_a_deletion_is_no_news(self, store: DirectoryStore) -> None:
        store.write_all_new({A: b"", wake(1): b""})
        watch = store.watch([SLOTS, WAKES])

        store.delete_all([A, wake(1)])

        assert not watch.wait(Span(20 * MILLISECOND))
        watch.close()

    def test_the_whole_store_is_watched_but_not_its_own_folders(
        self, store: DirectoryStore, root: Path
    ) -> None:
        watch = store.watch([WHOLE_STORE])
        (root / ".tmp/x").write_text("x")
        assert not watch.wait(Span(20 * MILLISECOND))

        store.write_new(A, b"")

        assert watch.wait(Span(5 * SECOND))
        watch.close()

    def test_lost_events_are_news_and_what_follows_is_seen(self, store: DirectoryStore) -> None:
        queue = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
        if queue > 20_000:
            pytest.skip(f"the system keeps {queue} events, too many to overflow in a test")
        watch = store.watch([SLOTS, WAKES])
        store.write_new(A, b"")
        folder = os.open(Path(store._root, "ctl/slots"), os.O_RDONLY)
        for number in range(queue + 10):
            os.close(os.open(f"f{number}", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=folder))
        os.close(folder)
        store.write_new(wake(1), b"")

        assert watch.wait(SECOND)
        assert not watch.wait(Span(20 * MILLISECOND))
        store.write_new(wake(1, "w2"), b"")
        assert watch.wait(Span(5 * SECOND))
        watch.close()

    def test_without_watches_left_a_watch_sleeps(self, root: Path) -> None:
        program = (
            "import os, resource, sys\n"
            "from corbie.adapters.stores.directory import DirectoryStore\n"
            "from corbie.adapters.stores.watching import SleepingWatch\n"
            "store = DirectoryStore(sys.argv[1])\n"
            "most = len(os.listdir('/proc/self/fd')) - 1\n"
            "store.watch(['ctl/slots']).close()\n"
            "resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))\n"
            "watch = store.watch(['ctl/slots'])\n"
            "sys.exit(not isinstance(watch, SleepingWatch) or watch.wait(1000))\n"
        )
        DirectoryStore.create(str(root))

        done = subprocess.run(
            [sys.executable, "-c", program, str(root)], capture_output=True, text=True, check=False
        )

        assert (done.returncode, done.stderr) == (0, "")
