"""Controllers with a rule of the protocol left out: the simulator must find each."""

from collections.abc import Callable, Sequence

from dependency_injector import providers

from corbie.app.controller.advance import Plan
from corbie.app.controller.cycle import ControllerCycle
from corbie.app.controller.enact import Enactor
from corbie.app.controller.runs import Newest
from corbie.domain.names import RunId
from tests.simulation.actors import MakeCycle
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


def with_cycle(kind: type[ControllerCycle]) -> MakeCycle:
    """Give the product's controller with another cycle."""

    def make(world: World, actor: str) -> ControllerCycle:
        container = world.make_controller(actor, world.store_of(CONTROLLER))
        return kind(**{name: _value(given) for name, given in container.cycle.kwargs.items()})

    return make


def with_enactor(kind: type[Enactor]) -> MakeCycle:
    """Give the product's controller with another enactor."""

    def make(world: World, actor: str) -> ControllerCycle:
        container = world.make_controller(actor, world.store_of(CONTROLLER))
        container.enactor.override(providers.ThreadSafeSingleton(kind, **container.enactor.kwargs))
        return container.cycle()

    return make


def _value(given: object) -> object:
    return given() if isinstance(given, providers.Provider) else given


PLANTED: dict[str, Callable[[], MakeCycle]] = {
    "acts before it writes": lambda: with_cycle(ActsBeforeItWrites),
    "deletes before it acts": lambda: with_cycle(DeletesBeforeItActs),
    "never acts again": lambda: with_enactor(NeverActsAgain),
}
