"""Definitions as authors write them.

`Document` is a plain value with the place of each of its parts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from corbie.domain.places import Place, Problem
from corbie.domain.values import JsonValue

M_co = TypeVar("M_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A value read from a file.

    `find_place` gives the place of the part at a path (a tuple of names and indexes): of the
    value there, or, with `is_name`, of the field's name. `problems` are those of the text that
    still left a value to be checked: whoever reads the value refuses it for them as well.
    """

    file: str
    value: JsonValue
    find_place: Callable[[tuple[str | int, ...], bool], Place]
    problems: tuple[Problem, ...] = ()


class DocumentSource(Protocol):
    """The files below one directory, the context. Paths are relative to it, with `/`."""

    @property
    def root(self) -> str:
        """The context's absolute path."""
        ...

    def read_document(self, path: str) -> Document:
        """Read a YAML file.

        Raises:
            DefinitionRefused: missing, a directory, outside the context, not UTF-8, over 4 MiB,
                or not YAML as Corbie reads it; every problem with its place.
        """
        ...

    def read_text(self, path: str) -> str:
        """Read a script or another text file; raises ValueRefused in the same cases."""
        ...


class DefinitionReader(Protocol[M_co]):
    """A document, or a stored full form, to a machine."""

    def read(self, document: Document) -> M_co:
        """Give the machine a document defines.

        Raises:
            DefinitionRefused: every problem, with its place.
        """
        ...

    def check(self, document: Document) -> tuple[M_co | None, Sequence[Problem]]:
        """Give every problem of a document, and what machine there is beside them.

        Where something is wrong the machine has a default, so that what it refers to can be
        looked at as well; it is None where the document is no definition at all. A machine
        without a problem is what `read` gives.
        """
        ...

    def read_full_form(self, data: bytes) -> M_co:
        """Give the machine of a stored full form.

        Raises:
            ValueRefused: not a full form.
        """
        ...


Sources = Mapping[str, str]
"""Path below the context to the text of a script."""
