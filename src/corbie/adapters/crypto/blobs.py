"""Blobs: AES-256-GCM in chunks of 1 MiB, each blob under a key of its own.

Stored is a random 7-byte prefix, then each chunk with its 16-byte tag. A chunk's nonce is the
prefix, a 4-byte counter and one byte that is 1 for the last chunk, so that a chunk left out,
moved or added after the last is noticed; the name is associated data. A blob of at most 1 MiB
is its own last chunk: one form for both sizes, since with two a chunk of one could be passed off
as a whole of the other. Source: The store, A file; Hoang and others, "Online
Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance" (STREAM).
"""

import hashlib
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from corbie.adapters.crypto.signatures import KEY_BYTES, parse_hex
from corbie.domain.errors import CryptoFault

CHUNK_BYTES = 1024 * 1024
PREFIX_BYTES = 7
TAG_BYTES = 16
_COUNTER_BYTES = 4


class AesBlobCipher:
    """Encrypts blobs, each under a fresh key bound to its name."""

    def encrypt(self, name: str, data: bytes) -> tuple[bytes, str]:
        """Give what to store, and the key as 64 hex digits."""
        key, prefix = os.urandom(KEY_BYTES), os.urandom(PREFIX_BYTES)
        cipher, bound = AESGCM(key), name.encode()
        pieces = [prefix]
        with memoryview(data) as view:
            # An empty blob has one chunk too.
            for number, start in enumerate(range(0, max(len(view), 1), CHUNK_BYTES)):
                nonce = _nonce(prefix, number, last=start + CHUNK_BYTES >= len(view))
                pieces.append(cipher.encrypt(nonce, view[start : start + CHUNK_BYTES], bound))
        return b"".join(pieces), key.hex()

    def decrypt(self, name: str, stored: bytes, key: str) -> bytes:
        """Give the content back.

        Raises:
            CryptoFault: another name or key, or anything was altered, cut or reordered.
        """
        cipher, bound = AESGCM(parse_hex(key, what="a blob's key")), name.encode()
        prefix, pieces = stored[:PREFIX_BYTES], []
        if len(stored) < PREFIX_BYTES + TAG_BYTES:
            message = f"the blob {name} is too short to be one"
            raise CryptoFault(message)
        step = CHUNK_BYTES + TAG_BYTES
        with memoryview(stored) as view:
            for number, start in enumerate(range(PREFIX_BYTES, len(view), step)):
                nonce = _nonce(prefix, number, last=start + step >= len(view))
                try:
                    pieces.append(cipher.decrypt(nonce, view[start : start + step], bound))
                except InvalidTag as error:
                    message = f"the blob {name} was altered, or its key or name is another's"
                    raise CryptoFault(message) from error
        return b"".join(pieces)

    def digest(self, data: bytes) -> str:
        """Give the SHA-256 of the data in hex."""
        return hashlib.sha256(data).hexdigest()


def _nonce(prefix: bytes, number: int, *, last: bool) -> bytes:
    return prefix + number.to_bytes(_COUNTER_BYTES, "big") + bytes([last])
