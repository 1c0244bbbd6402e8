"""`corbie run`: the group; each command is in a module by what it does."""

from corbie.entrypoints.cli import run_act, run_read, run_submit
from corbie.entrypoints.cli.frame import make_app

app = make_app("Start runs, read and follow them, end them.", example="corbie run show last")

for name, command, example in (
    ("submit", run_submit.submit, run_submit.EXAMPLE),
    ("ls", run_read.ls, "corbie run ls --failed --since 1d"),
    ("show", run_read.show, "corbie run show last --steps"),
    ("output", run_read.output, "corbie run output last"),
    ("watch", run_read.watch, "corbie run watch last"),
    ("logs", run_read.logs, "corbie run logs last get_title -f"),
    ("cancel", run_act.cancel, "corbie run cancel last"),
    ("rm", run_act.rm, "corbie run rm last"),
):
    app.command(name, epilog=f"Example: {example}")(command)
