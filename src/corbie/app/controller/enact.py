"""Carry out a written step: its effects as files, then the run's status.

Safe to repeat, and repeated after every doubt: each file is named by the step and an index and
written only if it is new. Source: Processes, Controller (act; act_first, status_cas).
"""

from collections.abc import Mapping, Sequence
from itertools import islice

from corbie.app.controller.agenda import WakeAgenda
from corbie.app.controller.runs import Newest, Runs
from corbie.app.files.sealed import SealedFiles
from corbie.domain.errors import Changed
from corbie.domain.invariants import unreachable
from corbie.domain.names import PartyName, RunId, split_run_id
from corbie.domain.paths import (
    StorePath,
    finished_path,
    message_path,
    receipt_path,
    running_path,
    wake_path,
)
from corbie.domain.ports.store import Store, Version
from corbie.domain.records import (
    CancelJobMessage,
    JobMessage,
    Receipt,
    Status,
    StepRecord,
)
from corbie.domain.steps.effects import Answer, CancelJob, Effect, SetWake, StartJob
from corbie.domain.times import SKEW, later

STATUS_TRIES_MAX = 20
"""Writers of one status at once are the workers of one controller: a few."""

VERSIONS_MAX = 10_000
STATUS_JOBS_MAX = 1_000
"""More would not fit; who wants to know them all reads the newest step."""


class Enactor:
    """Writes what steps ask for."""

    def __init__(
        self,
        *,
        store: Store,
        files: SealedFiles,
        runs: Runs,
        agenda: WakeAgenda,
        controller: PartyName,
    ) -> None:
        """Hold the ports and the caches."""
        self._store = store
        self._files = files
        self._runs = runs
        self._agenda = agenda
        self._controller = controller
        self._versions: dict[RunId, Version] = {}

    def enact_newest(self, run: RunId, newest: Newest) -> None:
        """Act on a run's newest step unless this process did."""
        if newest.record is not None and not self._runs.is_enacted(run, newest):
            self.enact([newest.record], self.compose(newest.record))

    def compose(self, record: StepRecord) -> dict[StorePath, bytes]:
        """Give the files that a step asks for: its effects, and the status it begins or ends.

        Raises:
            ValueRefused: one would be larger than files of its kind may be.
        """
        files = dict(self._compose(record, effect) for effect in record.effects)
        is_ended = record.state.ended is not None
        if is_ended or record.number == 1:
            build = finished_path if is_ended else running_path
            path = build(self._controller, record.run)
            files[path] = self._files.compose(path, status_of(record))
        return files

    def enact(self, records: Sequence[StepRecord], files: Mapping[StorePath, bytes]) -> None:
        """Act on steps of different runs together: the files of all, then statuses."""
        self._store.write_all_new(files)
        ended = [record.run for record in records if record.state.ended is not None]
        for record in records:
            if record.state.ended is None:
                self._keep_running_status(record)
        if ended:
            self._store.delete_all([running_path(self._controller, run) for run in ended])
        for record in records:
            self._runs.mark_enacted(record.run, record.number)

    def _keep_running_status(self, record: StepRecord) -> None:
        """Bring the status under `running/` to this step, never back, never after the end."""
        path = running_path(self._controller, record.run)
        if record.number > 1:
            self._replace_status(path, record)
        # Whoever acts late on an early step may have brought back what the end deleted.
        if self._store.read(finished_path(self._controller, record.run)) is not None:
            self._store.delete_all([path])

    def _replace_status(self, path: StorePath, record: StepRecord) -> None:
        version = self._versions.pop(record.run, None)
        for _ in range(STATUS_TRIES_MAX):
            version = version or self._older_status(path, record)
            if version is None:
                return
            data = self._files.compose(path, status_of(record))
            try:
                written = self._store.write_unchanged(path, data, version)
            except Changed:
                version = None
            else:
                # A hint, and runs that another process ends stay in it: begun anew when full.
                if len(self._versions) >= VERSIONS_MAX:
                    self._versions.clear()
                self._versions[record.run] = written
                return

    def _older_status(self, path: StorePath, record: StepRecord) -> Version | None:
        """Give the version of the status that is there, None where it is not to be replaced.

        Step 1 made it: one that is missing now went with the end of the run.
        """
        read = self._files.read(path, Status)
        return None if read is None or read.record.step >= record.number else read.version

    def _compose(self, record: StepRecord, effect: Effect) -> tuple[StorePath, bytes]:
        match effect:
            case StartJob():
                order = effect.order
                path = message_path(effect.runner.name, self._controller, order.job)
                data = self._files.compose(
                    path,
                    JobMessage(order=order),
                    readers=[effect.runner],
                    until=later(order.due, SKEW),
                )
            case CancelJob():
                path = message_path(effect.runner.name, self._controller, f"{effect.job}~cancel")
                cancel = CancelJobMessage(job=effect.job, run=record.run, due=effect.due)
                data = self._files.compose(
                    path, cancel, readers=[effect.runner], until=later(effect.due, SKEW)
                )
            case SetWake():
                path = wake_path(self._controller, effect.due, record.run, effect.name)
                data = b""
                self._agenda.add(effect.due)
            case Answer():
                client, _ = split_run_id(record.run)
                path = receipt_path(self._controller, client, effect.message)
                data = self._files.compose(
                    path,
                    Receipt(run=record.run, answer=effect.text),
                    readers=[record.state.client],
                )
            case _:
                unreachable(effect)
        return path, data


def status_of(record: StepRecord) -> Status:
    """Give the status that a step's state shows to whoever may list runs."""
    state = record.state
    return Status(
        run=state.run,
        type=state.type,
        machine=state.machine,
        status=state.status,
        step=record.number,
        started=state.started,
        ended=state.ended,
        reason=None if state.failure is None else state.failure.status,
        key=state.key,
        labels=state.labels,
        jobs={
            job.name: job.runner.name if job.runner is not None else ""
            for job in islice(state.jobs.values(), STATUS_JOBS_MAX)
        },
    )
