"""YAML to plain values with the place of each part.

The C parser (libyaml) cuts the text into events; what they mean is decided in `yaml_nodes`,
what libyaml reads otherwise than YAML 1.2 is refused by `yaml_lint`.
Source: Definitions, The file.
"""

from collections.abc import Callable, Iterator
from typing import Any

import yaml

from corbie.adapters.documents.yaml_faults import explain_fault
from corbie.adapters.documents.yaml_lint import Lint, end_last_line, find_refused_character
from corbie.adapters.documents.yaml_nodes import Composer, Node
from corbie.domain.places import DefinitionRefused, Place, Problem, join_path
from corbie.domain.ports.documents import Document

TEXT_BYTES_MAX = 4 * 1024 * 1024


def read_yaml(text: bytes, file: str) -> Document:
    """Give the value of a YAML text, with the problems that leave a value to be checked.

    Raises:
        DefinitionRefused: no value can be made: too large, not UTF-8, a syntax error, several
            documents, too deep, or aliases that make too much.
    """
    decoded = _decode(text, file)
    refused = find_refused_character(decoded, file)
    if refused:
        raise DefinitionRefused(refused)
    composer = Composer(file=file)
    lint = Lint(text=decoded, file=file)
    try:
        for event in _events(decoded):
            lint.look(event)
            composer.take(event)
    except yaml.YAMLError as error:
        fault = explain_fault(error, decoded, file)
        raise DefinitionRefused([*composer.problems, *lint.problems, fault]) from error
    root = composer.finish()
    return Document(
        file=file,
        value=root.value,
        find_place=_make_finder(root, file),
        problems=(*composer.problems, *lint.problems),
    )


def _decode(text: bytes, file: str) -> str:
    """Give the text without its byte order mark."""
    if len(text) > TEXT_BYTES_MAX:
        what = "the file is larger than 4 MiB; a definition has at most 4 MiB"
        raise DefinitionRefused([Problem(place=Place(file=file), what=what)])
    try:
        return end_last_line(text.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        start = text.rfind(b"\n", 0, error.start) + 1
        column = len(text[start : error.start].decode("utf-8")) + 1
        place = Place(file=file, line=line, column=column)
        what = f"the file is not UTF-8: byte {error.start} is 0x{text[error.start]:02x}"
        mend = "save it as UTF-8"
        raise DefinitionRefused([Problem(place=place, what=what, mend=mend)]) from error


def _events(text: str) -> Iterator[Any]:
    parser = yaml.CSafeLoader(text)
    while parser.check_event():
        yield parser.get_event()


def _make_finder(root: Node, file: str) -> Callable[[tuple[str | int, ...], bool], Place]:
    def find_place(path: tuple[str | int, ...], is_name: bool) -> Place:  # noqa: FBT001 - the port
        node: Node | None = root
        line, column, shown = root.line, root.column, ""
        for index, part in enumerate(path):
            shown = join_path(shown, part)
            found = _child(node, part) if node is not None else None
            node = found[2] if found is not None else None
            if found is not None and node is not None:
                named = is_name and index == len(path) - 1
                line, column = found[:2] if named else (node.line, node.column)
        return Place(file=file, line=line, column=column, path=shown)

    return find_place


def _child(node: Node, part: str | int) -> tuple[int, int, Node] | None:
    """Give the line and column of a field's name, or of an item, and its node."""
    if isinstance(part, str):
        return node.fields.get(part) if node.fields is not None else None
    if node.items is None or not 0 <= part < len(node.items):
        return None
    item = node.items[part]
    return item.line, item.column, item
