"""`corbie trust`: whom this computer's controller trusts, and with what."""

from typing import Annotated

import typer

from corbie.domain.cards import TrustEntry
from corbie.domain.permissions import format_entry, parse_entry
from corbie.domain.values import JsonValue
from corbie.entrypoints.cli.exits import SUCCESS, CommandRefused
from corbie.entrypoints.cli.frame import make_app, read_option
from corbie.entrypoints.cli.options import JsonOption, write_json
from corbie.entrypoints.cli.own_settings import read_own_settings
from corbie.entrypoints.cli.printing import write, write_note
from corbie.entrypoints.parties import Grant, find_known, open_book, remove_trust
from corbie.entrypoints.parties import trust as put_trust

SOON = "a controller that runs knows of it within 5 seconds; runs under way go on as they began"

app = make_app("Whom the controller of this computer trusts.", example="corbie trust ls")


@app.command(epilog="Example: corbie trust add alice.card --allow net:example.com")
def add(
    card: Annotated[str, typer.Argument(metavar="CARD|NAME", help="A card's file, or a name.")],
    *,
    tag: Annotated[list[str] | None, typer.Option(help="A runner's; may be repeated.")] = None,
    places: Annotated[
        int | None, typer.Option(help="How many jobs a runner is sent at once.")
    ] = None,
    allow: Annotated[
        list[str] | None, typer.Option(metavar="ENTRY", help="A client's; may be repeated.")
    ] = None,
    secrets: Annotated[
        str | None, typer.Option(metavar="NAMES", help="A client's, with commas; * for all.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Trust a party; one that is trusted already is trusted with this as well."""
    if places is not None and places < 1:
        message = "--places: write a whole number from 1"
        raise CommandRefused(message)
    grant = Grant(
        tags=tuple(tag or ()),
        places=places,
        allow=tuple(format_entry(read_option("--allow", parse_entry, one)) for one in allow or ()),
        secrets=tuple(one.strip() for one in (secrets or "").split(",") if one.strip()),
    )
    settings = read_own_settings()
    party = find_known(settings, card)
    entry = put_trust(settings, party, grant)
    if as_json:
        write_json(_plain(entry) if entry is not None else {"name": party.name})
    elif entry is not None:
        write(_line(entry))
        write_note(SOON)
    else:
        write(f"the card of the controller {party.name} is kept: the runner here works for it")
    return SUCCESS


@app.command(epilog="Example: corbie trust ls --json")
def ls(*, as_json: JsonOption = False) -> int:
    """List who is trusted, and with what."""
    entries = open_book(read_own_settings()).list_entries()
    if as_json:
        write_json([_plain(entry) for entry in entries])
        return SUCCESS
    for entry in entries:
        write(_line(entry))
    return SUCCESS


@app.command(epilog="Example: corbie trust rm alice")
def rm(name: Annotated[str, typer.Argument(metavar="NAME", help="A trusted party.")]) -> int:
    """Trust a party no more. What it started or took before goes on."""
    party = remove_trust(read_own_settings(), name)
    write(f"{party} is not trusted any more; its card stays here")
    write_note(SOON)
    return SUCCESS


def _line(entry: TrustEntry) -> str:
    parts = [f"{entry.card.name}  {entry.card.role}"]
    if entry.card.role == "runner":
        if entry.tags:
            parts.append(f"tags {', '.join(entry.tags)}")
        if entry.places is not None:
            parts.append(f"places {entry.places}")
    else:
        parts.append(f"allow {', '.join(entry.allow) or 'nothing'}")
        parts.append(f"secrets {', '.join(entry.secrets) or 'none'}")
    return "  ".join(parts)


def _plain(entry: TrustEntry) -> JsonValue:
    return {
        "name": entry.card.name,
        "role": entry.card.role,
        "tags": list(entry.tags),
        "places": entry.places,
        "allow": list(entry.allow),
        "secrets": list(entry.secrets),
    }
