"""A store in a directory: one file a file, and the file system's own promises.

Durability. Content is synced before it gets its path, and the path before a write returns. One
file is synced by itself; several at once by two syncs of the file system (`syncfs`), which for
five files takes a third of the time and for fifty a quarter, but waits for what other programs
wrote to the same disk.

Deleting is not synced, except for the kinds in `_SYNCED_DELETES`: after a loss of power a
deleted message, wake, status or record may be there again, which the protocol must bear anyway
(a process can die before it deletes), while a deleted trust entry must not come back.

Source: The store, Directory.
"""

import errno
import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TypeVar

from corbie.adapters.stores import directory_files as disk
from corbie.adapters.stores import directory_temps as own
from corbie.adapters.stores.bounds import require_writable
from corbie.adapters.stores.directory_listing import Lister
from corbie.adapters.stores.directory_watch import open_watch
from corbie.domain.errors import AlreadyExists, Changed, SetupRefused, StoreUnavailable
from corbie.domain.paths import FileKind, StorePath, parse_path, require_folder
from corbie.domain.ports.store import Stored, StoreWatch, Version

T = TypeVar("T")

_SYNCED_DELETES: frozenset[FileKind] = frozenset(
    {"version", "trust", "secret", "schedule", "key", "slot"}
)
_PRUNED_BELOW: dict[FileKind, int] = {
    "wake": 2,
    "taken": 2,
    "step": 3,
    "carried": 3,
    "emit": 3,
    "blob": 3,
}
"""Kinds whose folders come and go, to how many segments of a path are kept when empty."""

_DELETES_A_LOCK = 64
"""So that replacing never waits long for a large deletion."""


class DirectoryStore:
    """A `WatchableStore` and `Store` in a directory, for any number of threads and processes."""

    def __init__(self, root: str) -> None:
        """Open a store that exists.

        Raises:
            SetupRefused: there is none.
            StoreUnavailable: it cannot be opened.
        """
        self._root = os.path.abspath(root)  # noqa: PTH100 - the rest speaks of text and numbers
        with disk.faults_named(self._root):
            try:
                self._fd = os.open(self._root, disk.FOLDER & ~os.O_NOFOLLOW)
            except FileNotFoundError as error:
                message = f"there is no store at {self._root}; corbie init sets one up"
                raise SetupRefused(message) from error
        weakref.finalize(self, os.close, self._fd)
        self._lister = Lister(self._fd)
        self._preparing = threading.Lock()
        self._prepared: own.Temps | None = None

    @classmethod
    def create(cls, root: str) -> "DirectoryStore":
        """Make a directory, if it is missing, fit to hold a store, and open it.

        Raises:
            SetupRefused: its file system cannot hold a store.
            StoreUnavailable: it cannot be made.
        """
        with disk.faults_named(root):
            try:
                os.makedirs(root, mode=0o700, exist_ok=True)  # noqa: PTH103 - as above
            except FileExistsError as error:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from error
        store = cls(root)
        with disk.faults_named(root):
            store._prepare()
            disk.sync_folder(store._fd, "")
        return store

    def read(self, path: StorePath) -> Stored | None:
        """Give a file, or None where there is none.

        Raises:
            ValueRefused: it is larger than any file of a store.
        """
        parse_path(path)
        with disk.faults_named(self._root):
            try:
                return disk.read_plain(self._fd, path)
            except FileNotFoundError:
                disk.require_present(self._fd)
                return None

    def list_under(self, folder: StorePath, *, up_to: str | None = None) -> Sequence[StorePath]:
        """Give the sorted paths of all files below a folder; see the port.

        What has a name that is no path of a store, and what is no plain file, is left out.
        """
        require_folder(folder)
        with disk.faults_named(self._root):
            # Some file systems show a name that is renamed over meanwhile at its old place and
            # its new one, or at neither.
            with disk.locked(self._fd, own.LIST_LOCK, shared=True):
                found = self._lister.list_files(folder, up_to)
            if not found:
                disk.require_present(self._fd)
            return found

    def write(self, path: StorePath, data: bytes) -> Version:
        """Write a file, whatever is at the path."""
        return self._replace(path, data, None)

    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        """Replace a file that still has this version; raises Changed if it has not."""
        return self._replace(path, data, version)

    def write_new(self, path: StorePath, data: bytes) -> Version:
        """Write a file where there is none; raises AlreadyExists if there is one."""
        require_writable(path, data)
        with disk.faults_named(self._root):
            temps = self._prepare()
            temp = temps.write(data, synced=True)
            touched: set[str] = set()
            try:
                existing = self._link_all(temps, {path: temp}, touched)
            finally:
                temps.drop(temp)
            # Also where the file existed: its writer may not have come this far yet.
            self._sync_folders(touched)
        if existing:
            raise AlreadyExists(path=path)
        return temp.version

    def write_all_new(self, files: Mapping[StorePath, bytes]) -> frozenset[StorePath]:
        """Write each file where there is none; gives the paths where there was one."""
        for path, data in files.items():
            require_writable(path, data)
        if not files:
            return frozenset()
        is_shared = len(files) > 1 and disk.can_sync_all()
        with disk.faults_named(self._root):
            temps = self._prepare()
            written: dict[StorePath, own.Temp] = {}
            touched: set[str] = set()
            try:
                for path, data in files.items():
                    written[path] = temps.write(data, synced=not is_shared)
                if is_shared:
                    disk.sync_all(self._fd)
                existing = self._link_all(temps, written, touched)
            finally:
                for temp in written.values():
                    temps.drop(temp)
            self._sync_folders(touched)
        return existing

    def delete_all(self, paths: Sequence[StorePath]) -> None:
        """Delete files, in order, and the folders of wakes and records left empty."""
        kinds = {path: parse_path(path).kind for path in paths}
        with disk.faults_named(self._root):
            for start in range(0, len(paths), _DELETES_A_LOCK):
                # A file may not vanish between the look and the rename of a replacement.
                with disk.locked(self._fd, own.REPLACE_LOCK):
                    self._unlink_all(paths[start : start + _DELETES_A_LOCK])
            synced = {_parent(path) for path, kind in kinds.items() if kind in _SYNCED_DELETES}
            for folder in sorted(synced):
                disk.sync_folder(self._fd, folder)
            emptied = {
                _parent(path): _PRUNED_BELOW[kind]
                for path, kind in kinds.items()
                if kind in _PRUNED_BELOW
            }
            for folder, keep in emptied.items():
                self._prune(folder, keep)

    def watch(self, folders: Sequence[StorePath]) -> StoreWatch:
        """Watch for files written below the folders; one that only sleeps where none can be."""
        for folder in folders:
            require_folder(folder)
        return open_watch(self._root, tuple(folders))

    def _prepare(self) -> own.Temps:
        """Make the store fit for writing, once in a process."""
        with self._preparing:
            if self._prepared is None:
                own.make_own_folders(self._fd)
                temps = own.Temps(self._fd)
                try:
                    own.require_fit_file_system(self._root, temps)
                    temps.sweep()
                except BaseException:
                    temps.close()
                    raise
                weakref.finalize(self, temps.close)
                self._prepared = temps
            return self._prepared

    def _replace(self, path: StorePath, data: bytes, version: Version | None) -> Version:
        require_writable(path, data)
        with disk.faults_named(self._root):
            if version is not None:
                self._require_version(path, version)
            temps = self._prepare()
            temp = temps.write(data, synced=True)
            touched: set[str] = set()
            try:
                with disk.locked(self._fd, own.REPLACE_LOCK):
                    there = self._require_version(path, version)
                    if there is not None:
                        temp = temps.make_later(temp, there)
                    with disk.locked(self._fd, own.LIST_LOCK):
                        self._rename(temps, temp, path, touched)
            finally:
                temps.drop(temp)
            self._sync_folders(touched)
        return temp.version

    def _require_version(self, path: StorePath, version: Version | None) -> os.stat_result | None:
        """Give the status of the file at a path; raises Changed unless it has the version."""
        try:
            folder = disk.open_beneath(self._fd, _parent(path) or ".", disk.FOLDER)
            try:
                there = os.stat(_name(path), dir_fd=folder, follow_symlinks=False)
            finally:
                os.close(folder)
        except FileNotFoundError as error:
            if version is None:
                return None
            raise Changed(path=path) from error
        if version is not None and disk.version_of(there) != version:
            raise Changed(path=path)
        return there

    def _rename(self, temps: own.Temps, temp: own.Temp, path: StorePath, touched: set[str]) -> None:
        def rename(folder: int) -> None:
            os.rename(temp.name, _name(path), src_dir_fd=temps.folder, dst_dir_fd=folder)

        self._in_folder(_parent(path), touched, rename)

    def _link_all(
        self, temps: own.Temps, written: Mapping[StorePath, own.Temp], touched: set[str]
    ) -> frozenset[StorePath]:
        """Give files their paths; gives those that had a file already."""
        existing: set[StorePath] = set()
        for folder, group in groupby(sorted(written), key=_parent):
            left = list(group)

            def link(at: int, left: list[StorePath] = left) -> None:
                # What is done is taken off the list: this may begin again in a new folder.
                while left:
                    try:
                        os.link(
                            written[left[-1]].name,
                            _name(left[-1]),
                            src_dir_fd=temps.folder,
                            dst_dir_fd=at,
                            follow_symlinks=False,
                        )
                    except FileExistsError:
                        existing.add(left[-1])
                    left.pop()

            self._in_folder(folder, touched, link)
        return frozenset(existing)

    def _in_folder(self, folder: str, touched: set[str], act: Callable[[int], T]) -> T:
        """Act in a folder that exists, made anew as often as another process prunes it."""
        touched.add(folder)
        for _ in range(disk.FOLDER_ATTEMPTS_MAX):
            at = disk.open_folder(self._fd, folder, touched)
            try:
                return act(at)
            except FileNotFoundError:
                continue
            finally:
                os.close(at)
        message = f"the store {self._root} lost {folder} again and again; is something deleting it?"
        raise StoreUnavailable(message)

    def _sync_folders(self, touched: set[str]) -> None:
        if len(touched) > 1 and disk.can_sync_all():
            disk.sync_all(self._fd)
            return
        for folder in sorted(touched):
            disk.sync_folder(self._fd, folder)

    def _unlink_all(self, paths: Sequence[StorePath]) -> None:
        for folder, group in groupby(paths, key=_parent):
            try:
                at = disk.open_beneath(self._fd, folder or ".", disk.FOLDER)
            except FileNotFoundError:
                disk.require_present(self._fd)
                continue
            try:
                for path in group:
                    try:
                        os.unlink(_name(path), dir_fd=at)
                    except FileNotFoundError:
                        continue
            finally:
                os.close(at)

    def _prune(self, folder: str, keep: int) -> None:
        """Remove a folder and those above it that are empty, down to so many segments."""
        while folder.count("/") >= keep:
            try:
                at = disk.open_beneath(self._fd, _parent(folder), disk.FOLDER)
                try:
                    os.rmdir(_name(folder), dir_fd=at)
                finally:
                    os.close(at)
            except FileNotFoundError:
                pass
            except OSError as error:
                if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
                    raise
                return
            folder = _parent(folder)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]
