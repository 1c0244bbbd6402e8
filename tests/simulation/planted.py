"""Controllers and runners with a rule of the protocol left out: the simulator must find each.

What is not here it cannot find, as a second rule stands behind the one that is left out: wakes
listed late (a job over its time is looked for in the inbox), messages taken that the state does
not remember (the step looks again), results by another name (they are refused), the message of a
job in progress deleted (its job times out), no slack in a job's `until` (likewise). Left out of
controllers and runners, these were not found in the first 40 to 60 seeds and not looked for
further: status_cas, cache_age and fresh_drop, relist, min_keep, quarantine, finished_guard,
cancel_marks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dependency_injector import containers, providers

from corbie.app.controller.advance import Advancer, Plan
from corbie.app.controller.cycle import ControllerCycle
from corbie.app.controller.enact import Enactor
from corbie.app.controller.intake import Arrived, Items
from corbie.app.controller.runs import Newest
from corbie.app.runner.claim import Claimer
from corbie.domain.names import RunId
from corbie.domain.paths import (
    StorePath,
    taken_folder,
)
from corbie.domain.records import StepRecord
from corbie.domain.steps.effects import Effect, StartJob
from corbie.domain.times import Instant, format_path_time
from tests.simulation.actors import MakeCycle, PlantRunner, make_cycle, plant_nothing
from tests.simulation.world import CONTROLLER, World


class ActsBeforeItWrites(ControllerCycle):
    """Carries out a step's effects before the step is in the store."""

    def _write_steps(self, plans: Sequence[Plan]) -> list[Plan]:
        files = {path: data for plan in plans for path, data in plan.files.items()}
        self._enactor.enact([plan.record for plan in plans if plan.record is not None], files)
        return super()._write_steps(plans)


class DeletesBeforeItActs(ControllerCycle):
    """Deletes what a step took before its effects are carried out (trigger_last)."""

    def _act(self, written: Sequence[Plan]) -> None:
        self._store.delete_all([path for plan in written for path in plan.taken])
        super()._act(written)


class NeverActsAgain(Enactor):
    """Goes on from a step that another process wrote, without acting on it (act_first)."""

    def enact_newest(self, run: RunId, newest: Newest) -> None:
        """Believe that whoever wrote the step acted on it."""


class DuesByItsOwnClock(Enactor):
    """Gives a job its time from when it acts, not from the step (due_in_step)."""

    def _compose(self, record: StepRecord, effect: Effect) -> tuple[StorePath, bytes]:
        if isinstance(effect, StartJob):
            now = self._files._clock.now()
            due = Instant(effect.order.due - record.at + now)
            effect = replace(effect, order=replace(effect.order, due=due))
        return super()._compose(record, effect)


class ForgetsExpiredStarts(Advancer):
    """Drops a start that expired, without a step that says so (tombstone)."""

    def _find_start(self, items: Items) -> Arrived | None:
        started = super()._find_start(items)
        return None if started is None or started.is_expired else started


class SweepsMarksEarly(Claimer):
    """Deletes the mark of a job as soon as it is due (taken_long)."""

    def sweep(self) -> None:
        """Delete every mark that is due."""
        up_to = format_path_time(self._clock.now())
        self._store.delete_all(self._store.list_under(taken_folder(self._runner), up_to=up_to))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """How to make controllers and runners that leave a rule out."""

    make: MakeCycle = make_cycle
    runner: PlantRunner = plant_nothing


def in_controller(part: str, kind: type) -> Plant:
    """Give controllers one part of which is of another kind."""

    def make(world: World, actor: str) -> ControllerCycle:
        container = world.make_controller(actor, world.store_of(CONTROLLER))
        _replace(container, part, kind)
        return container.cycle()

    return Plant(make=make)


def in_runner(part: str, kind: type) -> Plant:
    """Give runners one part of which is of another kind."""
    return Plant(runner=lambda container: _replace(container, part, kind))


def _replace(container: containers.Container, part: str, kind: type) -> None:
    provider = getattr(container, part)
    provider.override(providers.ThreadSafeSingleton(kind, **provider.kwargs))


PLANTED: dict[str, Plant] = {
    "acts before it writes": in_controller("cycle", ActsBeforeItWrites),
    "deletes before it acts": in_controller("cycle", DeletesBeforeItActs),
    "never acts again": in_controller("enactor", NeverActsAgain),
    "dues by its own clock": in_controller("enactor", DuesByItsOwnClock),
    "forgets expired starts": in_controller("advancer", ForgetsExpiredStarts),
    "sweeps marks early": in_runner("claimer", SweepsMarksEarly),
}
