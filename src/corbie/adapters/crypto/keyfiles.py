"""`FileKeyring`: private keys on disk, in `NAME.key` files that one user may read."""

import os
import stat
from pathlib import Path
from typing import NoReturn

from typing_extensions import override

from corbie.adapters.crypto.private_side import (
    KEY_FILE_BYTES_MAX,
    PrivateSide,
    make_private_side,
    read_private_side,
)
from corbie.domain.cards import Card, Role
from corbie.domain.errors import SetupRefused, ValueRefused
from corbie.domain.names import PartyName, parse_party_name
from corbie.domain.ports.crypto import Opener, Signer

FOLDER_MODE = 0o700
FILE_MODE = 0o600

_SUFFIX = ".key"


class FileKeyring:
    """The parties whose key files are in one folder; each file is read once."""

    def __init__(self, *, folder: Path) -> None:
        """Name the folder of key files; nothing is read or made yet."""
        self._folder = folder
        self._sides: dict[PartyName, PrivateSide] = {}

    def create(self, name: PartyName, role: Role) -> Card:
        """Make a party's keys, write them to a new file, synced, and give the card.

        Raises:
            SetupRefused: there is a key file of that name, or the folder cannot be used.
        """
        side = make_private_side(parse_party_name(name), role)
        path = self._path(name)
        try:
            self._folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            self._require_own_folder()
            _write_new(path, side.format_text().encode())
        except FileExistsError as error:
            message = f"the key file {path} exists already; choose another name for the party"
            raise SetupRefused(message) from error
        except OSError as error:
            message = f"the key file {path} cannot be written: {error.strerror}"
            raise SetupRefused(message) from error
        self._sides[name] = side
        return side.card

    def names(self) -> tuple[PartyName, ...]:
        """Give the names of the parties that have a key file, sorted."""
        found = (path.name.removesuffix(_SUFFIX) for path in self._folder.glob(f"*{_SUFFIX}"))
        return tuple(sorted(PartyName(name) for name in found if _is_party_name(name)))

    def signer(self, name: PartyName) -> Signer:
        """Give a party's signer.

        Raises:
            SetupRefused: there is no key file of that name, or it cannot be used.
        """
        return self._side(name).signer

    def opener(self, name: PartyName) -> Opener:
        """Give a party's opener; raises as `signer` does."""
        return self._side(name).opener

    @override
    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied."""
        message = "a keyring holds private keys and cannot be copied"
        raise TypeError(message)

    def _side(self, name: PartyName) -> PrivateSide:
        side = self._sides.get(name)
        if side is None:
            side = self._sides[name] = self._read(parse_party_name(name))
        return side

    def _read(self, name: PartyName) -> PrivateSide:
        path = self._path(name)
        try:
            text = _read_own(path)
            self._require_own_folder()
        except FileNotFoundError as error:
            message = f"there is no key file {path}; restore it from a copy"
            raise SetupRefused(message) from error
        except OSError as error:
            message = f"the key file {path} cannot be read: {error.strerror}"
            raise SetupRefused(message) from error
        try:
            side = read_private_side(text)
        except ValueRefused as error:
            # Not `from error`: the JSON reader's own error carries the whole text, keys and all.
            message = f"the key file {path} is damaged: {error}; restore it from a copy"
            raise SetupRefused(message) from None
        if side.card.name != name:
            message = (
                f"the key file {path} holds the keys of {side.card.name};"
                f" rename it to {side.card.name}{_SUFFIX}"
            )
            raise SetupRefused(message)
        return side

    def _require_own_folder(self) -> None:
        status = self._folder.stat()
        if stat.S_IMODE(status.st_mode) & 0o022:
            message = (
                f"others may replace the key files in {self._folder};"
                f" run `chmod 700 {self._folder}`"
            )
            raise SetupRefused(message)

    def _path(self, name: PartyName) -> Path:
        return self._folder / f"{name}{_SUFFIX}"


def _read_own(path: Path) -> bytes:
    """Give the file's bytes; whether it may be used is asked of the opened file, not the path."""
    # Without O_NONBLOCK a pipe put in the file's place would hold the process up.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        _require_own(os.fstat(descriptor), path)
        return os.read(descriptor, KEY_FILE_BYTES_MAX + 1)
    finally:
        os.close(descriptor)


def _require_own(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        message = f"{path} is no regular file; restore the key file from a copy"
        raise SetupRefused(message)
    if status.st_uid != os.geteuid():
        message = (
            f"the key file {path} belongs to another user;"
            f" run `chown {os.geteuid()} {path}`, or be that user"
        )
        raise SetupRefused(message)
    if stat.S_IMODE(status.st_mode) & 0o077:
        message = f"others may read the key file {path}; run `chmod 600 {path}`"
        raise SetupRefused(message)


def _write_new(path: Path, text: bytes) -> None:
    """Write a file that is there whole or not at all, and never over another."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    finally:
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _is_party_name(text: str) -> bool:
    try:
        parse_party_name(text)
    except ValueRefused:
        return False
    return True
