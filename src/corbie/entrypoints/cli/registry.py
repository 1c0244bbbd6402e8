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
    "init": Command("init:app", "Set this computer up: parties that trust each other, a store."),
    "test": Command("test:app", "Run a definition or a script in memory."),
    "check": Command("check:app", "Report every problem of a definition, and what it may do."),
    "start": Command("start:app", "Serve as controller and runner."),
    "run": Command("run:app", "Start runs, read and follow them, end them."),
    "party": Command("party:app", "The parties whose cards are here."),
    "trust": Command("trust:app", "Whom the controller of this computer trusts."),
    "store": Command("store:app", "Check the store's promises and its files."),
    "config": Command("config:app", "Print the settings, and where each came from."),
    "manual": Command("manual:app", "Read the manual."),
    "version": Command("version:app", "Print the version."),
}
