"""Runs whose expressions once held up the process that evaluated them.

Source: Values and expressions, What it may use (a built-in under way).
"""

from contextlib import AbstractContextManager
from typing import Protocol

from corbie.domain.names import RunId


class Suspects(Protocol):
    """Remembers, over the death of the process, which run it was evaluating."""

    def watching(self, run: RunId) -> AbstractContextManager[bool]:
        """Say that a run is evaluated until the block ends; gives whether it is a suspect."""
        ...

    def clear(self, run: RunId) -> None:
        """Suspect a run no more."""
        ...
