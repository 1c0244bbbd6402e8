"""A trial as `corbie test` shows it: everything but the words of the command."""

from collections.abc import Iterator
from pathlib import Path

from corbie.app.client.bundle import check_input
from corbie.app.testbed.trial import Trial
from corbie.domain.errors import Bug
from corbie.domain.names import JobId
from corbie.domain.records import StepRecord
from corbie.domain.steps.effects import StartJob
from corbie.domain.steps.events import Ended
from corbie.domain.values import JsonValue
from corbie.entrypoints.cli import rendering
from corbie.entrypoints.cli.own_settings import read_own_settings
from corbie.entrypoints.cli.printing import terminal_width, write, write_note
from corbie.entrypoints.library import read_definition
from corbie.entrypoints.warming import Warm
from corbie.entrypoints.wiring.testbed import make_testbed


def run_to_end(
    file: Path, value: JsonValue, warm: Warm, *, seed: int | None, is_watched: bool
) -> StepRecord:
    """Run a definition or a script, writing what happens; give the last step.

    Raises:
        DefinitionRefused: it has problems. InputRefused: the input does not fit.
    """
    bed = make_testbed(read_own_settings(), clock=warm.clock, host=warm.host, seed=seed)
    bundle = read_definition(bed.adapters(), file)
    check_input(bundle.machine, value, bed.adapters().checker())
    trial = bed.trial()
    return _follow(trial, trial.run(bundle, value), is_watched=is_watched)


def _follow(trial: Trial, steps: Iterator[StepRecord], *, is_watched: bool) -> StepRecord:
    """Run to the end, writing what happens; give the last step."""
    lines = rendering.StepLines()
    width = terminal_width()
    started = dict[JobId, StartJob]()
    last: StepRecord | None = None
    for record in steps:
        for event in record.events:
            if isinstance(event, Ended) and event.job in started:
                for said in trial.list_said(started.pop(event.job)):
                    write_note(rendering.said_text(said))
        shown = list(lines.lines(record))
        if is_watched:
            for line in shown:
                write(line, width=width)
        started |= {one.order.job: one for one in record.effects if isinstance(one, StartJob)}
        last = record
    if last is None:
        message = "a trial that ended took no step"
        raise Bug(message)
    return last
