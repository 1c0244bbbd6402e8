"""Ed25519: signing as one party, and checking the signatures of others. Source: RFC 8032."""

from functools import lru_cache
from typing import NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from typing_extensions import override

from corbie.domain.cards import Card
from corbie.domain.errors import CryptoFault

KEY_BYTES = 32
CARDS_KEPT_MAX = 4096
"""Parsed public keys a verifier keeps; one is about 200 bytes."""

_FIELD = 2**255 - 19
_SIGN_BIT = 2**255
# The heights of the eight points whose multiples never leave them. A card with one of these
# would let anybody sign in its name. Source: RFC 8032, 5.1 (the curve's torsion of order 8).
_LOW_ORDER_Y = frozenset(
    {
        0,
        1,
        _FIELD - 1,
        0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
        0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
    }
)


class Ed25519Signer:
    """Signs as one party; holds its private key and never shows, copies or pickles it."""

    __slots__ = ("_card", "_private")

    def __init__(self, *, card: Card, private: Ed25519PrivateKey) -> None:
        """Hold the party's card and the private key that belongs to it."""
        self._card = card
        self._private = private

    @property
    def card(self) -> Card:
        """The party's public side."""
        return self._card

    def sign(self, data: bytes) -> bytes:
        """Give the 64-byte signature of the data."""
        return self._private.sign(data)

    @override
    def __repr__(self) -> str:
        """Name the party only."""
        return f"Ed25519Signer({self._card.name!r})"

    @override
    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied."""
        message = "a signer holds a private key and cannot be copied"
        raise TypeError(message)


class Ed25519Verifier:
    """Checks signatures; parses each card's key once."""

    def __init__(self) -> None:
        """Begin with no key parsed."""
        self._parse = lru_cache(maxsize=CARDS_KEPT_MAX)(parse_sign_key)

    def verify(self, card: Card, data: bytes, signature: bytes) -> None:
        """Return if the signature is the card's over exactly this data.

        Raises:
            CryptoFault: it is not, or the card's key is no key.
        """
        public = self._parse(card.sign)
        try:
            public.verify(signature, data)
        except InvalidSignature as error:
            message = f"the signature is not one by {card.name} over these bytes"
            raise CryptoFault(message) from error


def parse_sign_key(text: str) -> Ed25519PublicKey:
    """Read a card's signing key.

    Raises:
        CryptoFault: not 64 lower-case hex digits, or a point that anybody can sign for.
    """
    raw = parse_hex(text, what="a signing key")
    height = int.from_bytes(raw, "little") % _SIGN_BIT
    if height >= _FIELD or height in _LOW_ORDER_Y:
        message = "the signing key is a point that no party can own"
        raise CryptoFault(message)
    return Ed25519PublicKey.from_public_bytes(raw)


def parse_hex(text: str, *, what: str) -> bytes:
    """Read 32 bytes written as 64 lower-case hex digits.

    Raises:
        CryptoFault: another form.
    """
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        raw = b""
    if len(raw) != KEY_BYTES or raw.hex() != text:
        message = f"{what} must be 64 hex digits, in lower case"
        raise CryptoFault(message)
    return raw
