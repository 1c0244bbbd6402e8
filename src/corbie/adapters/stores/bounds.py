"""What every store of this package refuses to write."""

from corbie.domain.errors import ValueRefused
from corbie.domain.paths import StorePath, parse_path
from corbie.domain.ports.store import FILE_BYTES_MAX


def require_writable(path: StorePath, data: bytes) -> None:
    """Return if this can be a file of a store.

    Raises:
        ValueRefused: the path is of no kind of file, or the data is too large.
    """
    parse_path(path)
    if len(data) > FILE_BYTES_MAX:
        message = f"{path} would have {len(data)} bytes; a file of a store has at most 72 MiB"
        raise ValueRefused(message)
