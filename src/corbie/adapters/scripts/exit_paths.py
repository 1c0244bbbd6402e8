"""The way out to files: every path is resolved on an opened descriptor, then checked, then used.

The kernel resolves the links while opening; what it opened says its path; the permission is
asked for that path; and the same descriptor is used. Nothing in between can be swapped.
Source: Permissions and approval, Entries.
"""

import contextlib
import os
import posixpath
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedWriter
from pathlib import Path
from typing import Literal

from corbie.adapters.scripts.exits import Exits
from corbie.adapters.scripts.faults import ModuleFault, fault_of
from corbie.domain.permissions import PathWanted
from corbie.domain.values import JsonValue

PATH_LENGTH_MAX = 4096

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC


def read_path(exits: Exits, given: JsonValue) -> str:
    """Give an absolute path as a script wrote it, `~` filled in.

    Raises:
        ModuleFault: it is no absolute path.
    """
    if isinstance(given, str) and given.startswith("~/"):
        given = exits.home + given[1:]
    is_path = isinstance(given, str) and given.startswith("/") and "\0" not in given
    if not is_path or len(str(given)) > PATH_LENGTH_MAX:
        message = "a path is an absolute one, as /srv/site/index.html, or begins with ~/"
        raise ModuleFault(message, "bad_input")
    return str(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Located:
    """The part of a path that exists, opened; its resolved path; the names after it.

    `error` is why the rest was not opened, None if there is no rest.
    """

    descriptor: int
    path: str
    rest: tuple[str, ...]
    error: OSError | None

    @property
    def whole(self) -> str:
        """The resolved path, with the rest."""
        return posixpath.join(self.path, *self.rest)


@contextlib.contextmanager
def _locate(path: str) -> Iterator[_Located]:
    parts = [part for part in path.split("/") if part]
    rest: list[str] = []
    failure: OSError | None = None
    descriptor: int | None = None
    while descriptor is None:
        try:
            descriptor = os.open("/" + "/".join(parts), os.O_PATH | os.O_CLOEXEC)
        except OSError as error:
            failure = failure or error
            rest.insert(0, parts.pop())
    try:
        if {".", ".."} & set(rest):
            message = f"{path} goes through something that does not exist"
            raise ModuleFault(message, "not_found")
        resolved = _resolved(descriptor)
        yield _Located(descriptor=descriptor, path=resolved, rest=tuple(rest), error=failure)
    finally:
        os.close(descriptor)


def _resolved(descriptor: int) -> str:
    """Give the path of what was opened; pipes, sockets and deleted files have none."""
    path = str(Path(f"/proc/self/fd/{descriptor}").readlink())
    if not path.startswith("/") or os.fstat(descriptor).st_nlink == 0:
        message = "this is no file or folder with a path of its own"
        raise ModuleFault(message, "bad_input")
    return path


@contextlib.contextmanager
def open_read(exits: Exits, given: JsonValue, *, folder: bool = False) -> Iterator[tuple[int, str]]:
    """Open a file or folder for reading; give its descriptor and resolved path.

    Raises:
        ModuleFault: it is not there, is of another kind, or the system does not let it be read.
    """
    path = read_path(exits, given)
    with _locate(path) as located:
        exits.require(PathWanted(kind="fs.read", path=located.whole))
        if located.error is not None:
            raise fault_of(located.error, path) from located.error
        mode = os.fstat(located.descriptor).st_mode
        if not (stat.S_ISDIR(mode) if folder else stat.S_ISREG(mode)):
            message = f"{path} is no {'folder' if folder else 'plain file'}"
            raise ModuleFault(message, "bad_input")
        try:
            opened = os.open(f"/proc/self/fd/{located.descriptor}", os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise fault_of(error, path) from error
        try:
            yield opened, located.path
        finally:
            os.close(opened)


def read_stat(exits: Exits, given: JsonValue) -> tuple[str, os.stat_result] | None:
    """Give the resolved path and the facts of what a path leads to, None if it is not there."""
    path = read_path(exits, given)
    with _locate(path) as located:
        exits.require(PathWanted(kind="fs.read", path=located.whole))
        if located.error is None:
            return located.path, os.fstat(located.descriptor)
        if isinstance(located.error, FileNotFoundError | NotADirectoryError):
            return None
        raise fault_of(located.error, path) from located.error


@dataclass(slots=True)
class Target:
    """A name in an opened folder: where something is made, replaced or removed.

    `path` is its resolved path, for which the permission was given.
    """

    folder: int
    name: str
    path: str

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self.folder)

    def look(self) -> os.stat_result | None:
        """Give what is there now, a link as itself; None for nothing."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    @contextlib.contextmanager
    def replacing(self) -> Iterator[BufferedWriter]:
        """Give a new file that takes the name, whole, when the block ends well; then close."""
        before = self.look()
        if before is not None and not stat.S_ISREG(before.st_mode):
            message = f"{self.path} is there already and is no plain file"
            raise ModuleFault(message, "bad_input")
        draft = f".corbie-{secrets.token_hex(8)}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(draft, flags, 0o666, dir_fd=self.folder), "wb") as file:
                if before is not None:
                    os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
                yield file
            os.rename(draft, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        except OSError as error:
            raise fault_of(error, self.path) from error
        finally:
            # Gone if it took the name; a name of its own, so nothing else is removed.
            with contextlib.suppress(OSError):
                os.unlink(draft, dir_fd=self.folder)


def find_target(exits: Exits, given: JsonValue, *, follow: bool = True) -> Target:
    """Give where to write: what a path leads to, or a new name in a folder that exists.

    With `follow` false, a link at the end is itself the target. The caller closes it.

    Raises:
        ModuleFault: its folder is not there, or it is a link that leads nowhere.
    """
    path = read_path(exits, given)
    if not follow or not _exists(path):
        parent, _, name = path.rstrip("/").rpartition("/")
        if name in {"", ".", ".."}:
            message = f"{path} names nothing that can be written or removed"
            raise ModuleFault(message, "bad_input")
        return _open_target(exits, path, parent or "/", name, follow=follow)
    with _locate(path) as located:
        parent, _, name = located.path.rpartition("/")
    # Opened again from the resolved path: if a link was put there meanwhile, its own resolved
    # path is what is checked and used.
    return _open_target(exits, path, parent or "/", name, follow=follow)


def _exists(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_PATH | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _open_target(exits: Exits, path: str, parent: str, name: str, *, follow: bool) -> Target:
    with _locate(parent) as located:
        whole = posixpath.join(located.whole, name)
        exits.require(PathWanted(kind="fs.write", path=whole))
        if located.error is not None:
            raise fault_of(located.error, path) from located.error
        try:
            folder = os.open(f"/proc/self/fd/{located.descriptor}", _FOLDER)
        except OSError as error:
            raise fault_of(error, path) from error
    target = Target(folder, name, whole)
    there = target.look()
    if follow and there is not None and stat.S_ISLNK(there.st_mode):
        target.close()
        message = f"{path} is a link that leads nowhere"
        raise ModuleFault(message, "failed")
    return target


def make_folders(exits: Exits, given: JsonValue) -> None:
    """Make a folder and those above it that are missing."""
    path = read_path(exits, given)
    with _locate(path) as located:
        exits.require(PathWanted(kind="fs.write", path=located.whole))
        at, whole = os.dup(located.descriptor), located.path
        try:
            for name in located.rest:
                whole = posixpath.join(whole, name)
                exits.require(PathWanted(kind="fs.write", path=whole))
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, 0o777, dir_fd=at)
                inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = inner
            if not stat.S_ISDIR(os.fstat(at).st_mode):
                message = f"{path} is there already and is no folder"
                raise ModuleFault(message, "bad_input")
        except OSError as error:
            raise fault_of(error, path) from error
        finally:
            os.close(at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something in a folder: its resolved path, and what it is; links are not followed."""

    path: str
    kind: Literal["file", "folder", "link", "other"]
    size: int


def kind_of_mode(mode: int) -> Literal["file", "folder", "link", "other"]:
    """Name what a mode is of."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def walk(descriptor: int, path: str, exits: Exits) -> Iterator[Item]:
    """Give all that is below an opened folder and may be read, in order, folders first.

    What may not be read is left out: a walk is no reason to end the job.
    """
    for name in sorted(one.name for one in os.scandir(descriptor)):
        inner = posixpath.join(path, name)
        if not exits.permits(PathWanted(kind="fs.read", path=inner)):
            continue
        try:
            facts = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            kind = kind_of_mode(facts.st_mode)
            yield Item(path=inner, kind=kind, size=facts.st_size)
            if kind != "folder":
                continue
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            opened = os.open(name, flags, dir_fd=descriptor)
        except OSError:
            # Gone meanwhile, or closed to the runner's user.
            continue
        try:
            yield from walk(opened, inner, exits)
        finally:
            os.close(opened)


def tree_paths(target: Target) -> Iterator[str]:
    """Give the path of everything below a folder, after the folder's own, each after a slash."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(target.name, flags, dir_fd=target.folder)
    except OSError as error:
        raise fault_of(error, target.path) from error
    try:
        for folder, folders, files, _ in os.fwalk(dir_fd=descriptor):
            for name in (*folders, *files):
                yield posixpath.join(folder, name).removeprefix(".")
    finally:
        os.close(descriptor)
