"""When this process next has something due: the wakes that it set or saw, earliest first.

A memory of times only; wakes of other processes are found by listing, every interval.
"""

import heapq

from corbie.domain.times import Instant

TIMES_MAX = 100_000


class WakeAgenda:
    """Times of wakes, each once."""

    def __init__(self) -> None:
        """Begin with none."""
        self._times: list[Instant] = []
        self._known: set[Instant] = set()

    def add(self, due: Instant) -> None:
        """Remember a time; beyond a hundred thousand, polling finds the rest."""
        if due not in self._known and len(self._times) < TIMES_MAX:
            self._known.add(due)
            heapq.heappush(self._times, due)

    def next_after(self, now: Instant) -> Instant | None:
        """Give the first time after now, forgetting those that passed."""
        while self._times and self._times[0] <= now:
            self._known.discard(heapq.heappop(self._times))
        return self._times[0] if self._times else None
