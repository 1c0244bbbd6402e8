"""`DirectoryDocuments`: definitions and scripts below one directory, the context.

Source: Definitions, Jobs (paths); The file.
"""

import errno
import os
import stat
from pathlib import Path

from corbie.adapters.documents.yaml_text import TEXT_BYTES_MAX, read_yaml
from corbie.domain.errors import ValueRefused
from corbie.domain.places import DefinitionRefused, Place, Problem
from corbie.domain.ports.documents import Document

_SAID = {
    errno.ENOENT: "there is no such file in the context",
    errno.ENOTDIR: "there is no such file in the context",
    errno.EACCES: "the file may not be read by this user",
    errno.EPERM: "the file may not be read by this user",
    errno.ELOOP: "the symbolic links go round in a circle",
    errno.ENAMETOOLONG: "the path is longer than a path can be",
}


class DirectoryDocuments:
    """A `DocumentSource` over a directory; every file lies in it, symbolic links resolved."""

    def __init__(self, root: Path) -> None:
        """Take the directory, which need not exist before a file is read."""
        self._root = Path(os.path.realpath(root))

    @property
    def root(self) -> str:
        """The context's absolute path."""
        return str(self._root)

    def read_document(self, path: str) -> Document:
        """Read a YAML file."""
        try:
            content = self._read(path)
        except ValueRefused as error:
            what = str(error).removeprefix(f"{path}: ")
            raise DefinitionRefused([Problem(place=Place(file=path), what=what)]) from error
        return read_yaml(content, path)

    def read_text(self, path: str) -> str:
        """Read a text file of at most 4 MiB."""
        content = self._read(path)
        if len(content) > TEXT_BYTES_MAX:
            message = f"{path}: the file is larger than 4 MiB"
            raise ValueRefused(message)
        try:
            return content.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            message = (
                f"{path}: the file is not UTF-8: byte {error.start}, in line {line}, is"
                f" 0x{content[error.start]:02x}"
            )
            raise ValueRefused(message) from error

    def _read(self, path: str) -> bytes:
        """Give a file's bytes, at most one past the bound; nothing else is opened."""
        try:
            return self._read_inside(path)
        except OSError as error:
            said = _SAID.get(error.errno or 0, f"the file cannot be read: {error.strerror}")
            message = f"{path}: {said}"
            raise ValueRefused(message) from error

    def _read_inside(self, path: str) -> bytes:
        if not path or "\0" in path or path.startswith("/") or ".." in path.split("/"):
            message = f"{path}: not a path below the context"
            raise ValueRefused(message)
        real = Path(os.path.realpath(self._root / path, strict=True))
        if not real.is_relative_to(self._root):
            message = f"{path}: a symbolic link leads out of the context"
            raise ValueRefused(message)
        # A pipe would wait for a writer for ever, so what it is is asked before it is opened.
        mode = real.stat().st_mode
        if not stat.S_ISREG(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "no regular file"
            message = f"{path}: this is {kind}"
            raise ValueRefused(message)
        with real.open("rb") as opened:
            return opened.read(TEXT_BYTES_MAX + 1)
