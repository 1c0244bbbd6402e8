"""`PydanticDefinitionReader`: a document, or a stored full form, to a machine.

Every problem is found before any is raised; each has its place. Knows nothing of YAML.
Source: Definitions; Machines, Flow.
"""

from collections.abc import Mapping
from dataclasses import replace

from corbie.adapters.documents.models import (
    BlobFields,
    DefinitionFields,
    FullFields,
    LimitFields,
)
from corbie.adapters.documents.stages import Parts
from corbie.domain.blobs import BlobRef
from corbie.domain.definitions.check import check_machine
from corbie.domain.definitions.flow import Flow
from corbie.domain.definitions.full_form import FULL_FORM_BYTES_MAX, make_full
from corbie.domain.definitions.machine import KEEP_DEFAULT, Machine
from corbie.domain.definitions.shapes import make_schema
from corbie.domain.errors import ValueRefused
from corbie.domain.limits import Limits
from corbie.domain.places import DefinitionRefused, Place, Problem, join_path
from corbie.domain.ports.documents import Document
from corbie.domain.ports.evaluator import Evaluator
from corbie.domain.ports.schemas import Path, SchemaChecker
from corbie.domain.values import JsonValue, kind_of, parse_json

_TYPES = ("flow", "statechart", "agent")
_BEGIN = 'begin with the type and the name, as in "flow: digest"'


class PydanticDefinitionReader:
    """A `DefinitionReader` of machines."""

    def __init__(
        self, *, evaluator: Evaluator, checker: SchemaChecker, engine: str = "quickjs"
    ) -> None:
        """Hold the engine that reads expressions, its name, and the checker of shapes."""
        self._evaluator = evaluator
        self._checker = checker
        self._engine = engine

    def read(self, document: Document) -> Machine:
        """Give the machine that a document defines."""
        machine, problems = self.check(document)
        if machine is None or problems:
            raise DefinitionRefused(problems)
        return machine

    def check(self, document: Document) -> tuple[Machine | None, list[Problem]]:
        """Give every problem of a document, and what machine there is beside them."""
        parts = Parts(evaluator=self._evaluator, find_place=document.find_place, file=document.file)
        parts.problems += document.problems
        if not self._has_type(document.value, parts):
            return None, parts.problems
        fields = parts.fields(DefinitionFields, document.value, ())
        bare = Machine(name="", body=Flow(stages={}), full={}, engine=self._engine)
        return self._make(fields, document.value, parts, bare)

    def read_full_form(self, data: bytes) -> Machine:
        """Give the machine of a stored full form; its places have paths and no lines."""
        if len(data) > FULL_FORM_BYTES_MAX:
            message = "the full form is larger than 4 MiB"
            raise ValueRefused(message)
        written = parse_json(data, what="the full form")
        parts = Parts(evaluator=self._evaluator, find_place=_place_in_full, file="")
        fields = parts.fields(FullFields, written, ())
        values = written if isinstance(written, dict) else {}
        bare = Machine(
            name="",
            body=Flow(stages={}),
            full={},
            engine=fields.engine,
            files=_read_files(values.get("files"), parts),
            requires={script: tuple(paths) for script, paths in fields.requires.items()},
        )
        machine, problems = self._make(fields, written, parts, bare)
        if problems:
            message = f"not a full form: {DefinitionRefused(problems)}"
            raise ValueRefused(message)
        return machine

    def _make(
        self, fields: DefinitionFields, written: JsonValue, parts: Parts, bare: Machine
    ) -> tuple[Machine, list[Problem]]:
        """Give the bare machine with all that is written, and every problem."""
        values = written if isinstance(written, dict) else {}
        machine = replace(
            bare,
            name=fields.flow,
            input=self._schema(values.get("input"), parts),
            title=parts.text(fields.title, ("title",)),
            keep=KEEP_DEFAULT if fields.keep is None else parts.span(fields.keep, ("keep",)),
            limits=_read_limits(values.get("limits"), parts),
            allow=parts.entries(fields.allow, ("allow",)),
            deny=parts.denials(fields.deny, ("deny",)),
            meta=values.get("meta"),
            body=Flow(
                stages=parts.stages(values.get("stages"), ("stages",)),
                output=parts.tree(values.get("output"), ("output",)),
            ),
        )
        machine, problems = check_machine(machine, parts.find_place, self._evaluator)
        found = list(dict.fromkeys([*parts.problems, *problems]))
        return (machine if found else replace(machine, full=make_full(machine))), found

    def _schema(self, shape: JsonValue, parts: Parts) -> Mapping[str, JsonValue] | None:
        if shape is None:
            return None
        schema, problems = make_schema(
            shape, lambda path: parts.place(("input", *path)), self._checker
        )
        parts.problems += problems
        return schema

    def _has_type(self, written: JsonValue, parts: Parts) -> bool:
        """Tell whether a document is a flow, noting why it is not."""
        if not isinstance(written, dict):
            what = f"a definition is a mapping of fields, not a {kind_of(written)}"
            parts.report((), what, _BEGIN)
            return False
        found = [name for name in _TYPES if name in written]
        if len(found) > 1:
            parts.report_name(found[1], "a definition has one type", "remove one of the two")
        if not found:
            # Its absence is reported with the other fields.
            return True
        if found[0] != "flow":
            what = f'the type "{found[0]}" is not supported by this version of corbie yet'
            parts.report_name(found[0], what, "")
            return False
        if next(iter(written)) != "flow":
            parts.report_name("flow", "the type and the name come first", "move this line up")
        return True


def _place_in_full(path: Path, is_name: bool) -> Place:  # noqa: ARG001, FBT001 - the port's form
    shown = ""
    for part in path:
        shown = join_path(shown, part)
    return Place(file="", path=shown)


def _read_limits(written: JsonValue, parts: Parts) -> Limits:
    # What is no mapping is reported with the definition's fields.
    fields = parts.fields(LimitFields, written if isinstance(written, dict) else {}, ("limits",))
    is_none = fields.timeout == "none"
    return Limits(
        timeout=None if is_none else parts.span(fields.timeout, ("limits", "timeout")),
        jobs=fields.jobs,
        events=fields.events,
        emits=fields.emits,
    )


def _read_files(written: JsonValue, parts: Parts) -> dict[str, BlobRef]:
    files: dict[str, BlobRef] = {}
    for path, value in written.items() if isinstance(written, dict) else ():
        one = parts.fields(BlobFields, value, ("files", path))
        files[path] = BlobRef(
            blob=one.blob, key=one.key, size=one.size, sha256=one.sha256, type=one.type
        )
    return files
