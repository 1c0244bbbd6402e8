"""The newest step of each run, as this process last read or wrote it.

A cache and nothing else: whatever is here is in the store too.
Source: Processes, Controller (steps; cache_age, finished_guard).
"""

import logging
from collections import OrderedDict
from dataclasses import dataclass

from corbie.app.files.sealed import SealedFiles
from corbie.domain.errors import Untrusted
from corbie.domain.names import PartyName, RunId
from corbie.domain.paths import finished_path, running_path, step_path
from corbie.domain.ports.clock import Clock
from corbie.domain.records import Status, StepRecord
from corbie.domain.steps.state import RunState
from corbie.domain.times import SKEW, Instant

RUNS_MAX = 2_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """The newest step of a run; `record` None where an ended run's record is gone already."""

    number: int
    record: StepRecord | None

    @property
    def state(self) -> RunState | None:
        """The state that step left, if its record is there."""
        return None if self.record is None else self.record.state

    @property
    def is_ended(self) -> bool:
        """Whether the run takes no further step."""
        return self.record is None or self.record.state.ended is not None


class Runs:
    """Loads the newest steps of a controller's runs, and knows which were acted on."""

    def __init__(self, *, files: SealedFiles, controller: PartyName, clock: Clock) -> None:
        """Know no run yet."""
        self._files = files
        self._controller = controller
        self._clock = clock
        self._known: OrderedDict[RunId, tuple[Newest, Instant]] = OrderedDict()
        self._enacted: dict[RunId, int] = {}

    def load(self, run: RunId, *, fresh: bool = False) -> Newest | None:
        """Give a run's newest step, None if it has none.

        Without `fresh`, what was read in the last five minutes serves.

        Raises:
            Untrusted: a file of the run fails a check.
        """
        known = self._known.get(run)
        if not fresh and known is not None and self._clock.now() <= known[1] + SKEW:
            return known[0]
        read_at = self._clock.now()
        newest = self._read(run)
        if newest is None:
            self.forget(run)
        else:
            self._keep(run, newest, read_at)
        return newest

    def remember(self, run: RunId, record: StepRecord, read_at: Instant) -> None:
        """Know a step that was just written, computed on what was read at `read_at` or later."""
        self._keep(run, Newest(number=record.number, record=record), read_at)

    def forget(self, run: RunId) -> None:
        """Read the run again when it is next asked for."""
        self._known.pop(run, None)
        self._enacted.pop(run, None)

    def forget_all(self) -> None:
        """Know nothing any more: what was read may be too old, or was never written."""
        self._known.clear()
        self._enacted.clear()

    def is_enacted(self, run: RunId, newest: Newest) -> bool:
        """Tell whether this process acted on that step."""
        return newest.record is None or self._enacted.get(run) == newest.number

    def mark_enacted(self, run: RunId, number: int) -> None:
        """Remember that all effects of a step were written."""
        if run in self._known:
            self._enacted[run] = number

    def _keep(self, run: RunId, newest: Newest, read_at: Instant) -> None:
        self._known[run] = (newest, read_at)
        self._known.move_to_end(run)
        if len(self._known) > RUNS_MAX:
            dropped, _ = self._known.popitem(last=False)
            self._enacted.pop(dropped, None)

    def _read(self, run: RunId) -> Newest | None:
        finished = self._files.read(finished_path(self._controller, run), Status)
        if finished is not None:
            number = finished.record.step
            try:
                return Newest(number=number, record=self._read_step(run, number))
            except Untrusted as error:
                # It takes no step any more, and what is damaged can still be deleted.
                _log.warning("an ended run is taken for one without a record: %s", error)
                return Newest(number=number, record=None)
        running = self._files.read(running_path(self._controller, run), Status)
        number = max(1, running.record.step if running is not None else 1)
        record = self._read_step(run, number)
        if record is None and number > 1:
            # The status is a hint; one that points past the end is believed no further.
            number = 1
            record = self._read_step(run, number)
        if record is None:
            return None
        while True:
            after = self._read_step(run, number + 1)
            if after is None:
                return Newest(number=number, record=record)
            number, record = number + 1, after

    def _read_step(self, run: RunId, number: int) -> StepRecord | None:
        opened = self._files.read(step_path(self._controller, run, number), StepRecord)
        return None if opened is None else opened.record
