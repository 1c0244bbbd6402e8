"""`corbie test`: a definition or a script, in memory, with nothing set up."""

from pathlib import Path
from typing import Annotated

import typer

from corbie.entrypoints.cli.exits import CommandRefused
from corbie.entrypoints.cli.frame import make_app
from corbie.entrypoints.cli.options import InputOption, JsonOption, read_input
from corbie.entrypoints.warming import start_warming

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
    warm = start_warming(seed=seed, is_real_time=real_time)
    try:
        # What is imported here takes half of the time; the scripts' processes start meanwhile.
        from corbie.entrypoints.cli import ending, trial  # noqa: PLC0415 - see above

        last = trial.run_to_end(file, value, warm, seed=seed, is_watched=watch)
    finally:
        warm.host.close()
    return ending.report_end(last, as_json=as_json)
