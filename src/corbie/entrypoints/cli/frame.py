"""How a command line finds its command: Typer, with a command's module imported when named.

`make_app` makes the Typer app of a command's module; `run_words` carries out a command line.
"""

import os
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from importlib import import_module
from typing import Annotated, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import Abort, TyperException
from typer.main import get_command

from corbie.domain.errors import Bug, ValueRefused
from corbie.entrypoints.cli import exits
from corbie.entrypoints.cli.registry import COMMANDS, Command

_PACKAGE = "corbie.entrypoints.cli"

T = TypeVar("T")


def run_words(words: list[str], commands: Mapping[str, Command] = COMMANDS) -> int:
    """Carry out a command line without its first word, `corbie`; give the exit status.

    What a command raises passes through, except a mistake in the words, which is printed here
    with where to read more.
    """
    root = _make_root({*words, *_completed_words()}, commands)
    try:
        status = root.main(args=words, prog_name="corbie", standalone_mode=False)
    except Abort:
        # Typer's word for the end of input or Ctrl-C at a question.
        return exits.INTERRUPTED
    except TyperException as error:
        exits.print_error(_describe_mistake(error))
        return exits.USAGE if error.exit_code == exits.USAGE else exits.FAILURE
    return status if isinstance(status, int) else exits.SUCCESS


def make_app(summary: str, *, example: str, has_completion: bool = False) -> typer.Typer:
    """Give an empty Typer app in the house's form: plain help with an example at its end.

    With one command added it is that command, with more a group.
    """
    return typer.Typer(
        help=summary,
        epilog=f"Example: {example}",
        no_args_is_help=True,
        # Rich would add 0.1 s to every help page and frame each in boxes.
        rich_markup_mode=None,
        add_completion=has_completion,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def read_option(flag: str, parse: Callable[[str], T], text: str) -> T:
    """Give an option's value as its parser reads it.

    Raises:
        CommandRefused: the parser refused the text.
    """
    try:
        return parse(text)
    except ValueRefused as error:
        message = f"{flag}: {error}"
        raise exits.CommandRefused(message) from error


def _make_root(named: AbstractSet[str], commands: Mapping[str, Command]) -> TyperGroup:
    """Give `corbie` itself with every command; one not named is no more than a line of help."""
    app = make_app(
        "Run durable machines on nothing but a store of files.",
        example="corbie test title.yaml --watch",
        has_completion=True,
    )
    app.callback()(_root)
    root = get_command(app)
    if not isinstance(root, TyperGroup):
        message = "an app with a callback is a group"
        raise Bug(message)
    for name, command in commands.items():
        if name in named:
            root.add_command(get_command(_import_app(command)), name)
        else:
            root.add_command(TyperCommand(name, help=command.help), name)
    return root


def _root(
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error arose.")] = False,
) -> None:
    """Stand for the options that `main` answers, so that the help lists them."""


def _import_app(command: Command) -> typer.Typer:
    module, _, attribute = command.target.partition(":")
    app = getattr(import_module(f"{_PACKAGE}.{module}"), attribute)
    if not isinstance(app, typer.Typer):
        message = f"{command.target} is no Typer app"
        raise Bug(message)
    return app


def _completed_words() -> list[str]:
    """Give the words a shell asks to complete; they stand in the environment, not in arguments."""
    # bash sets the first, zsh and fish the second.
    asked = [os.environ.get(name, "") for name in ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")]
    return " ".join(asked).split()


def _describe_mistake(error: TyperException) -> str:
    """Give a sentence in the house's form, and the help page to read."""
    text = error.format_message().strip().rstrip(".")
    context = getattr(error, "ctx", None)
    if context is None:
        return text
    if not text or text.startswith("Usage:"):
        return f"a command is missing\n\n{context.get_help()}"
    return f"{text[0].lower()}{text[1:]}\nsee: {context.command_path} --help"
