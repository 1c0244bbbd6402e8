"""Every check of a file in order, on real cryptography: what the frozen files are held to."""

from dataclasses import dataclass

from corbie.adapters.crypto.signatures import Ed25519Verifier
from corbie.domain import envelopes
from corbie.domain.cards import Card
from corbie.domain.errors import CryptoFault, Untrusted, ValueRefused
from corbie.domain.paths import StorePath, parse_path
from corbie.domain.ports.crypto import Opener
from corbie.domain.times import Instant
from corbie.domain.values import JsonValue, parse_json


@dataclass(frozen=True, kw_only=True)
class Reader:
    """One party that reads at one time, and the cards it knows by name."""

    opener: Opener
    cards: dict[str, Card]
    now: Instant

    def read(self, data: bytes, path: StorePath) -> JsonValue:
        """Give the content, or raise `Untrusted` with the check that failed."""
        parts = parse_path(path)
        envelopes.check_size(data, kind=parts.kind, path=path)
        lines = envelopes.split(data, path=path)
        header = envelopes.read_header(lines.head, path=path)
        envelopes.check_place(header, path=path)
        envelopes.check_writer(header, parts=parts, path=path)
        card = self.cards.get(header.by)
        if card is None:
            raise Untrusted(path=path, check="card", what=f"{header.by} has no card")
        try:
            Ed25519Verifier().verify(card, lines.signed, lines.signature)
        except CryptoFault as error:
            raise Untrusted(path=path, check="signature", what=str(error)) from error
        envelopes.check_time(header, now=self.now, path=path)
        envelopes.check_sealing(header, kind=parts.kind, path=path)
        try:
            content = self.opener.open(lines.body, lines.head) if header.sealed else lines.body
        except CryptoFault as error:
            raise Untrusted(path=path, check="opening", what=str(error)) from error
        try:
            return parse_json(content)
        except ValueRefused as error:
            raise Untrusted(path=path, check="content", what=str(error)) from error
