"""Options that several commands share, and how their texts are read."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from corbie.domain.errors import ValueRefused
from corbie.domain.values import JsonValue, parse_json, sorted_text
from corbie.entrypoints.cli.exits import CommandRefused
from corbie.entrypoints.cli.printing import write

INPUT_BYTES_MAX = 64 * 1024 * 1024

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
InputOption = Annotated[
    str | None,
    typer.Option("--input", metavar="JSON|@FILE|-", help="The input: JSON, a file, or stdin."),
]
RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="An ID, the end of one, or `last`.")
]


def read_input(text: str | None) -> JsonValue:
    """Give the value that `--input` means: JSON, `@FILE`, or `-` for standard input.

    Raises:
        CommandRefused: the file cannot be read, or what it holds is no JSON value.
    """
    if text is None:
        return None
    data: str | bytes = text
    what = "--input"
    if text == "-":
        what = "--input from standard input"
        data = sys.stdin.buffer.read(INPUT_BYTES_MAX + 1)
    elif text.startswith("@"):
        what = f"--input from {text[1:]}"
        data = _read_file(Path(text[1:]))
    if len(data) > INPUT_BYTES_MAX:
        message = f"{what}: more than {INPUT_BYTES_MAX // 1024 // 1024} MiB"
        raise CommandRefused(message)
    try:
        return parse_json(data, what=what)
    except ValueRefused as error:
        raise CommandRefused(str(error)) from error


def read_pairs(flag: str, texts: list[str]) -> dict[str, str]:
    """Give `A=B` words as a mapping.

    Raises:
        CommandRefused: one has another form, or a name comes twice.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            message = f'{flag}: "{text}" is not of the form NAME=VALUE'
            raise CommandRefused(message)
        if name in pairs:
            message = f'{flag}: "{name}" is given twice'
            raise CommandRefused(message)
        pairs[name] = value
    return pairs


def write_json(value: JsonValue) -> None:
    """Write a value as one line of compact JSON with sorted fields."""
    write(json_line(value))


def json_line(value: JsonValue) -> str:
    """Give compact JSON with sorted fields, in which no character can steer a terminal."""
    text = sorted_text(value)
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _escaped(one) for one in text)


def _escaped(character: str) -> str:
    """Give the JSON escapes of one character: two for one past U+FFFF."""
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[index : index + 4]}" for index in range(0, len(units), 4))


def _read_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(INPUT_BYTES_MAX + 1)
    except OSError as error:
        message = f"--input: {path} cannot be read: {error.strerror}"
        raise CommandRefused(message) from error
