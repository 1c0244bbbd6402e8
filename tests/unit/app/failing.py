"""A store that fails at the calls a test names."""

from collections.abc import Callable, Mapping, Sequence

from corbie.domain.errors import StoreUnavailable
from corbie.domain.paths import StorePath
from corbie.domain.ports.store import Store, Stored, Version

Fails = Callable[[str, StorePath], bool]


class FailingStore:
    """A `Store` that raises StoreUnavailable before a call of which `fails` says so.

    `fails` is asked with `read`, `write` or `delete` and the path, batches one by one.
    """

    def __init__(self, store: Store, fails: Fails) -> None:
        """Wrap a store."""
        self._store = store
        self.fails = fails

    def read(self, path: StorePath) -> Stored | None:
        """Read, or fail."""
        self._ask("read", path)
        return self._store.read(path)

    def list_under(self, folder: StorePath, *, up_to: str | None = None) -> Sequence[StorePath]:
        """List as the wrapped store does."""
        return self._store.list_under(folder, up_to=up_to)

    def write(self, path: StorePath, data: bytes) -> Version:
        """Write, or fail."""
        self._ask("write", path)
        return self._store.write(path, data)

    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        """Replace, or fail."""
        self._ask("write", path)
        return self._store.write_unchanged(path, data, version)

    def write_new(self, path: StorePath, data: bytes) -> Version:
        """Write, or fail."""
        self._ask("write", path)
        return self._store.write_new(path, data)

    def write_all_new(self, files: Mapping[StorePath, bytes]) -> frozenset[StorePath]:
        """Write one after another until one fails."""
        exists: frozenset[StorePath] = frozenset()
        for path, data in files.items():
            self._ask("write", path)
            exists |= self._store.write_all_new({path: data})
        return exists

    def delete_all(self, paths: Sequence[StorePath]) -> None:
        """Delete one after another until one fails."""
        for path in paths:
            self._ask("delete", path)
            self._store.delete_all([path])

    def _ask(self, what: str, path: StorePath) -> None:
        if self.fails(what, path):
            message = "no answer came"
            raise StoreUnavailable(message)
