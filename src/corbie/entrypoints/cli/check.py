"""`corbie check`: every problem of a definition, and what it may do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from corbie.app.client.bundle import Bundle
from corbie.domain.definitions.powers import list_powers
from corbie.domain.errors import NotFound, Refusal
from corbie.domain.places import DefinitionRefused, format_problem
from corbie.domain.values import JsonValue
from corbie.entrypoints.cli.exits import FAILURE, SUCCESS, CommandRefused
from corbie.entrypoints.cli.frame import make_app
from corbie.entrypoints.cli.options import JsonOption, write_json
from corbie.entrypoints.cli.own_settings import read_own_settings
from corbie.entrypoints.cli.printing import write
from corbie.entrypoints.library import read_definition
from corbie.entrypoints.wiring.adapters import AdaptersContainer
from corbie.entrypoints.wiring.local import make_adapters

_EXAMPLE = "corbie check title.yaml"

_WALLS = {
    "process": "each script runs in a process of its own, without this computer's environment",
    "exits": "each way out of a script checks the job's permissions exactly",
    "kernel": "no kernel fence (Landlock) is used by this version: a program that a script may"
    " start with exec can do what the runner's user can",
}

app = make_app("Check definitions, and say what they may do.", example=_EXAMPLE)


@app.command(epilog=f"Example: {_EXAMPLE}")
def check(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE…", help="Definitions or scripts.")
    ] = None,
    *,
    host: Annotated[
        bool, typer.Option("--host", help="Say which walls stand around scripts here.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Report every problem of each file, with its place; of good ones, what each job may do."""
    if not files and not host:
        message = "name a file to check"
        raise CommandRefused(message)
    adapters = make_adapters(read_own_settings())
    found = [_read(adapters, file) for file in files or []]
    if as_json:
        shown: dict[str, JsonValue] = {"files": [one.plain() for one in found]}
        if host:
            shown["host"] = dict(_WALLS)
        write_json(shown)
    else:
        for one in found:
            for line in one.lines():
                write(line)
        for says in _WALLS.values() if host else ():
            write(f"this computer: {says}")
    return FAILURE if any(one.problems for one in found) else SUCCESS


class _Checked:
    """One file: its bundle, or its problems, a line each."""

    def __init__(self, file: Path, bundle: Bundle | None, problems: list[str]) -> None:
        self.file = str(file)
        self.problems = problems
        self._bundle = bundle

    def lines(self) -> Iterator[str]:
        """Give the lines for people."""
        yield from self.problems
        if self._bundle is None:
            return
        machine = self._bundle.machine
        yield f"{self.file}: {machine.type} {machine.name}: no problems"
        for powers in list_powers(machine):
            yield f"  {powers.job}: {powers.script} may {_listed(powers.allow) or 'only compute'}"
        if machine.deny:
            yield f"  never: {_listed(machine.deny)}"

    def plain(self) -> JsonValue:
        """Give the same as a plain value."""
        shown: dict[str, JsonValue] = {"file": self.file, "problems": list(self.problems)}
        if self._bundle is not None:
            machine = self._bundle.machine
            shown["type"], shown["machine"] = machine.type, machine.name
            shown["deny"] = list(machine.deny)
            shown["jobs"] = {
                powers.job: {"script": powers.script, "allow": list(powers.allow)}
                for powers in list_powers(machine)
            }
        return shown


def _read(adapters: AdaptersContainer, file: Path) -> _Checked:
    try:
        return _Checked(file, read_definition(adapters, file), [])
    except DefinitionRefused as error:
        return _Checked(file, None, [format_problem(one) for one in error.problems])
    except NotFound:
        return _Checked(file, None, [f"{file}: there is no such file"])
    except Refusal as error:
        return _Checked(file, None, [f"{file}: {error}"])


def _listed(entries: tuple[str, ...]) -> str:
    return ", ".join(entries)
