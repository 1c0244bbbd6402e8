"""Sealing for readers: a content key per file, wrapped under what HPKE exports per reader.

HPKE is pyhpke's: `cryptography` seals and opens a little faster (78 and 47 µs against 103 and
72 here) but has no exporter, which the format needs; and both are kept out of the path by the
kept set-ups. Source: The store, A file (line 2 and Sealing); RFC 9180, 5.3.
"""

import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pyhpke import AEADId, CipherSuite, KDFId, KEMId, KEMKeyInterface, PyHPKEError
from typing_extensions import override

from corbie.adapters.crypto.signatures import KEY_BYTES, parse_hex
from corbie.domain.cards import CARD_ID_BYTES, Card, card_id
from corbie.domain.envelopes import READER_BYTES, READERS_MAX
from corbie.domain.errors import CryptoFault
from corbie.domain.ports.clock import Clock
from corbie.domain.times import HOUR, Instant

SUITE = CipherSuite.new(KEMId.DHKEM_X25519_HKDF_SHA256, KDFId.HKDF_SHA256, AEADId.AES256_GCM)
INFO = b"corbie/1/file"
EXPORT_CONTEXT = b"wrap"

NONCE_BYTES = 12
TAG_BYTES = 16

SETUP_FILES_MAX = 1_000_000
"""Random nonces of 96 bits under one wrapping key: a million leave a repeat to 1 in 2^57."""
SETUPS_KEPT_MAX = 4096

_FIELD = 2**255 - 19
_FOREIGN = (InvalidTag, ValueError, PyHPKEError)


@dataclass(slots=True)
class _Setup:
    """One HPKE set-up a writer keeps for a reader."""

    encapsulated: bytes
    wrapping: AESGCM
    made: Instant
    files: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    """One reader's part of a sealed text."""

    card: bytes
    encapsulated: bytes
    nonce: bytes
    wrapped: bytes


class HpkeSealer:
    """Encrypts for readers; keeps one set-up per reader for an hour or a million files."""

    def __init__(self, *, clock: Clock) -> None:
        """Begin with no set-up."""
        self._clock = clock
        self._setups: OrderedDict[str, _Setup] = OrderedDict()
        self._lock = Lock()

    def seal(self, data: bytes, bound: bytes, readers: Sequence[Card]) -> bytes:
        """Give line 2's bytes: the content under a fresh key, wrapped for each reader.

        Raises:
            CryptoFault: no reader or more than 16, or a reader's card holds no sealing key.
        """
        if not 1 <= len(readers) <= READERS_MAX:
            message = f"a file is sealed for 1 to {READERS_MAX} readers, not {len(readers)}"
            raise CryptoFault(message)
        content_key = os.urandom(KEY_BYTES)
        pieces = [bytes([len(readers)])]
        for reader in readers:
            setup = self._setup(reader)
            nonce = os.urandom(NONCE_BYTES)
            wrapped = setup.wrapping.encrypt(nonce, content_key, bound)
            pieces += (card_id(reader), setup.encapsulated, nonce, wrapped)
        nonce = os.urandom(NONCE_BYTES)
        pieces += (nonce, AESGCM(content_key).encrypt(nonce, data, bound))
        return b"".join(pieces)

    def _setup(self, reader: Card) -> _Setup:
        now = self._clock.now()
        with self._lock:
            setup = self._setups.pop(reader.seal, None)
            if (
                setup is None
                or setup.files >= SETUP_FILES_MAX
                or not setup.made <= now < setup.made + HOUR
            ):
                setup = _make_setup(reader.seal, now)
            setup.files += 1
            self._setups[reader.seal] = setup
            if len(self._setups) > SETUPS_KEPT_MAX:
                self._setups.popitem(last=False)
        return setup


class HpkeOpener:
    """Decrypts as one party; keeps what it derived from each encapsulated key that opened."""

    def __init__(self, *, card: Card, private: X25519PrivateKey) -> None:
        """Hold the party's card and the private key that belongs to it."""
        self._card = card
        self._card_id = card_id(card)
        self._private: KEMKeyInterface = SUITE.kem.deserialize_private_key(
            private.private_bytes_raw()
        )
        self._derived: OrderedDict[bytes, AESGCM] = OrderedDict()
        self._lock = Lock()

    def open(self, sealed: bytes, bound: bytes) -> bytes:
        """Give the content that was sealed for this party among others.

        Raises:
            CryptoFault: it was not sealed for this party, or anything was altered.
        """
        entries, nonce, ciphertext = _split(sealed)
        content_key = self._unwrap(entries, bound)
        try:
            return AESGCM(content_key).decrypt(nonce, ciphertext, bound)
        except InvalidTag as error:
            message = "the sealed content was altered"
            raise CryptoFault(message) from error

    def _unwrap(self, entries: Iterator[_Entry], bound: bytes) -> bytes:
        mine = [entry for entry in entries if entry.card == self._card_id]
        fault: Exception | None = None
        for entry in mine:
            try:
                wrapping = self._wrapping(entry.encapsulated)
                content_key = wrapping.decrypt(entry.nonce, entry.wrapped, bound)
            except _FOREIGN as error:
                fault = error
                continue
            # Kept only now: whoever cannot seal for this party cannot push out what is kept.
            self._keep(entry.encapsulated, wrapping)
            return content_key
        what = "the wrapped key was altered" if mine else f"it is not sealed for {self._card.name}"
        raise CryptoFault(what) from fault

    def _wrapping(self, encapsulated: bytes) -> AESGCM:
        with self._lock:
            wrapping = self._derived.get(encapsulated)
        if wrapping is None:
            context = SUITE.create_recipient_context(encapsulated, self._private, INFO)
            wrapping = AESGCM(context.export(EXPORT_CONTEXT, KEY_BYTES))
        return wrapping

    def _keep(self, encapsulated: bytes, wrapping: AESGCM) -> None:
        with self._lock:
            self._derived[encapsulated] = wrapping
            self._derived.move_to_end(encapsulated)
            if len(self._derived) > SETUPS_KEPT_MAX:
                self._derived.popitem(last=False)

    @override
    def __repr__(self) -> str:
        """Name the party only."""
        return f"HpkeOpener({self._card.name!r})"

    @override
    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied."""
        message = "an opener holds a private key and cannot be copied"
        raise TypeError(message)


def parse_seal_key(text: str) -> bytes:
    """Read a card's sealing key.

    Raises:
        CryptoFault: not 64 lower-case hex digits, a second spelling of a key, or a point with
            which every agreed secret is zero.
    """
    raw = parse_hex(text, what="a sealing key")
    message = "the sealing key is a point that no party can own"
    if int.from_bytes(raw, "little") >= _FIELD:
        raise CryptoFault(message)
    try:
        # Every private key is a multiple of eight, so any one shows a point of low order.
        X25519PrivateKey.from_private_bytes(b"\1" * KEY_BYTES).exchange(
            X25519PublicKey.from_public_bytes(raw)
        )
    except ValueError as error:
        raise CryptoFault(message) from error
    return raw


def _make_setup(seal_key: str, now: Instant) -> _Setup:
    public = SUITE.kem.deserialize_public_key(parse_seal_key(seal_key))
    encapsulated, context = SUITE.create_sender_context(public, INFO)
    wrapping = AESGCM(context.export(EXPORT_CONTEXT, KEY_BYTES))
    return _Setup(encapsulated=encapsulated, wrapping=wrapping, made=now)


def _split(sealed: bytes) -> tuple[Iterator[_Entry], bytes, bytes]:
    count = sealed[0] if sealed else 0
    end = 1 + count * READER_BYTES
    if not 1 <= count <= READERS_MAX or len(sealed) < end + NONCE_BYTES + TAG_BYTES:
        message = "it is too short to be sealed, or names no reader or too many"
        raise CryptoFault(message)
    entries = (_entry(sealed[at : at + READER_BYTES]) for at in range(1, end, READER_BYTES))
    return entries, sealed[end : end + NONCE_BYTES], sealed[end + NONCE_BYTES :]


def _entry(part: bytes) -> _Entry:
    enc_at, nonce_at = CARD_ID_BYTES, CARD_ID_BYTES + KEY_BYTES
    wrapped_at = nonce_at + NONCE_BYTES
    return _Entry(
        card=part[:enc_at],
        encapsulated=part[enc_at:nonce_at],
        nonce=part[nonce_at:wrapped_at],
        wrapped=part[wrapped_at:],
    )
