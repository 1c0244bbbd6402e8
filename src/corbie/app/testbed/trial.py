"""`corbie test`: run one definition or script to its end, and report each step.

Source: Processes, `corbie test`.
"""

from collections.abc import Callable, Iterator

from corbie.app.client.bundle import Bundle
from corbie.app.client.observe import Said
from corbie.app.testbed.world import World, WorldStuck
from corbie.domain.errors import Refusal
from corbie.domain.records import StepRecord
from corbie.domain.steps.effects import StartJob
from corbie.domain.values import JsonValue

TURNS_MAX = 10_000_000


class StartRefused(Refusal):
    """The controller did not want the run; the text says why."""

    code = "start_refused"


class Trial:
    """One run in a world of its own."""

    def __init__(self, *, world: World, tag_runner: Callable[[tuple[str, ...]], None]) -> None:
        """Hold the world, and how its runner is given tags."""
        self._world = world
        self._tag_runner = tag_runner

    def run(self, bundle: Bundle, given: JsonValue) -> Iterator[StepRecord]:
        """Run to the end, giving each step as it is taken.

        Raises:
            StartRefused: the run was not begun. WorldStuck: it cannot end.
        """
        stages = bundle.machine.body.stages.values()
        # The one runner stands for every runner that the machine wants.
        self._tag_runner(tuple(sorted({tag for stage in stages for tag in stage.job.runner})))
        sent = self._world.submitter.submit(bundle, given)
        number = 0
        for _ in range(TURNS_MAX):
            is_alive = self._world.turn()
            record = self._world.observer.read_step(sent.run, number + 1)
            while record is not None:
                number = record.number
                if record.state.status == "refused":
                    raise StartRefused(self._world.submitter.read_receipt(sent) or "refused")
                yield record
                if record.state.ended is not None:
                    return
                record = self._world.observer.read_step(sent.run, number + 1)
            if not is_alive:
                break
        message = "the run waits for something that never comes"
        raise WorldStuck(message)

    def list_said(self, started: StartJob) -> list[Said]:
        """Give what a job said that this effect of a step started."""
        return self._world.observer.list_job_said(started)
