"""`corbie init`."""

from typing import Annotated

import typer

from corbie.domain.values import JsonValue
from corbie.entrypoints.cli.exits import SUCCESS
from corbie.entrypoints.cli.frame import make_app
from corbie.entrypoints.cli.options import JsonOption, write_json
from corbie.entrypoints.cli.own_settings import read_own_settings
from corbie.entrypoints.cli.printing import write
from corbie.entrypoints.setup import SetUp, initialise

_EXAMPLE = "corbie init --name laptop"

app = make_app(
    "Set this computer up: parties that trust each other, and a store.", example=_EXAMPLE
)


@app.command(epilog=f"Example: {_EXAMPLE}")
def init(
    *,
    name: Annotated[
        str | None, typer.Option(help="Names the parties; default: the computer's name.")
    ] = None,
    store: Annotated[
        str | None, typer.Option(metavar="URL", help="A path or URL; default: in the home.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Make a controller, a runner and a client that trust each other, and the store.

    They are made in ~/.config/corbie, or in CORBIE_HOME. A second time changes nothing.
    """
    held_store = read_own_settings().store if store is not None else None
    done = initialise(read_own_settings(store=store), name=name, held_store=held_store)
    if as_json:
        write_json(_plain(done))
        return SUCCESS
    if done.made:
        write(f"set up in {done.home}:")
        for one in done.made:
            write(f"  made {one}")
    else:
        write(f"{done.home} is set up already; nothing was changed")
    for role, party in done.names.items():
        write(f"  {role}: {party}")
    write(f"  store: {done.store}")
    write("next: corbie start, and in another terminal: corbie run submit FILE --wait")
    return SUCCESS


def _plain(done: SetUp) -> JsonValue:
    names: dict[str, JsonValue] = {str(role): str(party) for role, party in done.names.items()}
    return {
        "home": str(done.home),
        "store": done.store,
        "parties": names,
        "made": list(done.made),
    }
