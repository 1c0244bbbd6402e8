"""When a run must be looked at again. Source: Processes, Controller (jobs, due_in_step)."""

from collections.abc import Iterable

from corbie.domain.definitions.machine import Machine
from corbie.domain.placing import RunnerSeen, choose_runner
from corbie.domain.steps.state import JobState, RunState
from corbie.domain.times import SECOND, SKEW, Instant, Span, later

RUNNER_SLACK = Span(SKEW + 20 * SECOND)
"""How long after a job's due time its runner, whose clock may differ, is given to say so."""


def job_deadline(job: JobState) -> Instant:
    """Give when a job is looked at: a sent one past its due time, a waiting one again."""
    return later(job.due, RUNNER_SLACK) if job.status == "sent" else job.due


def next_look(jobs: Iterable[JobState], timeout: Instant | None) -> Instant | None:
    """Give the earliest time at which a timer can matter to a running run, None for never.

    `jobs` are those under way, `timeout` the end of the run's whole time, if it has one.
    """
    times = [job_deadline(job) for job in jobs]
    if timeout is not None:
        times.append(timeout)
    return min(times, default=None)


def timer_matters(
    state: RunState, machine: Machine, runners: tuple[RunnerSeen, ...], at: Instant
) -> bool:
    """Tell whether a step taken for a timer now would change anything but the wake."""
    if state.ended is not None:
        return False
    if state.timeout is not None and state.timeout <= at:
        return True
    for job, held in state.jobs.items():
        if held.status == "sent" and job_deadline(held) <= at:
            return True
        if held.status == "waiting":
            tags = machine.body.stages[held.name].job.runner
            if choose_runner(runners, tags, job, at) is not None:
                return True
    return False
