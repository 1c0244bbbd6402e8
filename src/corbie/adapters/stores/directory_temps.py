"""Files on their way into a directory store: written whole and synced before they get a path.

They lie in the store's folder `.tmp`, on the same file system, where no listing looks. The
other folder of the store's own is `.lock`, with one file held while replacing or deleting and
one held while listing or renaming over a file.
"""

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from corbie.adapters.stores import directory_files as files
from corbie.domain.errors import SetupRefused
from corbie.domain.ports.store import Version

TEMP_FOLDER = ".tmp"
LOCK_FOLDER = ".lock"
REPLACE_LOCK = ".lock/replace"
LIST_LOCK = ".lock/list"

LEFT_OVER_SECONDS = 15 * 60
"""A temporary file lives for milliseconds; one this old has lost its writer."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

Link = Callable[[str, str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Temp:
    """A temporary file: its name in `.tmp`, and the version it will be."""

    name: str
    version: Version


class Temps:
    """The temporary files of one process in one store; holds `.tmp` open."""

    def __init__(self, root: int) -> None:
        """Open `.tmp`, making it if it is missing."""
        self.folder = files.open_folder(root, TEMP_FOLDER, set())

    def close(self) -> None:
        """Let go of `.tmp`."""
        os.close(self.folder)

    def write(self, data: bytes, *, synced: bool) -> Temp:
        """Write a file, and sync it unless the caller will."""
        name = secrets.token_hex(12)
        opened = os.open(name, _NEW, 0o600, dir_fd=self.folder)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(opened, rest) :]
            # The system's own times have ticks of milliseconds, in which two writes could meet.
            now = time.time_ns()
            os.utime(opened, ns=(now, now))
            if synced:
                files.sync_file(opened)
            return Temp(name=name, version=files.version_of(os.fstat(opened)))
        except BaseException:
            os.unlink(name, dir_fd=self.folder)
            raise
        finally:
            os.close(opened)

    def make_later(self, temp: Temp, than: os.stat_result) -> Temp:
        """Give a file a later time than the one it replaces, so that no version comes twice."""
        later = max(time.time_ns(), than.st_mtime_ns + 1)
        os.utime(temp.name, ns=(later, later), dir_fd=self.folder, follow_symlinks=False)
        status = os.stat(temp.name, dir_fd=self.folder, follow_symlinks=False)
        return Temp(name=temp.name, version=files.version_of(status))

    def drop(self, temp: Temp) -> None:
        """Delete a file that has its path, or will have none."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temp.name, dir_fd=self.folder)

    def sweep(self) -> None:
        """Delete what crashed writers left."""
        oldest = time.time() - LEFT_OVER_SECONDS
        with os.scandir(self.folder) as entries:
            left = [entry.name for entry in entries if _mtime(entry) < oldest]
        for name in left:
            self.drop(Temp(name=name, version=Version("")))


def _mtime(entry: "os.DirEntry[str]") -> float:
    try:
        return entry.stat(follow_symlinks=False).st_mtime
    except FileNotFoundError:
        return float("inf")


def make_own_folders(root: int) -> None:
    """Make the folders and lock files that a store has for itself, where they are missing."""
    os.close(files.open_folder(root, TEMP_FOLDER, set()))
    locks = files.open_folder(root, LOCK_FOLDER, set())
    try:
        for name in ("replace", "list"):
            flags = os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            os.close(os.open(name, flags, 0o600, dir_fd=locks))
    finally:
        os.close(locks)


def _link(source: str, target: str, source_folder: int, target_folder: int) -> None:
    os.link(
        source,
        target,
        src_dir_fd=source_folder,
        dst_dir_fd=target_folder,
        follow_symlinks=False,
    )


def require_fit_file_system(root: str, temps: Temps, *, link: Link = _link) -> None:
    """Return if files here can be linked by one winner and have exact times.

    Raises:
        SetupRefused: a test failed; its name is given.
    """
    temp = temps.write(b"", synced=False)
    second = Temp(name=f"{temp.name}.link", version=temp.version)
    try:
        try:
            link(temp.name, second.name, temps.folder, temps.folder)
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES}:
                raise
            raise _unfit(root, "a file can be linked") from error
        try:
            link(temp.name, second.name, temps.folder, temps.folder)
        except FileExistsError:
            pass
        else:
            raise _unfit(root, "a link does not replace a file")
        os.utime(second.name, ns=(1, 1), dir_fd=temps.folder, follow_symlinks=False)
        status = os.stat(second.name, dir_fd=temps.folder, follow_symlinks=False)
        if status.st_mtime_ns != 1 or status.st_nlink != len((temp, second)):
            raise _unfit(root, "times are kept to the nanosecond")
    finally:
        temps.drop(temp)
        temps.drop(second)


def _unfit(root: str, test: str) -> SetupRefused:
    return SetupRefused(
        f'{root} is on a file system that cannot hold a store: it failed the test "{test}";'
        " use a local disk, or a served store"
    )
