"""`corbie store`: what a store promises, and whether its files are what they claim."""

from typing import Annotated

import typer

from corbie.entrypoints.cli.exits import FAILURE, SUCCESS
from corbie.entrypoints.cli.frame import make_app
from corbie.entrypoints.cli.options import JsonOption, write_json
from corbie.entrypoints.cli.own_settings import read_own_settings
from corbie.entrypoints.cli.printing import write
from corbie.entrypoints.stores import check_promises, verify_store

app = make_app("Look after the store.", example="corbie store verify")


@app.command(epilog="Example: corbie store check file:///srv/corbie")
def check(
    url: Annotated[
        str | None, typer.Argument(metavar="[URL]", help="Default: this computer's store.")
    ] = None,
    *,
    as_json: JsonOption = False,
) -> int:
    """Try each promise that a store must keep, on scratch files that are removed again."""
    settings = read_own_settings(store=url)
    promises = check_promises(settings.store)
    if as_json:
        write_json(
            [
                {"promise": one.promise, "kept": one.is_kept, "detail": one.detail}
                for one in promises
            ]
        )
    else:
        for one in promises:
            write(
                f"ok      {one.promise}" if one.is_kept else f"BROKEN  {one.promise}: {one.detail}"
            )
    return SUCCESS if all(one.is_kept for one in promises) else FAILURE


@app.command(epilog="Example: corbie store verify --json")
def verify(*, as_json: JsonOption = False) -> int:
    """Check each file as far as the parties of this computer can, and name each bad one."""
    done = verify_store(read_own_settings())
    if as_json:
        write_json(
            {
                "opened": done.opened,
                "by_signature": done.by_signature,
                "blobs": done.blobs,
                "unreached": done.unreached,
                "bad": [
                    {"path": one.path, "check": one.check, "what": one.what} for one in done.bad
                ],
            }
        )
        return FAILURE if done.bad else SUCCESS
    for one in done.bad:
        write(f"BAD  {one.path}: refused by the check of {one.check}: {one.what}")
    write(
        f"{done.opened} files passed every check, {done.by_signature} sealed for others passed"
        f" by signature, {done.blobs} blobs opened, {done.unreached} could not be reached;"
        f" {len(done.bad)} bad"
    )
    return FAILURE if done.bad else SUCCESS
