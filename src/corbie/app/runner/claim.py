"""Job messages to marks under `taken/`, only-if-new; cancels; and what a crash left.

Source: Processes, Runner; The rules (taken_long, in_progress, cancel_marks).
"""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from corbie.app.files.blobs import BlobFiles, Home
from corbie.app.files.sealed import SealedFiles
from corbie.app.runner.jobs import LOST, RunningJob
from corbie.app.runner.presence import Presence
from corbie.app.runner.report import Reporter
from corbie.domain.cards import Card
from corbie.domain.errors import Untrusted, ValueRefused
from corbie.domain.names import JobId, PartyName, split_run_id
from corbie.domain.orders import JobOrder, JobOutcome
from corbie.domain.paths import (
    StorePath,
    inbox_folder,
    message_path,
    parse_path,
    taken_folder,
    taken_path,
)
from corbie.domain.permissions import Layer
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.store import Store
from corbie.domain.records import CancelJobMessage, JobMessage, RunnerMessage, Taken
from corbie.domain.times import MINUTE, SKEW, Instant, Span, earlier, format_path_time, later

TAKEN_KEEP = Span(3 * SKEW)
SWEEP_EVERY = Span(MINUTE)
CANCELLED = "cancelled before it began"
CANCEL_ENDING = "~cancel"

_JOB_END = re.compile(r"(\.[0-9]{1,9}){2,3}")

_log = logging.getLogger(__name__)


Begun = tuple[RunningJob, Mapping[str, str]]
"""A job to begin, with the texts of its files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """A job message that passed every check."""

    path: StorePath
    controller: PartyName
    order: JobOrder


class Claimer:
    """Takes jobs from the inbox of a runner."""

    def __init__(  # noqa: PLR0913 - each is one port or one part, wired by name
        self,
        *,
        store: Store,
        files: SealedFiles,
        blobs: BlobFiles,
        runner: PartyName,
        controllers: Mapping[PartyName, Card],
        ceiling: tuple[str, ...] | None,
        presence: Presence,
        reporter: Reporter,
        clock: Clock,
        on_said: Callable[[], None],
    ) -> None:
        """Hold the ports.

        `ceiling` is what this runner lets its controllers' jobs do; `on_said` is called, in a
        job's thread, when there is something to hand on.
        """
        self._store = store
        self._files = files
        self._blobs = blobs
        self._runner = runner
        self._controllers = controllers
        self._ceiling = ceiling
        self._presence = presence
        self._reporter = reporter
        self._clock = clock
        self._on_said = on_said
        self._swept: Instant | None = None
        # The jobs this copy began, as long as their marks stay, by when they are due.
        self._begun: dict[JobId, Instant] = {}

    def claim(
        self, held: Mapping[JobId, RunningJob], *, room: int, cancel: Callable[[JobId], None]
    ) -> list[Begun]:
        """Take what came: at most `room` jobs, in order, and all cancels, handed to `cancel`.

        The message of a job in progress is left alone: it is what a later copy of this runner
        reports the job's loss from.
        """
        paths = []
        for path in self._store.list_under(inbox_folder(self._runner)):
            name = parse_path(path).name
            if name.endswith(CANCEL_ENDING):
                self._cancel(path, held, cancel)
            elif name not in held:
                paths.append(path)
        begun: list[Begun] = []
        # What another copy has under way takes no room here.
        while paths and len(begun) < room:
            free = room - len(begun)
            begun += self._take(paths[:free])
            paths = paths[free:]
        # Only now: had the store failed, none of these would have begun.
        self._begun.update({job.order.job: job.order.due for job, _ in begun})
        return begun

    def sweep(self) -> None:
        """Delete, once a minute, the marks of jobs that were due fifteen minutes ago.

        With them go the `alive` files of copies that died.
        """
        now = self._clock.now()
        if self._swept is not None and now < later(self._swept, SWEEP_EVERY):
            return
        past = earlier(now, TAKEN_KEEP)
        self._begun = {job: due for job, due in self._begun.items() if due >= past}
        marks = self._store.list_under(taken_folder(self._runner), up_to=format_path_time(past))
        if marks:
            self._store.delete_all(marks)
        self._presence.sweep()
        self._swept = now

    def _open(self, path: StorePath) -> RunnerMessage | None:
        """Open a message; one that fails a check is deleted, and said to be."""
        stored = self._store.read(path)
        if stored is None:
            return None
        try:
            return self._open_data(path, stored.data)
        except Untrusted as error:
            _log.warning("a message is deleted: %s", error)
            self._store.delete_all([path])
            return None

    def _open_data(self, path: StorePath, data: bytes) -> RunnerMessage:
        parts = parse_path(path)
        controller = self._controllers.get(PartyName(parts.sender))
        if controller is None:
            what = "no controller of that name is trusted here"
            raise Untrusted(path=path, check="card", what=what)
        message = self._files.open(path, data, card=controller).record
        if not isinstance(message, RunnerMessage):
            what = f"a {type(message).__name__} is nothing to send to a runner"
            raise Untrusted(path=path, check="content", what=what)
        try:
            _check_names(path, parts.name, message)
        except ValueRefused as error:
            raise Untrusted(path=path, check="content", what=str(error)) from error
        return message

    def _take(self, paths: Sequence[StorePath]) -> list[Begun]:
        marks: dict[StorePath, Ordered] = {}
        files: dict[StorePath, bytes] = {}
        for path in paths:
            message = self._open(path)
            if not isinstance(message, JobMessage):
                continue
            order, controller = message.order, PartyName(parse_path(path).sender)
            mark = taken_path(self._runner, order.due, order.job)
            marks[mark] = Ordered(path=path, controller=controller, order=order)
            own = Taken(job=order.job, instance=self._presence.name)
            files[mark] = self._files.compose(mark, own)
        exists = self._store.write_all_new(files) if files else frozenset()
        begun = []
        for mark, ordered in marks.items():
            taken = self._read_mark(mark) if mark in exists else None
            if mark not in exists or self._is_unbegun(taken):
                begun.append(self._begin(ordered))
            else:
                self._leave_taken(taken, ordered)
        return begun

    def _is_unbegun(self, taken: Taken | None) -> bool:
        """Tell whether this copy wrote the mark in a pass that failed before it began the job.

        A controller that acts a second time may bring back the message of a job that ended.
        """
        return (
            taken is not None
            and taken.instance == self._presence.name
            and not taken.is_cancelled
            and taken.job not in self._begun
        )

    def _is_anothers(self, taken: Taken | None) -> bool:
        """Tell whether another copy took the job to run it, dead or alive."""
        return (
            taken is not None and taken.instance != self._presence.name and not taken.is_cancelled
        )

    def _is_under_way(self, taken: Taken | None) -> bool:
        """Tell whether another copy, which lives, has the job under way."""
        return (
            taken is not None
            and self._is_anothers(taken)
            and not self._presence.has_ended(taken.instance)
        )

    def _leave_taken(self, taken: Taken | None, ordered: Ordered) -> None:
        """Report the loss of a job that a dead copy took; leave a live copy's alone.

        Its result, if it wrote one, has the same name and stands.
        """
        if self._is_under_way(taken):
            return
        if self._is_anothers(taken):
            order = ordered.order
            outcome = JobOutcome(status="error", error=LOST)
            self._reporter.write_result(ordered.controller, order.job, order.run, outcome)
        self._store.delete_all([ordered.path])

    def _read_mark(self, path: StorePath) -> Taken | None:
        try:
            opened = self._files.read(path, Taken)
        except Untrusted as error:
            _log.warning("a mark is passed over: %s", error)
            return None
        return None if opened is None else opened.record

    def _cancel(
        self,
        path: StorePath,
        held: Mapping[JobId, RunningJob],
        cancel: Callable[[JobId], None],
    ) -> None:
        """End a job under way; mark one that is not, so that it never begins."""
        message = self._open(path)
        if not isinstance(message, CancelJobMessage):
            return
        job = message.job
        controller = PartyName(parse_path(path).sender)
        if job in held:
            cancel(job)
            self._store.delete_all([path])
            return
        mark = taken_path(self._runner, message.due, job)
        cancelled = Taken(job=job, instance=self._presence.name, is_cancelled=True)
        if not self._store.write_all_new({mark: self._files.compose(mark, cancelled)}):
            outcome = JobOutcome(status="cancelled", error=CANCELLED)
            self._reporter.write_result(controller, job, message.run, outcome)
        elif self._is_under_way(self._read_mark(mark)):
            # Another copy has it under way, and finds this message too.
            return
        self._store.delete_all([message_path(self._runner, controller, job), path])

    def _begin(self, ordered: Ordered) -> Begun:
        order = self._bounded(ordered.order, ordered.controller)
        running = RunningJob(
            order=order,
            controller=ordered.controller,
            message=ordered.path,
            on_said=self._on_said,
        )
        home = Home(controller=ordered.controller, run=order.run)
        try:
            sources = {
                path: self._blobs.read(home, ref).decode("utf-8")
                for path, ref in order.files.items()
            }
        except (Untrusted, UnicodeDecodeError) as error:
            text = f"a file of the job cannot be read: {error}"
            running.outcome = JobOutcome(status="error", error=text)
            return running, {}
        return running, sources

    def _bounded(self, order: JobOrder, controller: PartyName) -> JobOrder:
        """Give the order with one more layer: what this runner lets that controller do."""
        if self._ceiling is None:
            return order
        layer = Layer(
            says=f'what the runner "{self._runner}" lets the controller "{controller}" do',
            fix="add {entry} to runner_allow in the configuration of that runner",
            allow=self._ceiling,
        )
        return replace(order, layers=(*order.layers, layer))


def _check_names(path: StorePath, name: str, message: RunnerMessage) -> None:
    """Return if the message is named by its job, the job by its run, the run by its client.

    Raises:
        Untrusted, ValueRefused: it is not.
    """
    if isinstance(message, CancelJobMessage):
        job, run, expected = message.job, message.run, f"{message.job}{CANCEL_ENDING}"
    else:
        job, run, expected = message.order.job, message.order.run, message.order.job
    client, started = split_run_id(run)
    if isinstance(message, JobMessage) and message.order.client.name != client:
        raise Untrusted(path=path, check="content", what="its card is not the run's client's")
    rest = job.removeprefix(f"{client}.{started}")
    if rest == job or _JOB_END.fullmatch(rest) is None:
        raise Untrusted(path=path, check="content", what="its job is not of its run")
    if name != expected:
        raise Untrusted(path=path, check="content", what=f"it should be named {expected}")
