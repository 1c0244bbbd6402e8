"""The promises that are checked at the end, once faults have stopped."""

from corbie.domain.names import RunId
from corbie.domain.paths import (
    StorePath,
    inbox_folder,
    running_folder,
    step_path,
    steps_folder,
)
from corbie.domain.records import StepRecord
from corbie.domain.steps import step
from corbie.domain.steps.context import StepContext
from corbie.domain.steps.events import require_start
from corbie.domain.steps.step import Step, refused_step
from tests.simulation.world import CONTROLLER, RUNNERS, SHARED, World


def newest(world: World) -> dict[RunId, StepRecord]:
    """Give the newest step of each run that ever was."""
    return {
        run: world.records[step_path(CONTROLLER, run, number)]
        for run, number in world.steps.items()
    }


def is_settled(world: World) -> bool:
    """Tell whether everything ended and nothing is under way."""
    if any(record.state.ended is None for record in newest(world).values()):
        return False
    return not _left(world)


def check_settled(world: World) -> None:
    """Check that all that can end has ended, and that every step can be computed again."""
    for run, record in newest(world).items():
        world.require(record.state.ended is not None, f"{run} never ends: {record.state.jobs}")
    left = _left(world)
    world.require(not left, f"left over: {left}")
    for run in world.deleted:
        again = world.store.list_under(steps_folder(CONTROLLER, run))
        world.require(not again, f"{run} was deleted and lives again: {again}")
    for path, record in world.records.items():
        world.require(
            _again(world, record) == (record.state, record.effects),
            f"{path} computed again is another",
        )
    for sent in world.sent:
        run_step = world.records.get(step_path(CONTROLLER, sent.run, 1))
        answer = world.told.get(f"the answer to {sent.message}")
        if sent.message != sent.run.split("/")[1]:
            continue
        world.require(run_step is not None, f"{sent.run} was asked for and never answered")
        assert run_step is not None
        is_run = run_step.state.status != "refused"
        world.require(is_run or answer != "ok", f"{sent.run} was accepted and never was")


def _left(world: World) -> list[StorePath]:
    left = [*world.store.list_under(inbox_folder(CONTROLLER))]
    for runner in RUNNERS:
        left += world.store.list_under(inbox_folder(runner))
    left += world.store.list_under(running_folder(CONTROLLER))
    return left


def _again(world: World, record: StepRecord) -> tuple[object, object]:
    """Compute a step again from its record alone, and the record of the step before."""
    state = None
    if record.number > 1:
        state = world.records[step_path(CONTROLLER, record.run, record.number - 1)].state
    context = StepContext(
        run=record.run,
        number=record.number,
        at=record.at,
        runners=record.runners,
        evaluator=SHARED.evaluator(),
        checker=SHARED.checker(),
    )
    if state is None and (start := require_start(record.events)).refuse is not None:
        again: Step = refused_step(record.run, start, record.at)
    else:
        again = step(world.machines[record.state.definition.sha256], state, record.events, context)
    return again.state, again.effects
