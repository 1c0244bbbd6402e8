"""`corbie manual`: the pages that are shipped with the package."""

import sys
from pathlib import Path
from typing import Annotated

import typer

import corbie
from corbie.domain.errors import NotFound
from corbie.domain.places import nearest_name
from corbie.entrypoints.cli.exits import SUCCESS
from corbie.entrypoints.cli.frame import make_app

_FIRST = "index"
_EXAMPLE = "corbie manual permissions"

app = make_app("Read the manual.", example=_EXAMPLE)


@app.command(epilog=f"Example: {_EXAMPLE}")
def manual(
    page: Annotated[
        str | None, typer.Argument(metavar="[PAGE]", help="A page; without one, the list.")
    ] = None,
) -> int:
    """Print a page of the manual."""
    pages = {path.stem: path for path in sorted(manual_folder().glob("*.md"))}
    name = page if page is not None else _FIRST
    found = pages.get(name)
    if found is None:
        near = nearest_name(name, pages)
        mend = f'did you mean "{near}"?' if near else f"the pages are {', '.join(pages)}"
        message = f'the manual has no page "{name}"; {mend}'
        raise NotFound(message)
    sys.stdout.write(found.read_text(encoding="utf-8"))
    return SUCCESS


def manual_folder() -> Path:
    """Give the directory of the pages, in the installed package."""
    return Path(corbie.__file__).parent / "manual"
