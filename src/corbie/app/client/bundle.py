"""A definition with all it needs, read from its context and checked.

Source: Processes, Client; Definitions, The file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from corbie.domain.definitions.machine import Machine
from corbie.domain.definitions.shapes import fill_defaults, problems_in_input
from corbie.domain.definitions.single_script import make_script_flow
from corbie.domain.definitions.sources import collect_sources
from corbie.domain.errors import ValueRefused
from corbie.domain.places import DefinitionRefused, Problem
from corbie.domain.ports.documents import DefinitionReader, DocumentSource
from corbie.domain.ports.schemas import SchemaChecker
from corbie.domain.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A machine that passed every check, and the texts of its scripts by path."""

    machine: Machine
    texts: Mapping[str, str]
    context: str


class InputRefused(ValueRefused):
    """An input does not fit its machine's shape; the text names each place, a line each."""

    code = "bad_input"


def read_bundle(documents: DocumentSource, reader: DefinitionReader[Machine], path: str) -> Bundle:
    """Read the definition, or the script alone, at a path below the context.

    Raises:
        DefinitionRefused: it has problems: all that were found, with their places.
    """
    found: Sequence[Problem] = ()
    machine: Machine | None
    if path.endswith(".js"):
        machine = make_script_flow(path)
    else:
        machine, found = reader.check(documents.read_document(path))
    if machine is None:
        raise DefinitionRefused(found)
    sources, missing = collect_sources(machine, documents)
    if found or missing:
        raise DefinitionRefused([*found, *missing])
    return Bundle(
        machine=replace(machine, requires=sources.requires),
        texts=sources.texts,
        context=documents.root,
    )


def check_input(machine: Machine, given: JsonValue, checker: SchemaChecker) -> None:
    """Return if a run of the machine would accept this input.

    Raises:
        InputRefused: it does not fit; every place is named.
    """
    if machine.input is None:
        return
    value = fill_defaults(machine.input, {} if given is None else given)
    problems = problems_in_input(machine.input, value, checker)
    if problems:
        raise InputRefused("\n".join(problems))
