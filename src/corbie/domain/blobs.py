"""References to blobs: large values, definitions and scripts, each under a key of its own.

A reference is written only inside sealed files. Source: The store, A file.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobRef:
    """Where a blob is in its run's record, and what opens it.

    `key` is 32 bytes as 64 hex digits, `sha256` the digest of the content in hex, `size` the
    bytes of the content before encryption.
    """

    blob: str
    key: str
    size: int
    sha256: str
    type: str = ""
