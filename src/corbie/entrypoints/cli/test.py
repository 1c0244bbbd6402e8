"""`corbie test`: a definition or a script, in memory, with nothing set up."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from corbie.app.client.bundle import check_input
from corbie.app.testbed.trial import Trial
from corbie.domain.errors import Bug
from corbie.domain.names import JobId
from corbie.domain.records import StepRecord
from corbie.domain.steps.effects import StartJob
from corbie.domain.steps.events import Ended
from corbie.entrypoints.cli import rendering
from corbie.entrypoints.cli.ending import report_end
from corbie.entrypoints.cli.exits import CommandRefused
from corbie.entrypoints.cli.frame import make_app
from corbie.entrypoints.cli.options import (
    InputOption,
    JsonOption,
    read_input,
    read_own_settings,
)
from corbie.entrypoints.cli.printing import terminal_width, write, write_note
from corbie.entrypoints.library import read_definition
from corbie.entrypoints.wiring.testbed import make_testbed

_EXAMPLE = """corbie test title.yaml --input '{"url": "https://example.com"}' --watch"""

app = make_app("Run a definition or a script in memory.", example=_EXAMPLE)


@app.command("test", epilog=f"Example: {_EXAMPLE}")
def run_trial(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A definition or a script.")],
    *,
    given: InputOption = None,
    watch: Annotated[bool, typer.Option("--watch", help="Print each event and effect.")] = False,
    seed: Annotated[int | None, typer.Option(help="Repeat names, chance and time.")] = None,
    real_time: Annotated[
        bool, typer.Option("--real-time", help="Wait as long as the machine does.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Run a definition or a script in memory, on virtual time, and print its output.

    What scripts log goes to standard error.
    """
    if watch and as_json:
        message = "--watch and --json do not go together"
        raise CommandRefused(message)
    value = read_input(given)
    bed = make_testbed(read_own_settings(), seed=seed, is_real_time=real_time)
    try:
        bundle = read_definition(bed.adapters(), file)
        check_input(bundle.machine, value, bed.adapters().checker())
        last = _follow(bed.trial(), bed.trial().run(bundle, value), is_watched=watch)
    finally:
        bed.adapters().host().close()
    return report_end(last, as_json=as_json)


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
