"""What `corbie test` can begin while everything else is still being imported.

The processes of scripts take longer to start than all that is imported here.
"""

import contextlib
import threading
import time
from dataclasses import dataclass

from corbie.adapters.clocks import SystemClock
from corbie.adapters.scripts.host import ProcessScriptHost
from corbie.app.testbed.agenda import TrialClock, VirtualClock, WaitingClock
from corbie.domain.errors import CorbieError
from corbie.domain.times import SECOND, Instant, Span

SEEDED_START = Instant(1_767_225_600 * SECOND)
"""When a trial with a seed begins, 2026 in UTC, so that the seed repeats it whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warm:
    """A trial's time, and the host of its scripts; the host is to be closed."""

    clock: TrialClock
    host: ProcessScriptHost


def start_warming(*, seed: int | None, is_real_time: bool) -> Warm:
    """Give both at once; the first job waits for what is not ready by then."""
    clock = _make_clock(seed, is_real_time=is_real_time)
    host = ProcessScriptHost(clock=clock)
    threading.Thread(target=_warm, args=(host,), daemon=True).start()
    return Warm(clock=clock, host=host)


def _make_clock(seed: int | None, *, is_real_time: bool) -> TrialClock:
    real = SystemClock()
    if is_real_time:
        return WaitingClock(real, _sleep)
    return VirtualClock(real.now() if seed is None else SEEDED_START)


def _sleep(span: Span) -> None:
    time.sleep(span / SECOND)


def _warm(host: ProcessScriptHost) -> None:
    # The first job tries again, and says what is wrong.
    with contextlib.suppress(CorbieError):
        host.warm()
