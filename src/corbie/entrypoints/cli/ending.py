"""How a run ended, as `test` and `run submit --wait` print it: one form for both."""

from corbie.domain.records import StepRecord
from corbie.entrypoints.cli import rendering
from corbie.entrypoints.cli.exits import FAILURE, SUCCESS
from corbie.entrypoints.cli.options import json_line, write_json
from corbie.entrypoints.cli.printing import write


def report_end(last: StepRecord, *, as_json: bool) -> int:
    """Write how the run ended with this step; give the exit status."""
    state = last.state
    if as_json:
        write_json(rendering.outcome_json(state, last.number))
    elif state.status == "done":
        write(f"output: {json_line(state.output)}")
    else:
        write(rendering.state_line(state, last.number))
        for line in rendering.failure_lines(state):
            write(line)
    return SUCCESS if state.status == "done" else FAILURE
