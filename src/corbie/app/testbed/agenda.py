"""The time of a trial: virtual, or the computer's own.

Virtual time stands still while anything happens, then jumps to what is due next.
"""

from collections.abc import Callable
from typing import Protocol

from corbie.domain.ports.clock import Clock
from corbie.domain.times import SECOND, Instant, Span

SLEEP_MAX = Span(SECOND)
"""How long a trial in real time waits at most without looking."""


class TrialClock(Clock, Protocol):
    """A `Clock` that can move on, or wait, until an instant."""

    def advance_to(self, instant: Instant) -> None:
        """Let time pass until the instant, or some way towards it."""
        ...


class VirtualClock:
    """A `TrialClock` that only `advance_to` moves."""

    def __init__(self, start: Instant) -> None:
        """Begin at an instant."""
        self._now = start

    def now(self) -> Instant:
        """Give the instant that was advanced to last."""
        return self._now

    def advance_to(self, instant: Instant) -> None:
        """Move on to an instant; one that passed changes nothing."""
        self._now = max(self._now, instant)


class WaitingClock:
    """A `TrialClock` on a real one: time passes by itself, and `advance_to` waits for it."""

    def __init__(self, clock: Clock, sleep: Callable[[Span], None]) -> None:
        """Hold the clock, and how to wait."""
        self._clock = clock
        self._sleep = sleep

    def now(self) -> Instant:
        """Give the real clock's instant."""
        return self._clock.now()

    def advance_to(self, instant: Instant) -> None:
        """Wait until the instant, at most a second at once."""
        left = instant - self._clock.now()
        if left > 0:
            self._sleep(Span(min(left, SLEEP_MAX)))
