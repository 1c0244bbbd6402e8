"""`require("fs")`: files and folders, through `exit_paths` alone."""

import base64
import contextlib
import os
import posixpath
import shutil
import stat
from collections.abc import Mapping
from datetime import UTC, datetime

from corbie.adapters.scripts import exit_paths
from corbie.adapters.scripts.exits import Exits
from corbie.adapters.scripts.faults import Function, ModuleFault, fault_of
from corbie.adapters.scripts.frames import WHOLE_BYTES_MAX
from corbie.domain.errors import ValueRefused
from corbie.domain.permission_paths import matches_path, parse_path_scope
from corbie.domain.permissions import PathWanted
from corbie.domain.values import JsonValue

ITEMS_MAX = 200_000
"""Paths that one call gives; a script that needs more walks folder by folder."""


def open_module(exits: Exits) -> Mapping[str, Function]:
    """Give the module's functions for one job."""
    files = _Files(exits)
    return {
        "read": files.read,
        "readBytes": files.read_bytes,
        "write": files.write,
        "append": files.append,
        "list": files.names,
        "walk": files.walk,
        "stat": files.facts,
        "mkdir": files.mkdir,
        "copy": files.copy,
        "move": files.move,
        "remove": files.remove,
        "glob": files.glob,
    }


class _Files:
    """The functions of one job."""

    def __init__(self, exits: Exits) -> None:
        self._exits = exits

    def read(self, given: list[JsonValue]) -> JsonValue:
        try:
            return self._whole(given[0]).decode()
        except UnicodeDecodeError as error:
            message = f"{given[0]} is not UTF-8 at byte {error.start}; use readBytes"
            raise ModuleFault(message, "bad_input") from error

    def read_bytes(self, given: list[JsonValue]) -> JsonValue:
        return base64.b64encode(self._whole(given[0])).decode()

    def _whole(self, path: JsonValue) -> bytes:
        with (
            exit_paths.open_read(self._exits, path) as (descriptor, _),
            os.fdopen(os.dup(descriptor), "rb") as file,
        ):
            data = file.read(WHOLE_BYTES_MAX + 1)
        if len(data) > WHOLE_BYTES_MAX:
            message = f"{path} is larger than {WHOLE_BYTES_MAX >> 20} MiB"
            raise ModuleFault(message, "bad_input")
        return data

    def write(self, given: list[JsonValue]) -> JsonValue:
        data = _content(given[1])
        target = exit_paths.find_target(self._exits, given[0])
        with contextlib.closing(target), target.replacing() as file:
            file.write(data)
        return None

    def append(self, given: list[JsonValue]) -> JsonValue:
        data = _content(given[1])
        target = exit_paths.find_target(self._exits, given[0])
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        with contextlib.closing(target):
            try:
                opened = os.open(target.name, flags | os.O_CLOEXEC, 0o666, dir_fd=target.folder)
                with os.fdopen(opened, "ab") as file:
                    if not stat.S_ISREG(os.fstat(opened).st_mode):
                        message = f"{given[0]} is no plain file"
                        raise ModuleFault(message, "bad_input")
                    file.write(data)
            except OSError as error:
                raise fault_of(error, str(given[0])) from error
        return None

    def names(self, given: list[JsonValue]) -> JsonValue:
        with exit_paths.open_read(self._exits, given[0], folder=True) as (descriptor, _):
            return [_shown(name) for name in sorted(one.name for one in os.scandir(descriptor))]

    def walk(self, given: list[JsonValue]) -> JsonValue:
        found: list[JsonValue] = []
        with exit_paths.open_read(self._exits, given[0], folder=True) as (descriptor, path):
            for item in exit_paths.walk(descriptor, path, self._exits):
                _require_few(len(found))
                found.append({"path": _shown(item.path), "type": item.kind, "size": item.size})
        return found

    def glob(self, given: list[JsonValue]) -> JsonValue:
        try:
            pattern = parse_path_scope(str(given[0]), self._exits.home)
        except ValueRefused as error:
            raise ModuleFault(str(error), "bad_input") from error
        found: list[JsonValue] = []
        root = pattern.literal_folder
        if exit_paths.read_stat(self._exits, root) is None:
            return []
        with exit_paths.open_read(self._exits, root, folder=True) as (descriptor, path):
            for item in exit_paths.walk(descriptor, path, self._exits):
                # Compared below the folder as the script wrote it, links in it unresolved.
                below = posixpath.join(root, posixpath.relpath(item.path, path))
                if matches_path(pattern, below):
                    _require_few(len(found))
                    found.append(_shown(below))
        return found

    def facts(self, given: list[JsonValue]) -> JsonValue:
        found = exit_paths.read_stat(self._exits, given[0])
        if found is None:
            return None
        path, facts = found
        modified = datetime.fromtimestamp(facts.st_mtime, UTC)
        return {
            "path": _shown(path),
            "type": exit_paths.kind_of_mode(facts.st_mode),
            "size": facts.st_size,
            "modified": modified.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }

    def mkdir(self, given: list[JsonValue]) -> JsonValue:
        exit_paths.make_folders(self._exits, given[0])
        return None

    def copy(self, given: list[JsonValue]) -> JsonValue:
        with exit_paths.open_read(self._exits, given[0]) as (descriptor, _):
            target = exit_paths.find_target(self._exits, given[1])
            with (
                contextlib.closing(target),
                target.replacing() as file,
                os.fdopen(os.dup(descriptor), "rb") as source,
            ):
                shutil.copyfileobj(source, file)
        return None

    def move(self, given: list[JsonValue]) -> JsonValue:
        """Rename a file, a link or a folder; what is moved could then be read: both are needed."""
        source = exit_paths.find_target(self._exits, given[0], follow=False)
        with contextlib.closing(source):
            target = exit_paths.find_target(self._exits, given[1], follow=False)
            with contextlib.closing(target):
                self._require_move(source, target)
                try:
                    os.rename(
                        source.name,
                        target.name,
                        src_dir_fd=source.folder,
                        dst_dir_fd=target.folder,
                    )
                except OSError as error:
                    raise fault_of(error, f"{given[0]} to {given[1]}") from error
        return None

    def _require_move(self, source: exit_paths.Target, target: exit_paths.Target) -> None:
        facts = source.look()
        self._exits.require(PathWanted(kind="fs.read", path=source.path))
        if facts is None or not stat.S_ISDIR(facts.st_mode):
            return
        for path in exit_paths.tree_paths(source):
            self._exits.require(PathWanted(kind="fs.read", path=source.path + path))
            self._exits.require(PathWanted(kind="fs.write", path=source.path + path))
            self._exits.require(PathWanted(kind="fs.write", path=target.path + path))

    def remove(self, given: list[JsonValue]) -> JsonValue:
        """Remove a file, a link or a folder with all in it; give whether there was one."""
        target = exit_paths.find_target(self._exits, given[0], follow=False)
        with contextlib.closing(target):
            facts = target.look()
            if facts is None:
                return False
            try:
                if not stat.S_ISDIR(facts.st_mode):
                    os.unlink(target.name, dir_fd=target.folder)
                    return True
                for path in exit_paths.tree_paths(target):
                    self._exits.require(PathWanted(kind="fs.write", path=target.path + path))
                shutil.rmtree(target.name, dir_fd=target.folder)
            except OSError as error:
                raise fault_of(error, str(given[0])) from error
        return True


def _content(value: JsonValue) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict) and isinstance(value.get("base64"), str):
        return base64.b64decode(str(value["base64"]))
    message = "what is written is a text or bytes; format other values first"
    raise ModuleFault(message, "bad_input")


def _shown(path: str) -> str:
    """Give a path as a text: a byte that is not UTF-8 becomes U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _require_few(count: int) -> None:
    if count >= ITEMS_MAX:
        message = f"there are more than {ITEMS_MAX} files; walk folder by folder"
        raise ModuleFault(message, "bad_input")
