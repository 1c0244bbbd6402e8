"""A controller, a runner and a client on one store, taking turns, on virtual time.

Source: Processes, `corbie test`.
"""

from corbie.app.client.observe import Observer
from corbie.app.client.submit import Submitter
from corbie.app.controller.cycle import ControllerCycle
from corbie.app.runner.cycle import RunnerCycle
from corbie.app.testbed.agenda import TrialClock
from corbie.domain.errors import Unavailable


class WorldStuck(Unavailable):
    """Nothing is due and nothing moves, and still the run has not ended."""

    code = "stuck"


class World:
    """The parts of one trial, made by the wiring."""

    def __init__(
        self,
        *,
        clock: TrialClock,
        controller: ControllerCycle,
        runner: RunnerCycle,
        submitter: Submitter,
        observer: Observer,
    ) -> None:
        """Hold the parts."""
        self.clock = clock
        self.submitter = submitter
        self.observer = observer
        self._controller = controller
        self._runner = runner

    def turn(self) -> bool:
        """Let each take a turn; where nothing moves, time jumps to what is due next.

        Gives whether anything moved or time did.
        """
        controlled = self._controller.run_pass()
        ran = self._runner.run_pass()
        if controlled.moved or ran.moved or controlled.is_busy:
            return True
        due = [one for one in (controlled.due, ran.due) if one is not None]
        if not due:
            return False
        self.clock.advance_to(min(due))
        return True
