"""Files and folders below one folder: opened without following a link, read, synced, locked.

This module knows the operating system and nothing of what a store's paths mean.
"""

import ctypes
import errno
import fcntl
import functools
import os
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from corbie.domain.errors import StoreUnavailable, ValueRefused
from corbie.domain.ports.store import FILE_BYTES_MAX, Stored, Version

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLAIN = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK

FOLDER_ATTEMPTS_MAX = 100
"""How often a folder may be pruned by others between its making and its use."""

# Linux: the number of openat2 is the same on every architecture; the flags of its `resolve`
# keep the whole path below the folder and free of symbolic and /proc links.
_OPENAT2 = 437
_RESOLVE_BENEATH = 0x08 | 0x04 | 0x02

_SENTENCES = {
    errno.ENOSPC: "is full; free some space on its disk",
    errno.EDQUOT: "has used up this user's quota of disk space; free some space",
    errno.EFBIG: "may not hold a file of this size; raise this process's limit of file size",
    errno.EROFS: "is on a file system mounted read-only; mount it for writing",
    errno.EACCES: "may not be used by this user; check its owner and mode",
    errno.EPERM: "may not be used by this user; check its owner and mode",
    errno.ELOOP: "has a symbolic link where a file or folder of a store belongs; remove the link",
    errno.ENOTDIR: "has something else where a folder belongs; check that the path is right",
    errno.ENOENT: "was removed while in use; put it back, or set it up anew with corbie init",
    errno.EMFILE: "needs more open files than this process may have; raise its limit",
    errno.ENFILE: "needs more open files than this computer may have; raise its limit",
}


@contextmanager
def faults_named(root: str) -> Iterator[None]:
    """Raise StoreUnavailable, in one sentence that says what to do, for every OSError."""
    try:
        yield
    except OSError as error:
        says = _SENTENCES.get(error.errno or 0, f"failed: {error.strerror or error}")
        message = f"the store {root} {says}"
        raise StoreUnavailable(message) from error


def open_beneath(root: int, path: str, flags: int) -> int:
    """Open what is at a path below a folder, which exists; no link on the way is followed."""
    openat2 = _find_openat2()
    return openat2(root, path, flags) if openat2 else open_by_walking(root, path, flags)


def open_by_walking(root: int, path: str, flags: int) -> int:
    """Do the same folder by folder, where the system has no call for it."""
    *folders, name = path.split("/")
    at = root
    try:
        for folder in folders:
            inner = os.open(folder, FOLDER, dir_fd=at)
            if at != root:
                os.close(at)
            at = inner
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
    finally:
        if at != root:
            os.close(at)


@functools.cache
def _find_openat2() -> Callable[[int, str, int], int] | None:
    if sys.platform != "linux":
        return None
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    syscall.argtypes = [
        ctypes.c_long,
        ctypes.c_long,
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_size_t,
    ]

    def openat2(root: int, path: str, flags: int) -> int:
        how = struct.pack("QQQ", flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0, _RESOLVE_BENEATH)
        opened = int(syscall(_OPENAT2, root, os.fsencode(path), how, len(how)))
        if opened < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), path)
        return opened

    try:
        probe = os.open("/", FOLDER)
        try:
            os.close(openat2(probe, ".", FOLDER))
        finally:
            os.close(probe)
    except OSError:
        # An old kernel, or a sandbox that does not let the call through.
        return None
    return openat2


def open_folder(root: int, folder: str, made: set[str]) -> int:
    """Open a folder, making what is missing of it; `made` gets the parents of what was made."""
    try:
        return open_beneath(root, folder or ".", FOLDER)
    except FileNotFoundError:
        pass
    for _ in range(FOLDER_ATTEMPTS_MAX):
        try:
            _make_folders(root, folder, made)
            return open_beneath(root, folder, FOLDER)
        except FileNotFoundError:
            # Pruned by another process since.
            require_present(root)
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)


def _make_folders(root: int, folder: str, made: set[str]) -> None:
    parent = ""
    for name in folder.split("/"):
        at = open_beneath(root, parent or ".", FOLDER)
        try:
            os.mkdir(name, 0o700, dir_fd=at)
            made.add(parent)
        except FileExistsError:
            pass
        finally:
            os.close(at)
        parent = f"{parent}/{name}" if parent else name


def require_present(root: int) -> None:
    """Return if the folder still exists; raises FileNotFoundError if it was removed."""
    if os.fstat(root).st_nlink == 0:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))


def version_of(status: os.stat_result) -> Version:
    """Name a file's version: no two writes of a path share it, as mtimes are set to differ."""
    return Version(f"{status.st_ino:x}.{status.st_mtime_ns:x}.{status.st_size:x}")


def read_plain(root: int, path: str) -> Stored:
    """Read a file whole.

    Raises:
        ValueRefused: it is larger than any file of a store.
        OSError: missing, or no plain file.
    """
    opened = open_beneath(root, path, os.O_RDONLY | _PLAIN)
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, f"{path} is no plain file")
        if status.st_size > FILE_BYTES_MAX:
            message = f"{path} has {status.st_size} bytes; a file of a store has at most 72 MiB"
            raise ValueRefused(message)
        data = os.read(opened, status.st_size)
        while len(data) < status.st_size:
            more = os.read(opened, status.st_size - len(data))
            if not more:
                raise OSError(errno.EIO, f"{path} was cut while it was read")
            data += more
        return Stored(data=data, version=version_of(status))
    finally:
        os.close(opened)


def sync_file(opened: int) -> None:
    """Return when a file's or folder's content is on the disk itself."""
    if sys.platform == "darwin":
        # There fsync reaches the drive's cache only.
        fcntl.fcntl(opened, fcntl.F_FULLFSYNC)
    else:
        os.fsync(opened)


def sync_folder(root: int, folder: str) -> None:
    """Sync one folder's entries; a folder that is gone needs none."""
    try:
        opened = open_beneath(root, folder or ".", FOLDER)
    except FileNotFoundError:
        return
    try:
        sync_file(opened)
    finally:
        os.close(opened)


@functools.cache
def can_sync_all() -> bool:
    """Tell whether `sync_all` works here."""
    return sys.platform == "linux"


def sync_all(root: int) -> None:
    """Sync everything written so far to the file system that a folder is on."""
    if ctypes.CDLL(None, use_errno=True).syncfs(root) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


@contextmanager
def locked(root: int, path: str, *, shared: bool = False) -> Iterator[None]:
    """Hold a lock file, which the system lets go of when the process ends.

    A lock file that is not there is not held: who would change anything makes it first.
    """
    try:
        opened = open_beneath(root, path, os.O_RDONLY | _PLAIN)
    except FileNotFoundError:
        yield
        return
    try:
        # Each holder opens the file anew: two threads of a process exclude one another too.
        fcntl.flock(opened, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)
