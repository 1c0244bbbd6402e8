"""What jobs said, and how they ended, as files.

Source: Processes, Runner; The rules (result_name).
"""

from collections.abc import Mapping, Sequence

from corbie.app.files.sealed import SealedFiles
from corbie.app.runner.jobs import RunningJob
from corbie.domain.cards import Card
from corbie.domain.errors import ValueRefused
from corbie.domain.names import JobId, PartyName, RunId
from corbie.domain.orders import Emitted, JobOutcome
from corbie.domain.paths import StorePath, emit_path, message_path
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.store import Store
from corbie.domain.records import EmitBatch, ResultMessage

RESULT_TOO_LARGE = "the job's outcome does not fit its message"


class Reporter:
    """Writes a runner's emits and results."""

    def __init__(
        self,
        *,
        store: Store,
        files: SealedFiles,
        runner: PartyName,
        controllers: Mapping[PartyName, Card],
        clock: Clock,
    ) -> None:
        """Hold the ports and the cards of the controllers this runner works for."""
        self._store = store
        self._files = files
        self._runner = runner
        self._controllers = controllers
        self._clock = clock
        # Batches of a write that failed: what was said is not said again.
        self._unwritten: dict[StorePath, bytes] = {}

    def hand_on(self, jobs: Sequence[RunningJob]) -> None:
        """Write what these jobs said and was not yet written."""
        for job in jobs:
            if job.dropped and job.outcome is not None:
                job.say(self._dropped(job))
            while job.said:
                job.batches += 1
                path = emit_path(job.controller, job.order.run, job.order.job, job.batches)
                batch = EmitBatch(job=job.order.job, emitted=job.take_batch())
                readers = [self._controllers[job.controller], job.order.client]
                self._unwritten[path] = self._files.compose(path, batch, readers=readers)
        if self._unwritten:
            self._store.write_all_new(self._unwritten)
            self._unwritten.clear()

    def report(self, jobs: Sequence[RunningJob]) -> None:
        """Write how these jobs ended, then delete their messages."""
        if not jobs:
            return
        files: dict[StorePath, bytes] = {}
        for job in jobs:
            order, outcome = job.order, job.final_outcome()
            path, data = self._compose_result(job.controller, order.job, order.run, outcome)
            files[path] = data
        self._store.write_all_new(files)
        self._store.delete_all([job.message for job in jobs])

    def write_result(
        self, controller: PartyName, job: JobId, run: RunId, outcome: JobOutcome
    ) -> None:
        """Say how a job ended that is not under way here, unless that was said."""
        path, data = self._compose_result(controller, job, run, outcome)
        self._store.write_all_new({path: data})

    def _compose_result(
        self, controller: PartyName, job: JobId, run: RunId, outcome: JobOutcome
    ) -> tuple[StorePath, bytes]:
        """Give the message that says how a job ended."""
        path = message_path(controller, self._runner, job)
        readers = [self._controllers[controller]]
        try:
            message = ResultMessage(job=job, run=run, outcome=outcome)
            return path, self._files.compose(path, message, readers=readers)
        except ValueRefused as error:
            failed = JobOutcome(status="error", error=f"{RESULT_TOO_LARGE}: {error}")
            message = ResultMessage(job=job, run=run, outcome=failed)
            return path, self._files.compose(path, message, readers=readers)

    def _dropped(self, job: RunningJob) -> Emitted:
        text = f"{job.dropped} more lines or values were dropped: a job may say 64 MiB"
        job.dropped = 0
        return Emitted(at=self._clock.now(), level="warn", value=text)
