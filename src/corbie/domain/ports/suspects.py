"""Runs whose expressions once held up the process that evaluated them.

Source: Values and expressions, What it may use (a built-in under way).
"""

from typing import Protocol

from corbie.domain.names import RunId


class Suspects(Protocol):
    """Remembers, over the death of the process, which run it was evaluating."""

    def begin(self, run: RunId) -> bool:
        """Say that a run is evaluated from here to `end`; tells whether it is a suspect."""
        ...

    def end(self) -> None:
        """Say that nothing is evaluated."""
        ...

    def clear(self, run: RunId) -> None:
        """Suspect a run no more."""
        ...
