"""A store in a directory on a bad disk, or with hostile files in it."""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corbie.adapters.stores import directory_files, directory_temps
from corbie.adapters.stores.directory import DirectoryStore
from corbie.domain.errors import SetupRefused, StoreUnavailable, ValueRefused
from corbie.domain.paths import WHOLE_STORE, StorePath
from corbie.domain.ports.store import FILE_BYTES_MAX
from tests.contract.store_contract import NONE, SLOTS, A, B, data_at, slot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(root: Path) -> DirectoryStore:
    return DirectoryStore.create(str(root))


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """Give a file system of 256 KiB."""
    mount = shutil.which("mount")
    folder = tmp_path / "tiny"
    folder.mkdir()
    done = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if not done or done.returncode != 0:
        pytest.skip("needs the right to mount a file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


class TestUnusable:
    def test_a_full_disk_is_said_and_deleting_still_works(self, tiny: Path) -> None:
        root = tiny / "store"
        DirectoryStore.create(str(root)).write_new(slot(0), b"x" * 1000)

        def fill() -> None:
            for number in range(1, 1000):
                DirectoryStore(str(root)).write_new(slot(number), b"x" * 9000)

        with pytest.raises(StoreUnavailable, match="is full; free some space"):
            fill()

        store = DirectoryStore(str(root))
        with pytest.raises(StoreUnavailable, match=f"{root} is full"):
            store.write_all_new({slot(n): b"x" * 100_000 for n in range(2000, 2005)})
        with pytest.raises(StoreUnavailable, match="is full"):
            store.write(slot(0), b"x" * 200_000)
        assert list((root / ".tmp").iterdir()) == []
        assert data_at(store, slot(0)) == b"x" * 1000
        assert slot(2000) not in store.list_under(SLOTS)

        store.delete_all(store.list_under(SLOTS))
        store.write_new(A, b"x" * 9000)

    def test_a_read_only_disk_is_read_and_listed_but_not_written(self, tiny: Path) -> None:
        root = tiny / "store"
        DirectoryStore.create(str(root)).write_new(A, b"1")
        subprocess.run(["mount", "-o", "remount,ro", str(tiny)], check=True)

        store = DirectoryStore(str(root))

        assert data_at(store, A) == b"1"
        assert store.list_under(WHOLE_STORE) == [A]
        for write in (
            lambda: store.write_new(B, b""),
            lambda: store.write(A, b""),
            lambda: store.delete_all([A]),
            lambda: DirectoryStore.create(str(tiny / "other")),
        ):
            with pytest.raises(StoreUnavailable, match="mounted read-only"):
                write()

    def test_a_limit_on_file_size_is_said(self, root: Path) -> None:
        program = (
            "import resource, signal, sys\n"
            "from corbie.adapters.stores.directory import DirectoryStore\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "store = DirectoryStore.create(sys.argv[1])\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
            "store.write_new('ctl/slots/a', bytes(2000))\n"
        )

        done = subprocess.run(
            [sys.executable, "-c", program, str(root)], capture_output=True, text=True, check=False
        )

        assert "StoreUnavailable" in done.stderr
        assert "raise this process's limit of file size" in done.stderr
        assert DirectoryStore(str(root)).list_under(WHOLE_STORE) == []
        assert list((root / ".tmp").iterdir()) == []

    def test_a_path_under_a_file_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")

        for use in (DirectoryStore, DirectoryStore.create):
            for path in ("file", "file/store"):
                with pytest.raises(StoreUnavailable, match="where a folder belongs"):
                    use(str(tmp_path / path))

    def test_a_removed_store_is_not_an_empty_one(self, store: DirectoryStore, root: Path) -> None:
        store.write_new(A, b"1")
        shutil.rmtree(root)

        for use in (
            lambda: store.read(A),
            lambda: store.list_under(SLOTS),
            lambda: store.write_new(B, b""),
            lambda: store.write(A, b""),
            lambda: store.write_all_new({A: b"", B: b""}),
            lambda: store.delete_all([A]),
        ):
            with pytest.raises(StoreUnavailable, match="was removed while in use"):
                use()

    def test_the_stores_own_folders_are_made_again(self, store: DirectoryStore, root: Path) -> None:
        shutil.rmtree(root / ".tmp")
        shutil.rmtree(root / ".lock")

        DirectoryStore(str(root)).write_new(A, b"1")

        assert data_at(store, A) == b"1"

    @pytest.mark.parametrize("code", [errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK])
    def test_a_file_system_without_links_is_refused_with_the_tests_name(
        self, root: Path, code: int
    ) -> None:
        def link(*_: object) -> None:
            raise OSError(code, os.strerror(code))

        DirectoryStore.create(str(root))
        temps = directory_temps.Temps(os.open(root, os.O_RDONLY))

        with pytest.raises(SetupRefused, match='failed the test "a file can be linked"'):
            directory_temps.require_fit_file_system(str(root), temps, link=link)
        assert list((root / ".tmp").iterdir()) == []
        temps.close()

    def test_a_file_system_whose_links_replace_is_refused_with_the_tests_name(
        self, root: Path
    ) -> None:
        def link(source: str, target: str, folder: int, _: int) -> None:
            shutil.copy2(f"/proc/self/fd/{folder}/{source}", f"/proc/self/fd/{folder}/{target}")

        DirectoryStore.create(str(root))
        temps = directory_temps.Temps(os.open(root, os.O_RDONLY))

        with pytest.raises(SetupRefused, match="a link does not replace a file"):
            directory_temps.require_fit_file_system(str(root), temps, link=link)
        temps.close()


class TestHostile:
    def test_no_symbolic_link_is_followed(
        self, store: DirectoryStore, root: Path, tmp_path: Path
    ) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "a").write_text("secret")
        store.write_new(A, b"1")
        (root / "ctl/slots/b").symlink_to(outside / "a")
        (root / "ctl/trust").symlink_to(outside)

        with pytest.raises(StoreUnavailable, match="symbolic link"):
            store.read(B)
        for use in (
            lambda: store.read(StorePath("ctl/trust/a")),
            lambda: store.write_new(StorePath("ctl/trust/x"), b""),
            lambda: store.write(StorePath("ctl/trust/x"), b""),
            lambda: store.delete_all([StorePath("ctl/trust/a")]),
        ):
            with pytest.raises(StoreUnavailable):
                use()
        assert store.list_under(WHOLE_STORE) == [A]

        store.write(B, b"2")
        assert data_at(store, B) == b"2"
        assert [path.name for path in outside.iterdir()] == ["a"]
        assert (outside / "a").read_text() == "secret"

    def test_no_link_inside_the_store_is_followed(self, store: DirectoryStore, root: Path) -> None:
        store.write_new(A, b"1")
        (root / "ctl/trust").symlink_to("slots")

        with pytest.raises(StoreUnavailable, match="symbolic link"):
            store.read(StorePath("ctl/trust/a"))
        assert store.list_under(StorePath("ctl")) == [A]

    def test_walking_follows_no_link_either(self, root: Path, store: DirectoryStore) -> None:
        store.write_new(A, b"1")
        (root / "link").symlink_to(root / "ctl")
        (root / "ctl/slots/b").symlink_to("a")
        at = os.open(root, os.O_RDONLY)

        os.close(directory_files.open_by_walking(at, A, os.O_RDONLY))
        for path in ("link/slots/a", "ctl/slots/b"):
            with pytest.raises(OSError, match=r"Not a directory|symbolic"):
                directory_files.open_by_walking(at, path, os.O_RDONLY)
        with pytest.raises(FileNotFoundError):
            directory_files.open_by_walking(at, NONE, os.O_RDONLY)
        os.close(at)

    def test_a_pipe_or_folder_in_a_files_place_holds_nobody_up(
        self, store: DirectoryStore, root: Path
    ) -> None:
        store.write_new(B, b"1")
        os.mkfifo(root / "ctl/slots/a")
        (root / "ctl/slots/folder").mkdir()

        for path in (A, StorePath("ctl/slots/folder")):
            with pytest.raises(StoreUnavailable, match="no plain file"):
                store.read(path)
        assert store.list_under(SLOTS) == [B]

    def test_a_file_over_the_bound_is_not_read(self, store: DirectoryStore, root: Path) -> None:
        store.write_new(A, b"1")
        os.truncate(root / A, FILE_BYTES_MAX + 1)

        with pytest.raises(ValueRefused, match="at most 72 MiB"):
            store.read(A)

    def test_names_that_are_no_paths_are_not_listed(
        self, store: DirectoryStore, root: Path
    ) -> None:
        store.write_new(A, b"1")
        for name in ("ctl/slots/a b", "ctl/slots/é", "README", "ctl/notes", ".hidden"):
            (root / name).write_text("x")
        (root / "lost+found").mkdir()
        (root / "lost+found/x").write_text("x")

        assert store.list_under(WHOLE_STORE) == [A]
        assert store.list_under(StorePath("ctl")) == [A]
