"""Trust entries, as a controller's owner writes them. Source: Interfaces (trust)."""

from corbie.app.files.sealed import SealedFiles
from corbie.domain.cards import TrustEntry
from corbie.domain.errors import NotFound
from corbie.domain.names import PartyName
from corbie.domain.paths import trust_folder, trust_path
from corbie.domain.ports.store import Store


class TrustBook:
    """Writes, lists and deletes whom a controller trusts."""

    def __init__(self, *, store: Store, files: SealedFiles, controller: PartyName) -> None:
        """Hold the ports, as that controller."""
        self._store = store
        self._files = files
        self._controller = controller

    def put(self, entry: TrustEntry) -> None:
        """Trust a party with what the entry says, whatever was said before."""
        path = trust_path(self._controller, entry.card.name)
        self._store.write(path, self._files.compose(path, entry))

    def list_entries(self) -> list[TrustEntry]:
        """Give the entries, sorted by name.

        Raises:
            Untrusted: one fails a check.
        """
        entries = []
        for path in self._store.list_under(trust_folder(self._controller)):
            opened = self._files.read(path, TrustEntry)
            if opened is not None:
                entries.append(opened.record)
        return entries

    def remove(self, name: PartyName) -> None:
        """Trust a party no more.

        Raises:
            NotFound: it was not trusted.
        """
        path = trust_path(self._controller, name)
        if self._store.read(path) is None:
            message = f"{self._controller} does not trust {name}; see: corbie trust ls"
            raise NotFound(message)
        self._store.delete_all([path])
