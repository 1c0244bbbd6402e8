"""The files below a folder of a directory store."""

import bisect
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass

from corbie.adapters.stores import directory_files as disk
from corbie.domain.errors import ValueRefused
from corbie.domain.paths import StorePath, parse_path

KEPT_SECONDS = 60
"""Bounds what a file system with odd times (a network's) could hide."""

SETTLED_NS = 2_000_000_000
"""A folder that changed so recently may change again without its time showing it."""

KEPT_FOLDERS_MAX = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """The sorted names that a folder had when it bore this mark, and when that was."""

    mark: tuple[int, int, int]
    names: list[str]
    at: float


class Lister:
    """Lists folders; keeps the names in those listed up to a bound while they do not change.

    So a look for due wakes costs the same with ten waiting runs and ten thousand.
    """

    def __init__(self, root: int) -> None:
        """List below an open folder."""
        self._root = root
        self._kept: dict[str, _Names] = {}

    def list_files(self, folder: str, up_to: str | None) -> list[StorePath]:
        """Give the sorted paths of all files below a folder; later folders are not opened."""
        found: list[StorePath] = []
        pending = [folder]
        while pending:
            at = pending.pop()
            prefix = f"{at}/" if at else ""
            for name, is_folder in self._entries(at, up_to if at == folder else None):
                if is_folder:
                    pending.append(prefix + name)
                elif _is_path(prefix + name):
                    found.append(StorePath(prefix + name))
        found.sort()
        return found

    def _entries(self, folder: str, up_to: str | None) -> Iterator[tuple[str, bool]]:
        """Give the names in a folder, and whether each is a folder; nothing for a missing one."""
        try:
            opened = disk.open_beneath(self._root, folder or ".", disk.FOLDER)
        except (FileNotFoundError, NotADirectoryError):
            # Pruned since it was seen, or a file where a listing was asked for.
            return
        try:
            if up_to is not None:
                yield from self._entries_up_to(folder, opened, up_to)
                return
            with os.scandir(opened) as entries:
                for entry in entries:
                    if not folder and entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        yield entry.name, True
                    elif entry.is_file(follow_symlinks=False):
                        yield entry.name, False
        finally:
            os.close(opened)

    def _entries_up_to(self, folder: str, opened: int, up_to: str) -> Iterator[tuple[str, bool]]:
        names = self._names(folder, opened)
        for name in names[: bisect.bisect_right(names, up_to)]:
            if not folder and name.startswith("."):
                continue
            try:
                mode = os.stat(name, dir_fd=opened, follow_symlinks=False).st_mode
            except FileNotFoundError:
                continue
            if stat.S_ISDIR(mode):
                yield name, True
            elif stat.S_ISREG(mode):
                yield name, False

    def _names(self, folder: str, opened: int) -> list[str]:
        status = os.fstat(opened)
        mark = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
        now = time.monotonic()
        kept = self._kept.get(folder)
        if kept is not None and kept.mark == mark and now - kept.at < KEPT_SECONDS:
            return kept.names
        is_settled = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > SETTLED_NS
        names = sorted(os.listdir(opened))
        if is_settled and (folder in self._kept or len(self._kept) < KEPT_FOLDERS_MAX):
            self._kept[folder] = _Names(mark=mark, names=names, at=now)
        else:
            self._kept.pop(folder, None)
        return names


def _is_path(text: str) -> bool:
    try:
        parse_path(text)
    except ValueRefused:
        return False
    return True
