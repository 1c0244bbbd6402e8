"""What a run may use, and what is said when it uses more.

Source: Definitions, `limits:`.
"""

from dataclasses import dataclass

from corbie.domain.times import Span

JOBS_DEFAULT = 10_000
EVENTS_DEFAULT = 1_000_000
EMITS_DEFAULT = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one run; None lifts a bound.

    `timeout` is the run's whole time, `jobs` those it starts, `events` those it takes, `emits`
    the values that one job emits.
    """

    timeout: Span | None = None
    jobs: int | None = JOBS_DEFAULT
    events: int | None = EVENTS_DEFAULT
    emits: int | None = EMITS_DEFAULT
