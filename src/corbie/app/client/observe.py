"""Statuses, steps and what jobs said, of a client's own runs.

Source: Processes, Client; Interfaces (RUN); The store, A file (who may have written what).
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corbie.app.files.sealed import SealedFiles, require_record
from corbie.domain.cards import Card
from corbie.domain.errors import NotFound, Untrusted
from corbie.domain.names import JobId, PartyName, RunId
from corbie.domain.orders import Emitted
from corbie.domain.paths import (
    StorePath,
    emits_folder,
    finished_folder,
    finished_path,
    parse_path,
    running_folder,
    running_path,
    step_path,
    steps_folder,
)
from corbie.domain.ports.store import Store
from corbie.domain.records import EmitBatch, Status, StepRecord
from corbie.domain.steps.effects import StartJob

LAST = "last"
SHOWN_MAX = 5

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One thing a job said: the job's name as its author wrote it, and the job's ID."""

    job: JobId
    name: str
    emitted: Emitted


class Observer:
    """Reads the runs of one client."""

    def __init__(
        self, *, store: Store, files: SealedFiles, client: PartyName, controller: PartyName
    ) -> None:
        """Hold the ports, who reads, and whose records."""
        self._store = store
        self._files = files
        self._client = client
        self._controller = controller

    def find_run(self, text: str) -> RunId:
        """Give the run that a person means.

        An ID, its part after the slash, a unique ending of it, or `last`.

        Raises:
            NotFound: no run, or several, fit.
        """
        if text.startswith(f"{self._client}/") and self.read_status(RunId(text)) is not None:
            return RunId(text)
        runs = sorted({f"{self._client}/{parse_path(path).run}" for path in self._paths()})
        if not runs:
            message = f"{self._client} has no runs yet; start one: corbie run submit FILE"
            raise NotFound(message)
        if text == LAST:
            return RunId(runs[-1])
        found = [run for run in runs if run.endswith(text)] if text else []
        if len(found) == 1:
            return RunId(found[0])
        if found:
            shown = ", ".join(found[-SHOWN_MAX:])
            message = f'{len(found)} runs end in "{text}": {shown}; write more of the ID'
        else:
            message = f'no run of {self._client} ends in "{text}"; see: corbie run ls'
        raise NotFound(message)

    def list_statuses(self, *, is_running: bool = True, is_finished: bool = True) -> list[Status]:
        """Give the statuses of runs, oldest first; one that fails a check is passed over."""
        statuses: dict[RunId, Status] = {}
        for path in self._paths(is_running=is_running, is_finished=is_finished):
            try:
                opened = self._files.read(path, Status)
            except Untrusted as error:
                _log.warning("a status is passed over: %s", error)
                continue
            # A finished status wins over one under `running/` that is still to be deleted.
            if opened is not None:
                statuses.setdefault(opened.record.run, opened.record)
        return [statuses[run] for run in sorted(statuses)]

    def read_status(self, run: RunId) -> Status | None:
        """Give a run's status, None for a run that is not there (yet).

        Raises:
            Untrusted: it fails a check.
        """
        for path in (finished_path(self._controller, run), running_path(self._controller, run)):
            opened = self._files.read(path, Status)
            if opened is not None:
                return opened.record
        return None

    def read_step(self, run: RunId, number: int) -> StepRecord | None:
        """Give one step, None where it is not there.

        Raises:
            Untrusted: it fails a check.
        """
        opened = self._files.read(step_path(self._controller, run, number), StepRecord)
        return None if opened is None else opened.record

    def newest_step(self, run: RunId) -> StepRecord:
        """Give the newest step of a run.

        Raises:
            NotFound: the run has no step yet, or its newest was deleted.
            Untrusted: a file fails a check.
        """
        status = self.read_status(run)
        number = 1 if status is None else max(1, status.step)
        newest = self.read_step(run, number)
        while newest is not None and newest.state.ended is None:
            after = self.read_step(run, newest.number + 1)
            if after is None:
                break
            newest = after
        if newest is None and status is not None:
            raise _missing(run, number)
        if newest is None:
            message = f"the run {run} has no record yet"
            raise NotFound(message)
        return newest

    def list_steps(self, run: RunId) -> Iterator[StepRecord]:
        """Give the steps of a run in order.

        Raises:
            NotFound: one was deleted. Untrusted: one fails a check.
        """
        paths = self._store.list_under(steps_folder(self._controller, run))
        for number, path in enumerate(paths, 1):
            opened = self._files.read(path, StepRecord) if path.endswith(f"{number:08}") else None
            if opened is None:
                raise _missing(run, number)
            yield opened.record

    def require_next(self, run: RunId, number: int) -> None:
        """Return unless a run's next step after this one can never be read any more.

        Raises:
            NotFound: it was deleted, alone or with the run's whole record.
        """
        status = self.read_status(run)
        # A status is written after its steps: they are looked for once more, now.
        if status is not None and status.step > number:
            if self.read_step(run, number + 1) is None:
                raise _missing(run, number + 1)
        elif status is None and number and self.read_step(run, number) is None:
            message = f"the record of the run {run} was deleted"
            raise NotFound(message)

    def list_said(self, run: RunId, job: str | None = None) -> list[Said]:
        """Give what the jobs of a run said, in order of time, of one job by name or of all.

        A batch by a runner that was not sent the job is ignored.

        Raises:
            NotFound: a step was deleted. Untrusted: one fails a check.
        """
        return SaidReader(self, run, job).read_new(self.read_status(run))

    def list_job_said(self, started: StartJob) -> list[Said]:
        """Give what a job said that this effect of a step started, in its order."""
        order = started.order
        return [
            said
            for path in self.list_batches(order.run, order.job)
            for said in self.read_batch(path, started)
        ]

    def list_batches(self, run: RunId, job: JobId | None = None) -> Sequence[StorePath]:
        """Give the paths of what the jobs of a run said, or one job, each job's in order."""
        return self._store.list_under(emits_folder(self._controller, run, job))

    def read_batch(self, path: StorePath, started: StartJob) -> list[Said]:
        """Give what one file holds of what the job said that this effect started."""
        order = started.order
        return [
            Said(job=order.job, name=order.name, emitted=emitted)
            for emitted in self._open_batch(path, started.runner)
        ]

    def _open_batch(self, path: StorePath, runner: Card) -> tuple[Emitted, ...]:
        stored = self._store.read(path)
        if stored is None:
            return ()
        try:
            opened = self._files.open(path, stored.data, card=runner)
            return require_record(path, opened.record, EmitBatch).emitted
        except Untrusted as error:
            _log.warning("what a job said is passed over: %s", error)
            return ()

    def _paths(self, *, is_running: bool = True, is_finished: bool = True) -> list[StorePath]:
        """Give the paths of statuses, finished ones first."""
        paths: list[StorePath] = []
        if is_finished:
            paths += self._store.list_under(finished_folder(self._controller, self._client))
        if is_running:
            paths += self._store.list_under(running_folder(self._controller, self._client))
        return paths


class SaidReader:
    """Reads what the jobs of a run say, or those of one name, each thing once."""

    def __init__(self, observer: Observer, run: RunId, job: str | None) -> None:
        """Begin with nothing read."""
        self._observer = observer
        self._run = run
        self._job = job
        self.step = 0
        self._started: dict[str, StartJob] = {}
        self._seen: set[StorePath] = set()

    def read_new(self, status: Status | None) -> list[Said]:
        """Give what was said since the last time, in order of time; `status` was read just now.

        Raises:
            NotFound: a step that the status tells of was deleted. Untrusted: one fails a check.
        """
        self._read_steps(0 if status is None else status.step)
        said: list[Said] = []
        for path in self._observer.list_batches(self._run):
            started = self._started.get(parse_path(path).sender)
            if started is not None and path not in self._seen:
                self._seen.add(path)
                said += self._observer.read_batch(path, started)
        # Stable: what one job said stays in its order.
        return sorted(said, key=lambda one: one.emitted.at)

    def _read_steps(self, least: int) -> None:
        record = self._observer.read_step(self._run, self.step + 1)
        while record is not None:
            self.step = record.number
            for effect in record.effects:
                if isinstance(effect, StartJob):
                    order = effect.order
                    if self._job in {None, order.name, order.job}:
                        self._started[order.job] = effect
            record = self._observer.read_step(self._run, self.step + 1)
        if self.step < least:
            raise _missing(self._run, self.step + 1)


def _missing(run: RunId, number: int) -> NotFound:
    return NotFound(f"step {number} of the run {run} is missing: its file was deleted")
