"""One pass of a runner: claim what came, hand on what was said, report what ended.

A job is taken at most once, by a mark that is written only if it is new, and reported at most
once, by a message that bears its name. Source: Processes, Runner; The rules (Jobs).
"""

from dataclasses import dataclass
from functools import partial

from corbie.app.files.standing import PassStore
from corbie.app.runner.claim import Claimer
from corbie.app.runner.jobs import RunningJob, job_names
from corbie.app.runner.presence import Presence
from corbie.app.runner.report import Reporter
from corbie.domain.names import JobId
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.scripts import ScriptHost
from corbie.domain.ports.workers import Workers
from corbie.domain.times import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerPass:
    """What a pass did and leaves.

    `moved` counts the jobs it began or reported, `jobs` those under way; `is_busy` when another
    pass should begin at once; `due` when one is due at the latest, for what jobs said.
    """

    moved: int
    jobs: int
    is_busy: bool
    due: Instant | None


class RunnerCycle:
    """A runner, a pass at a time."""

    def __init__(  # noqa: PLR0913 - its parts, wired by name
        self,
        *,
        store: PassStore,
        clock: Clock,
        host: ScriptHost,
        workers: Workers,
        presence: Presence,
        claimer: Claimer,
        reporter: Reporter,
    ) -> None:
        """Begin with no job."""
        self._store = store
        self._clock = clock
        self._host = host
        self._workers = workers
        self._presence = presence
        self._claimer = claimer
        self._reporter = reporter
        self._jobs: dict[JobId, RunningJob] = {}

    def run_pass(self, *, claim: bool = True) -> RunnerPass:
        """Do one pass; with `claim` false no new job is begun.

        Raises:
            Unavailable: the store failed, or the pass took too long; another may begin.
        """
        self._store.begin()
        try:
            self._presence.tell(job_names(self._jobs))
            moved = self._report()
            begun = self._claim(room=self._workers.free() if claim else 0)
            # Workers that run a task at once, as in `corbie test`, have ended it already.
            moved += begun + self._report()
            self._claimer.sweep()
        finally:
            self._store.end()
        due = [job.flush_due() for job in self._jobs.values()]
        return RunnerPass(
            moved=moved,
            jobs=len(self._jobs),
            is_busy=begun > 0 and self._workers.free() > 0,
            due=min((one for one in due if one is not None), default=None),
        )

    @property
    def has_jobs(self) -> bool:
        """Whether a job is under way, or ended and is still to be reported."""
        return bool(self._jobs)

    def abort(self) -> None:
        """End every job under way; the next pass reports them."""
        for job, running in list(self._jobs.items()):
            running.is_aborted = True
            self._host.cancel(job)

    def leave(self) -> None:
        """Say that this copy of the runner ends; with jobs under way it must not be called."""
        self._presence.leave()

    def _claim(self, *, room: int) -> int:
        begun = self._claimer.claim(self._jobs, room=room, cancel=self._host.cancel)
        for running, sources in begun:
            self._jobs[running.order.job] = running
            self._workers.start(partial(running.run, self._host, sources))
        return len(begun)

    def _report(self) -> int:
        now = self._clock.now()
        # What has ended is looked at first: it says nothing more after that.
        ended = [job for job in self._jobs.values() if job.outcome is not None]
        due = [job for job in self._jobs.values() if job in ended or _is_due(job, now)]
        self._reporter.hand_on(due)
        self._reporter.report(ended)
        for job in ended:
            del self._jobs[job.order.job]
        return len(ended)


def _is_due(job: RunningJob, now: Instant) -> bool:
    due = job.flush_due()
    return due is not None and (now >= due or job.is_full)
