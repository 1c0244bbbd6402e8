"""Content records as signed, sealed files and back: every check of a file, in one order.

Source: The store, A file; architecture, app (order of checks in `sealed.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from corbie.app.files.blobs import Home
from corbie.app.files.cardbook import CardBook
from corbie.app.files.large import LargeValues
from corbie.domain import envelopes
from corbie.domain.access import is_sealed, reader_names
from corbie.domain.cards import Card
from corbie.domain.errors import CryptoFault, Expired, Untrusted, ValueRefused
from corbie.domain.invariants import ensure
from corbie.domain.names import PartyName, RunId
from corbie.domain.paths import FileKind, PathParts, StorePath, parse_path
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.codecs import Codec
from corbie.domain.ports.crypto import Opener, Sealer, Signer, Verifier
from corbie.domain.ports.store import Store, Version
from corbie.domain.records import (
    Content,
    EmitBatch,
    JobMessage,
    ResultMessage,
    StartMessage,
    StepRecord,
)
from corbie.domain.times import Instant

R = TypeVar("R", bound=Content)

MESSAGE_LARGE_BYTES_MAX = 192 * 1024 * 1024
"""A result has an output and a failure's data of 64 MiB each; a batch one value and some."""

Codecs = Mapping[FileKind, Codec[Content]]
"""The codec of each kind of signed file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(Generic[R]):
    """A file that passed every check: its record, its writer, when it was sent and expires."""

    record: R
    by: PartyName
    sent: Instant
    until: Instant | None
    version: Version | None = None
    is_expired: bool = False


class SealedFiles:
    """Signed files, as one party reads and writes them."""

    def __init__(  # noqa: PLR0913 - each is one port, wired by name
        self,
        *,
        store: Store,
        signer: Signer,
        opener: Opener,
        verifier: Verifier,
        sealer: Sealer,
        codecs: Codecs,
        cards: CardBook,
        clock: Clock,
        large: LargeValues,
    ) -> None:
        """Hold the ports."""
        self._store = store
        self._signer = signer
        self._opener = opener
        self._verifier = verifier
        self._sealer = sealer
        self._codecs = codecs
        self._cards = cards
        self._clock = clock
        self._large = large

    def compose(
        self,
        path: StorePath,
        record: Content,
        *,
        readers: Sequence[Card] = (),
        until: Instant | None = None,
    ) -> bytes:
        """Give the signed file for a path, sealed for its readers if its kind is.

        Values of the record over 64 KiB are written as blobs first.

        Raises:
            ValueRefused: the content is larger than files of its kind may be.
        """
        parts = parse_path(path)
        head = envelopes.compose_head(
            envelopes.Header(
                by=self._signer.card.name,
                at=path,
                sent=self._clock.now(),
                until=until,
                sealed=is_sealed(parts.kind),
            )
        )
        content = self._encode(parts, record)
        if is_sealed(parts.kind):
            names = {card.name for card in readers}
            ensure(names == set(reader_names(parts)), f"{path} is sealed for its readers")
            content = self._sealer.seal(content, head, readers)
        signed = envelopes.compose_signed(head, content)
        return envelopes.join(signed, self._signer.sign(signed))

    def read(self, path: StorePath, expect: type[R]) -> Opened[R] | None:
        """Give the record at a path after every check, None where there is no file.

        Raises:
            Untrusted: a check failed; it says which.
        """
        stored = self._store.read(path)
        if stored is None:
            return None
        opened = self.open(path, stored.data)
        return Opened(
            record=require_record(path, opened.record, expect),
            by=opened.by,
            sent=opened.sent,
            until=opened.until,
            version=stored.version,
        )

    def open(
        self, path: StorePath, data: bytes, *, card: Card | None = None, late: bool = False
    ) -> Opened[Content]:
        """Give the record of a file as it was received, after every check.

        `card` is whom the file must be by, where its reader was told so; else the writer's card
        must be known. With `late`, a file past its `until` is opened all the same, and says so.

        Raises:
            Untrusted: a check failed; it says which. Expired: it is past its `until`.
        """
        parts = parse_path(path)
        header, lines = self._check(path, parts, data, card)
        is_expired = False
        try:
            envelopes.check_time(header, now=self._clock.now(), path=path)
        except Expired:
            if not late:
                raise
            is_expired = True
        envelopes.check_sealing(header, kind=parts.kind, path=path)
        content = self._unseal(path, header, lines)
        record = self._decode(path, parts, content)
        return Opened(
            record=record,
            by=header.by,
            sent=header.sent,
            until=header.until,
            is_expired=is_expired,
        )

    def check(self, path: StorePath, data: bytes) -> None:
        """Return if a file that is sealed for others passes every check but of time and content.

        Raises:
            Untrusted: a check failed; it says which.
        """
        parts = parse_path(path)
        header, _ = self._check(path, parts, data, None)
        envelopes.check_sealing(header, kind=parts.kind, path=path)

    def _check(
        self, path: StorePath, parts: PathParts, data: bytes, card: Card | None
    ) -> tuple[envelopes.Header, envelopes.Lines]:
        envelopes.check_size(data, kind=parts.kind, path=path)
        lines = envelopes.split(data, path=path)
        header = envelopes.read_header(lines.head, path=path)
        envelopes.check_place(header, path=path)
        envelopes.check_writer(header, parts=parts, path=path)
        self._verify(path, header, lines, card)
        return header, lines

    def _verify(
        self, path: StorePath, header: envelopes.Header, lines: envelopes.Lines, card: Card | None
    ) -> None:
        known = self._cards.card_of(header.by) if card is None else card
        if known is None or known.name != header.by:
            raise Untrusted(path=path, check="card", what=f"no card of {header.by} is known here")
        try:
            self._verifier.verify(known, lines.signed, lines.signature)
        except CryptoFault as error:
            raise Untrusted(path=path, check="signature", what=str(error)) from error

    def _unseal(self, path: StorePath, header: envelopes.Header, lines: envelopes.Lines) -> bytes:
        if not header.sealed:
            return lines.body
        try:
            return self._opener.open(lines.body, lines.head)
        except CryptoFault as error:
            raise Untrusted(path=path, check="opening", what=str(error)) from error

    def _encode(self, parts: PathParts, record: Content) -> bytes:
        data = self._codecs[parts.kind].encode(record)
        home = _home_of(parts, record)
        if home is not None and isinstance(record, _WITH_LARGE):
            data = self._large.lift(home, data, _blob_prefix(record))
        bytes_max = envelopes.content_size_max(parts.kind)
        if len(data) > bytes_max:
            message = f"the content for {parts.kind} has {len(data)} bytes; at most {bytes_max} fit"
            raise ValueRefused(message)
        return data

    def _decode(self, path: StorePath, parts: PathParts, data: bytes) -> Content:
        codec = self._codecs[parts.kind]
        try:
            record = codec.decode(data)
            large = record.large if isinstance(record, _WITH_LARGE) else {}
            home = _home_of(parts, record)
            if large and home is not None:
                bytes_max = None if isinstance(record, StepRecord) else MESSAGE_LARGE_BYTES_MAX
                lowered = self._large.lower(home, data, dict(large), bytes_max)
                record = codec.decode(lowered)
        except ValueRefused as error:
            raise Untrusted(path=path, check="content", what=str(error)) from error
        return record


def require_record(path: StorePath, record: Content, expect: type[R]) -> R:
    """Give the record if it is of this type.

    Raises:
        Untrusted: it is another content.
    """
    if not isinstance(record, expect):
        what = f"a {type(record).__name__} where a {expect.__name__} should be"
        raise Untrusted(path=path, check="content", what=what)
    return record


_WITH_LARGE = StartMessage | ResultMessage | JobMessage | StepRecord | EmitBatch


def _home_of(parts: PathParts, record: Content) -> Home | None:
    """Give the record that holds the blobs of a file."""
    if parts.kind in {"step", "emit"}:
        return Home(controller=PartyName(parts.owner), run=RunId(f"{parts.client}/{parts.run}"))
    if isinstance(record, JobMessage):
        return Home(controller=PartyName(parts.sender), run=record.order.run)
    if isinstance(record, StartMessage | ResultMessage):
        return Home(controller=PartyName(parts.owner), run=record.run)
    return None


def _blob_prefix(record: Content) -> str:
    """Give how the blobs of a file are named: a runner's are named by the job."""
    match record:
        case ResultMessage() | EmitBatch():
            return f"{record.job}."
        case StepRecord():
            return f"{record.number}."
        case _:
            return ""
