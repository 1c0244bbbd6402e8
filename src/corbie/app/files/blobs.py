"""Large values, definitions and scripts as encrypted blobs of a run, and references to them.

Source: The store, A file (blobs).
"""

from collections import OrderedDict
from dataclasses import dataclass

from corbie.domain.blobs import BlobRef
from corbie.domain.errors import CryptoFault, Untrusted
from corbie.domain.names import PartyName, RunId
from corbie.domain.paths import StorePath, blob_path
from corbie.domain.ports.crypto import BlobCipher
from corbie.domain.ports.entropy import Entropy
from corbie.domain.ports.store import Store

CACHE_BYTES_MAX = 32 * 1024 * 1024
"""Definitions and scripts are read again and again; a blob never changes under its digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The record that holds a blob."""

    controller: PartyName
    run: RunId


class BlobFiles:
    """The blobs of runs, by the controller and the run whose record holds them."""

    def __init__(self, *, store: Store, cipher: BlobCipher, entropy: Entropy) -> None:
        """Keep what was read, up to 32 MiB, for the next reader of the same content."""
        self._store = store
        self._cipher = cipher
        self._entropy = entropy
        self._cache: OrderedDict[str, bytes] = OrderedDict()
        self._cached_bytes = 0

    def prepare(
        self, home: Home, data: bytes, prefix: str = "", kind: str = ""
    ) -> tuple[BlobRef, StorePath, bytes]:
        """Encrypt content under a new name; give its reference, its path and what to store."""
        name = f"{prefix}{self._entropy.digits(16)}"
        stored, key = self._cipher.encrypt(name, data)
        digest = self._cipher.digest(data)
        ref = BlobRef(blob=name, key=key, size=len(data), sha256=digest, type=kind)
        return ref, blob_path(home.controller, home.run, name), stored

    def digest(self, data: bytes) -> str:
        """Give the SHA-256 of content in hex."""
        return self._cipher.digest(data)

    def write(self, home: Home, data: bytes, prefix: str = "") -> BlobRef:
        """Store content as a new blob of a run."""
        ref, path, stored = self.prepare(home, data, prefix)
        self._store.write_new(path, stored)
        return ref

    def read(self, home: Home, ref: BlobRef) -> bytes:
        """Give the content of a blob.

        Raises:
            Untrusted: it is missing, does not open with its key, or is other content.
        """
        kept = self._cache.get(ref.sha256)
        if kept is not None:
            self._cache.move_to_end(ref.sha256)
            return kept
        path = blob_path(home.controller, home.run, ref.blob)
        stored = self._store.read(path)
        if stored is None:
            raise Untrusted(path=path, check="presence", what="the blob is not there")
        try:
            data = self._cipher.decrypt(ref.blob, stored.data, ref.key)
        except CryptoFault as error:
            raise Untrusted(path=path, check="opening", what=str(error)) from error
        if len(data) != ref.size or self._cipher.digest(data) != ref.sha256:
            raise Untrusted(path=path, check="content", what="not what its reference names")
        self._keep(ref.sha256, data)
        return data

    def _keep(self, digest: str, data: bytes) -> None:
        if len(data) > CACHE_BYTES_MAX // 4:
            return
        self._cache[digest] = data
        self._cached_bytes += len(data)
        while self._cached_bytes > CACHE_BYTES_MAX:
            _, dropped = self._cache.popitem(last=False)
            self._cached_bytes -= len(dropped)
