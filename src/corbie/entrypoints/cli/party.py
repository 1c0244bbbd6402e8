"""`corbie party`: the parties whose cards this computer has."""

from typing import Annotated, Literal

import typer

from corbie.domain.cards import Card
from corbie.domain.values import JsonValue
from corbie.entrypoints.cli.exits import SUCCESS
from corbie.entrypoints.cli.frame import make_app
from corbie.entrypoints.cli.options import JsonOption, write_json
from corbie.entrypoints.cli.own_settings import read_own_settings
from corbie.entrypoints.cli.printing import write
from corbie.entrypoints.parties import card_text, create_party, find_known, list_known

app = make_app("Parties: a controller, runner, client or viewer.", example="corbie party ls")


@app.command(epilog="Example: corbie party ls")
def ls(*, as_json: JsonOption = False) -> int:
    """List the parties whose cards are here, and whose private keys are."""
    known = list_known(read_own_settings())
    if as_json:
        write_json([{**_plain(one.card), "keys": one.has_keys} for one in known])
        return SUCCESS
    for one in known:
        write(f"{one.card.name}  {one.card.role}  {'keys here' if one.has_keys else 'card only'}")
    return SUCCESS


@app.command(epilog="Example: corbie party card laptop-client > laptop-client.card")
def card(name: Annotated[str, typer.Argument(metavar="NAME", help="A known party.")]) -> int:
    """Print a party's card: what others need to trust it. It holds nothing secret."""
    write(card_text(find_known(read_own_settings(), name)).rstrip("\n"))
    return SUCCESS


@app.command(epilog="Example: corbie party new ci-runner --role runner")
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name in use by nobody else.")],
    *,
    role: Annotated[
        Literal["controller", "runner", "client", "viewer"], typer.Option(help="What it is.")
    ],
    as_json: JsonOption = False,
) -> int:
    """Make a party: private keys that stay here, and a card to hand to others."""
    settings = read_own_settings()
    made = create_party(settings, name, role)
    if as_json:
        write_json(_plain(made))
        return SUCCESS
    write(f"made the {role} {made.name}: its keys are in {settings.keys_folder}")
    if role in {"runner", "client"}:
        write(f"next: corbie trust add {made.name}")
    return SUCCESS


def _plain(shown: Card) -> dict[str, JsonValue]:
    return {"name": shown.name, "role": shown.role, "sign": shown.sign, "seal": shown.seal}
