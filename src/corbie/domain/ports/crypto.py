"""The mathematics: signatures, sealing and blobs.

Every failure to open or verify raises `CryptoFault`; "could not check" is one too.
"""

from collections.abc import Sequence
from typing import Protocol

from corbie.domain.cards import Card


class Signer(Protocol):
    """Signs as one party. Source: RFC 8032, Ed25519."""

    @property
    def card(self) -> Card:
        """The party's public side."""
        ...

    def sign(self, data: bytes) -> bytes:
        """Give the 64-byte signature of the data."""
        ...


class Verifier(Protocol):
    """Checks signatures."""

    def verify(self, card: Card, data: bytes, signature: bytes) -> None:
        """Return if the signature is the card's over exactly this data.

        Raises:
            CryptoFault: it is not, or the card's key is no key.
        """
        ...


class Sealer(Protocol):
    """Encrypts for readers. Source: The store, A file (line 2 and Sealing)."""

    def seal(self, data: bytes, bound: bytes, readers: Sequence[Card]) -> bytes:
        """Give line 2's bytes: the content under a fresh key, wrapped for each reader.

        `bound` is associated data (line 1), which `open` must be given again.
        """
        ...


class Opener(Protocol):
    """Decrypts as one party."""

    def open(self, sealed: bytes, bound: bytes) -> bytes:
        """Give the content that was sealed for this party among others.

        Raises:
            CryptoFault: it was not sealed for this party, or anything was altered.
        """
        ...


class BlobCipher(Protocol):
    """Encrypts blobs, each under a fresh key bound to its name. Source: The store, A file."""

    def encrypt(self, name: str, data: bytes) -> tuple[bytes, str]:
        """Give what to store, and the key as 64 hex digits."""
        ...

    def decrypt(self, name: str, stored: bytes, key: str) -> bytes:
        """Give the content back.

        Raises:
            CryptoFault: another name or key, or anything was altered, cut or reordered.
        """
        ...

    def digest(self, data: bytes) -> str:
        """Give the SHA-256 of the data in hex."""
        ...
