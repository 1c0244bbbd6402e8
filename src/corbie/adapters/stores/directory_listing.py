"""The files below a folder of a directory store."""

import os
from collections.abc import Iterator

from corbie.adapters.stores import directory_files as files
from corbie.domain.errors import ValueRefused
from corbie.domain.paths import StorePath, parse_path


def list_files(root: int, folder: str, up_to: str | None) -> list[StorePath]:
    """Give the sorted paths of all files below a folder; later folders are not even opened."""
    found: list[StorePath] = []
    pending = [folder]
    while pending:
        at = pending.pop()
        prefix = f"{at}/" if at else ""
        for name, is_folder in _entries(root, at, up_to if at == folder else None):
            if is_folder:
                pending.append(prefix + name)
            elif _is_path(prefix + name):
                found.append(StorePath(prefix + name))
    found.sort()
    return found


def _entries(root: int, folder: str, up_to: str | None) -> Iterator[tuple[str, bool]]:
    """Give the names in a folder, and whether each is a folder; nothing for a missing one."""
    try:
        opened = files.open_beneath(root, folder or ".", files.FOLDER)
    except (FileNotFoundError, NotADirectoryError):
        # Pruned since it was seen, or a file where a listing was asked for.
        return
    try:
        with os.scandir(opened) as entries:
            for entry in entries:
                name = entry.name
                if (up_to is not None and name > up_to) or (not folder and name.startswith(".")):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    yield name, True
                elif entry.is_file(follow_symlinks=False):
                    yield name, False
    finally:
        os.close(opened)


def _is_path(text: str) -> bool:
    try:
        parse_path(text)
    except ValueRefused:
        return False
    return True
