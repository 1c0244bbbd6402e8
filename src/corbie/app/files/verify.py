"""Every file of a store checked, as far as this computer's parties can.

Source: The store, Kinds of store (verify).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from corbie.app.files.blobs import BlobFiles, Home
from corbie.app.files.cardbook import CardBook
from corbie.app.files.sealed import SealedFiles
from corbie.domain.access import is_sealed, is_signed, reader_names
from corbie.domain.blobs import BlobRef
from corbie.domain.cards import TrustEntry
from corbie.domain.definitions.machine import Machine
from corbie.domain.errors import Untrusted, ValueRefused
from corbie.domain.names import PartyName, RunId
from corbie.domain.paths import WHOLE_STORE, PathParts, StorePath, blob_path, parse_path
from corbie.domain.ports.documents import DefinitionReader
from corbie.domain.ports.store import Store
from corbie.domain.records import StartMessage, Status, StepRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class BadFile:
    """A file that is not what it should be: the check it failed, and what that found."""

    path: StorePath
    check: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was found.

    `opened` counts files that passed every check; `by_signature` those sealed for others, of
    which everything but the content was checked; `blobs` those that opened; `unreached` the
    blobs that no file refers to which could be opened here.
    """

    opened: int
    by_signature: int
    blobs: int
    unreached: int
    bad: tuple[BadFile, ...]


@dataclass(slots=True)
class _Found:
    opened: int = 0
    by_signature: int = 0
    bad: list[BadFile] = field(default_factory=list)
    steps: dict[Home, list[int]] = field(default_factory=dict)
    blobs: dict[StorePath, bool] = field(default_factory=dict)
    refs: dict[tuple[Home, str], BlobRef] = field(default_factory=dict)
    definitions: dict[tuple[Home, str], BlobRef] = field(default_factory=dict)
    finished: dict[Home, int] = field(default_factory=dict)


class Verifying:
    """Reads a whole store as each of this computer's parties."""

    def __init__(
        self,
        *,
        store: Store,
        parties: Mapping[PartyName, SealedFiles],
        cards: CardBook,
        blobs: BlobFiles,
        reader: DefinitionReader[Machine],
    ) -> None:
        """Hold the ports; `parties` are those whose keys are here, all with the cards `cards`."""
        self._store = store
        self._parties = parties
        self._cards = cards
        self._blobs = blobs
        self._reader = reader

    def verify(self) -> Verification:
        """Check every file; nothing is changed."""
        found = _Found()
        paths = self._store.list_under(WHOLE_STORE)
        # Trust entries first: they hold the cards of the others.
        for path in sorted(paths, key=lambda one: "/trust/" not in one):
            try:
                self._check(path, found)
            except Untrusted as error:
                found.bad.append(BadFile(path=path, check=error.check, what=error.what))
            except ValueRefused as error:
                found.bad.append(BadFile(path=path, check="path", what=str(error)))
        self._check_blobs(found)
        found.bad.extend(_check_chains(found))
        return Verification(
            opened=found.opened,
            by_signature=found.by_signature,
            blobs=sum(found.blobs.values()),
            unreached=sum(not is_reached for is_reached in found.blobs.values()),
            bad=tuple(sorted(found.bad, key=lambda one: one.path)),
        )

    def _check(self, path: StorePath, found: _Found) -> None:
        parts = parse_path(path)
        home = Home(controller=PartyName(parts.owner), run=RunId(f"{parts.client}/{parts.run}"))
        if parts.kind == "blob":
            found.blobs[path] = False
            return
        if parts.kind == "finished":
            found.finished[home] = 0
        if parts.kind == "step":
            found.steps.setdefault(home, []).append(int(parts.name))
        stored = self._store.read(path)
        # One that is gone was deleted by a process meanwhile.
        if stored is None:
            return
        if not is_signed(parts.kind):
            _check_plain(path, parts, stored.data)
            return
        reader = self._reader_of(parts)
        if reader is None:
            self._any().check(path, stored.data)
            found.by_signature += 1
            return
        record = reader.open(path, stored.data, late=True).record
        found.opened += 1
        if isinstance(record, Status) and parts.kind == "finished":
            found.finished[home] = record.step
        if isinstance(record, TrustEntry):
            self._cards.add(record.card)
        if isinstance(record, StepRecord | StartMessage):
            _note_refs(found, record, PartyName(parts.owner))

    def _reader_of(self, parts: PathParts) -> SealedFiles | None:
        """Give the files of a party that can open this one, None if none of ours can."""
        if not is_sealed(parts.kind):
            return self._any()
        readers = (self._parties.get(PartyName(name)) for name in reader_names(parts))
        return next((one for one in readers if one is not None), None)

    def _any(self) -> SealedFiles:
        return next(iter(self._parties.values()))

    def _check_blobs(self, found: _Found) -> None:
        for (home, _), ref in found.refs.items():
            self._check_blob(home, ref, found)
        for (home, _), ref in found.definitions.items():
            data = self._check_blob(home, ref, found)
            for file in _files_of(self._reader, data, found, home, ref):
                self._check_blob(home, file, found)

    def _check_blob(self, home: Home, ref: BlobRef, found: _Found) -> bytes | None:
        path = blob_path(home.controller, home.run, ref.blob)
        try:
            data = self._blobs.read(home, ref)
        except Untrusted as error:
            found.blobs.pop(path, None)
            found.bad.append(BadFile(path=path, check=error.check, what=error.what))
            return None
        found.blobs[path] = True
        return data


def _files_of(
    reader: DefinitionReader[Machine],
    data: bytes | None,
    found: _Found,
    home: Home,
    ref: BlobRef,
) -> Sequence[BlobRef]:
    if data is None:
        return ()
    try:
        return tuple(reader.read_full_form(data).files.values())
    except ValueRefused as error:
        path = blob_path(home.controller, home.run, ref.blob)
        found.bad.append(BadFile(path=path, check="content", what=str(error)))
        return ()


def _note_refs(found: _Found, record: StepRecord | StartMessage, owner: PartyName) -> None:
    home = Home(controller=owner, run=record.run)
    for ref in record.large.values():
        found.refs[home, ref.blob] = ref
    definition = record.definition if isinstance(record, StartMessage) else record.state.definition
    found.definitions[home, definition.blob] = definition


def _check_plain(path: StorePath, parts: PathParts, data: bytes) -> None:
    if parts.kind == "wake" and data:
        raise Untrusted(path=path, check="content", what="a wake is an empty file")


def _check_chains(found: _Found) -> Iterator[BadFile]:
    """Name the steps that are missing. A record is deleted first step first, once it ended."""
    for home, numbers in found.steps.items():
        first = min(numbers) if home in found.finished else 1
        last = max(*numbers, found.finished.get(home, 0))
        missing = sorted(set(range(first, last + 1)) - set(numbers))
        if missing:
            shown = ", ".join(map(str, missing[:5]))
            path = StorePath(f"{home.controller}/records/{home.run}/steps/{missing[0]:08}")
            what = f"missing: the steps {shown}" if len(missing) > 1 else f"missing: step {shown}"
            yield BadFile(path=path, check="chain", what=what)
