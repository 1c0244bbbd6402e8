"""The computer's clock, made to keep the port's promise."""

import time
from threading import Lock

from corbie.domain.times import Instant


class SystemClock:
    """The wall clock; it stands still where the computer's own clock is set back."""

    def __init__(self) -> None:
        """Start with no instant seen."""
        self._lock = Lock()
        self._latest = Instant(0)

    def now(self) -> Instant:
        """Give the present instant, never before one given earlier."""
        with self._lock:
            self._latest = max(self._latest, Instant(time.time_ns()))
            return self._latest
