"""Which runner gets a job. Source: Processes, Runners and places."""

from collections.abc import Sequence
from dataclasses import dataclass

from corbie.domain.cards import Card
from corbie.domain.names import JobId
from corbie.domain.times import SECOND, Instant, Span

ALIVE_WITHIN = Span(90 * SECOND)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerSeen:
    """A trusted runner as its trust entry and its `alive` files show it.

    `alive` is the newest of its copies' times, None where none is there; `held` counts the jobs
    they hold together.
    """

    card: Card
    tags: tuple[str, ...] = ()
    alive: Instant | None = None
    held: int = 0


def choose_runner(
    runners: Sequence[RunnerSeen], tags: Sequence[str], job: JobId, at: Instant
) -> RunnerSeen | None:
    """Give the runner for a job: all its tags, alive first, fewest jobs, then by hash."""
    fit = [runner for runner in runners if set(tags) <= set(runner.tags)]
    if not fit:
        return None
    return min(fit, key=lambda runner: _rank(runner, job, at))


def _rank(runner: RunnerSeen, job: JobId, at: Instant) -> tuple[bool, int, int]:
    is_alive = runner.alive is not None and at - runner.alive <= ALIVE_WITHIN
    return not is_alive, runner.held, _hash(f"{runner.card.name}/{job}")


def _hash(text: str) -> int:
    """Give FNV-1a of a text, 32 bits: the same in every process, unlike Python's `hash`."""
    value = 2_166_136_261
    for byte in text.encode():
        value = (value ^ byte) * 16_777_619 & 0xFFFF_FFFF
    return value
