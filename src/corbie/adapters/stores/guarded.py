"""Any store as one party may use it: the access table, enforced.

Source: The store, Who may read and write.
"""

from collections.abc import Mapping, Sequence

from corbie.adapters.stores.watching import WatchedStore
from corbie.domain.access import Action, Party, permits, permits_listing
from corbie.domain.errors import NotAllowed
from corbie.domain.paths import StorePath, parse_path, require_folder
from corbie.domain.ports.store import Stored, StoreWatch, Version


class GuardedStore:
    """A `Store` that raises NotAllowed for what the table does not give its party.

    A call on several paths is refused whole if one of them is.
    """

    def __init__(self, store: WatchedStore, party: Party) -> None:
        """Guard a store for a party."""
        self._store = store
        self._party = party

    def read(self, path: StorePath) -> Stored | None:
        """Give a file; needs `read`."""
        self._require("read", path)
        return self._store.read(path)

    def list_under(self, folder: StorePath, *, up_to: str | None = None) -> Sequence[StorePath]:
        """List a folder that holds nothing but what the party may read."""
        self._require_listing(folder)
        return self._store.list_under(folder, up_to=up_to)

    def write(self, path: StorePath, data: bytes) -> Version:
        """Write a file; needs `replace`."""
        self._require("replace", path)
        return self._store.write(path, data)

    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        """Replace a file that still has this version; needs `replace`."""
        self._require("replace", path)
        return self._store.write_unchanged(path, data, version)

    def write_new(self, path: StorePath, data: bytes) -> Version:
        """Write a file where there is none; needs `add`."""
        self._require("add", path)
        return self._store.write_new(path, data)

    def write_all_new(self, files: Mapping[StorePath, bytes]) -> frozenset[StorePath]:
        """Write each file where there is none; needs `add` for each."""
        for path in files:
            self._require("add", path)
        return self._store.write_all_new(files)

    def delete_all(self, paths: Sequence[StorePath]) -> None:
        """Delete files; needs `delete` for each."""
        for path in paths:
            self._require("delete", path)
        self._store.delete_all(paths)

    def watch(self, folders: Sequence[StorePath]) -> StoreWatch:
        """Watch folders that the party may list."""
        for folder in folders:
            self._require_listing(folder)
        return self._store.watch(folders)

    def _require(self, action: Action, path: StorePath) -> None:
        if not permits(self._party, action, parse_path(path)):
            raise NotAllowed(party=self._party.name, action=action, path=path)

    def _require_listing(self, folder: StorePath) -> None:
        require_folder(folder)
        if not permits_listing(self._party, folder):
            raise NotAllowed(party=self._party.name, action="list", path=folder)
