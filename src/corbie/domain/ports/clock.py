"""Time as the core reads it."""

from typing import Protocol

from corbie.domain.times import Instant


class Clock(Protocol):
    """What time it is; never goes back within a process."""

    def now(self) -> Instant:
        """Give the present instant."""
        ...
