"""Content records to bytes and back."""

from typing import Protocol, TypeVar

T = TypeVar("T")


class Codec(Protocol[T]):
    """One kind of content record; decode(encode(x)) = x."""

    def encode(self, record: T) -> bytes:
        """Give the record as compact JSON in UTF-8, with numbers as JavaScript writes them."""
        ...

    def decode(self, data: bytes) -> T:
        """Give the record back.

        Raises:
            ValueRefused: not such a record; says where.
        """
        ...
