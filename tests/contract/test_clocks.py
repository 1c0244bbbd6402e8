"""The clock port's contract."""

from corbie.adapters.clocks import SystemClock
from corbie.domain.times import SECOND


def test_a_clock_never_goes_back() -> None:
    clock = SystemClock()

    seen = [clock.now() for _ in range(1_000)]

    assert seen == sorted(seen)
    assert seen[-1] - seen[0] < 10 * SECOND
