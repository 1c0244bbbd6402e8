"""The commands by name: where each is written and its line of help.

`corbie --help` prints this table and imports none of them. A module's attribute is a Typer app
made by `frame.make_app`: with one command it is that command, with several a group.
"""

from typing import NamedTuple


class Command(NamedTuple):
    """One word after `corbie`: `module:attribute` below this package, and what it does."""

    target: str
    help: str


COMMANDS: dict[str, Command] = {
    "version": Command("version:app", "Print the version."),
}
