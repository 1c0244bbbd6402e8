"""`corbie version`."""

import json
import sys
from typing import Annotated

import typer

import corbie
from corbie.entrypoints.cli.frame import make_app

app = make_app("Print the version.", example="corbie version --json")


@app.command(epilog="Example: corbie version --json")
def version(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """Print the version."""
    text = json.dumps({"version": corbie.__version__}) if as_json else corbie.__version__
    sys.stdout.write(f"{text}\n" if as_json else f"corbie {text}\n")
