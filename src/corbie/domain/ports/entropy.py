"""Chance: names and nonces that must not repeat."""

from typing import Protocol


class Entropy(Protocol):
    """A source of names; a seeded one repeats itself exactly."""

    def digits(self, count: int) -> str:
        """Give so many hex digits that nobody can foretell and that do not repeat."""
        ...
