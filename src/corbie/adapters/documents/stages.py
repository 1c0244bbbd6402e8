"""The parts of a definition: texts, durations, entries, jobs and stages.

Source: Definitions, Jobs; Machines, Flow; Permissions and approval, Entries.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from corbie.adapters.documents.fields import read_fields
from corbie.adapters.documents.models import Fields, JobFields, StageFields
from corbie.domain.definitions.check import PlaceOf
from corbie.domain.definitions.context_paths import resolve_path
from corbie.domain.definitions.flow import Stage
from corbie.domain.definitions.jobs import SCRIPT_TIMEOUT_DEFAULT, ScriptJob
from corbie.domain.errors import ValueRefused
from corbie.domain.expressions.template import (
    OPEN,
    Expression,
    Template,
    Tree,
    parse_expression,
    parse_text,
    parse_tree,
)
from corbie.domain.permission_filling import check_entry_parts
from corbie.domain.permissions import parse_entry
from corbie.domain.places import DefinitionRefused, Place, Problem
from corbie.domain.ports.evaluator import Evaluator
from corbie.domain.ports.schemas import Path
from corbie.domain.times import Span, parse_span
from corbie.domain.values import JsonValue

F = TypeVar("F", bound=Fields)

_NO_EXPRESSION = "no expression can stand here"


@dataclass(slots=True)
class Parts:
    """Reads the parts of one document; `problems` are those found so far."""

    evaluator: Evaluator
    find_place: PlaceOf
    file: str
    problems: list[Problem] = field(default_factory=list)

    def stages(self, written: JsonValue, path: Path) -> dict[str, Stage]:
        """Give every stage by its name; one that is wrong has defaults in place of what is."""
        if not isinstance(written, dict):
            return {}
        if not written:
            self.report(path, "a flow has at least one stage", "write NAME: and below it job:")
        stages: dict[str, Stage] = {}
        for name, value in written.items():
            if name == "include":
                what = '"include" is not supported by this version of corbie yet'
                self.problems.append(
                    Problem(place=self.find_place((*path, name), *_NAME), what=what)
                )
            else:
                stages[name] = self._stage(name, value, (*path, name))
        return stages

    def fields(self, model: type[F], written: JsonValue, path: Path) -> F:
        """Give the fields of a mapping."""
        fields, problems = read_fields(model, written, path, self.find_place)
        self.problems += problems
        return fields

    def tree(self, value: JsonValue, path: Path) -> Tree:
        """Give a value with its expressions parsed."""
        tree, problems = parse_tree(
            value, lambda inner: self.place((*path, *inner)), self.evaluator
        )
        self.problems += problems
        return tree

    def text(self, text: str | None, path: Path) -> str | Template | None:
        """Give a text with its expressions parsed."""
        if text is None:
            return None
        return self._parse(text, path, "")

    def span(self, text: str, path: Path) -> Span:
        """Give a duration in which no expression can stand."""
        if OPEN in text:
            self.report(path, _NO_EXPRESSION, "write a duration, as 30s")
            return SCRIPT_TIMEOUT_DEFAULT
        try:
            return parse_span(text)
        except ValueRefused as error:
            self._report_refused(path, error)
            return SCRIPT_TIMEOUT_DEFAULT

    def entries(self, texts: Sequence[str], path: Path) -> tuple[str | Template, ...]:
        """Give permission entries, those with an expression as templates."""
        return tuple(self._entry(text, self._item(path, index)) for index, text in enumerate(texts))

    def denials(self, texts: Sequence[str], path: Path) -> tuple[str, ...]:
        """Give permission entries in which no expression can stand."""
        for index, text in enumerate(texts):
            if OPEN in text:
                self.report(self._item(path, index), _NO_EXPRESSION, "write the scope itself")
            else:
                self._check_entry(text, self._item(path, index))
        return tuple(texts)

    def place(self, path: Path) -> Place:
        """Give the place of a part's value."""
        return self.find_place(path, *_VALUE)

    def report(self, path: Path, what: str, mend: str) -> None:
        """Note a problem of a part."""
        self.problems.append(Problem(place=self.place(path), what=what, mend=mend))

    def report_name(self, name: str, what: str, mend: str) -> None:
        """Note a problem of a field of the definition, at its name."""
        place = self.find_place((name,), *_NAME)
        self.problems.append(Problem(place=place, what=what, mend=mend))

    def _stage(self, name: str, written: JsonValue, path: Path) -> Stage:
        fields = self.fields(StageFields, written, path)
        values = written if isinstance(written, dict) else {}
        condition = values.get("when")
        when = None if condition is None else self._condition(condition, (*path, "when"))
        for index, one in enumerate(fields.follows):
            if OPEN in one:
                self.report((*path, "follows", index), _NO_EXPRESSION, "write a stage's name")
        return Stage(
            name=name,
            place=self.find_place(path, *_NAME),
            job=self._job(values.get("job"), (*path, "job")),
            when=when,
            follows=tuple(one for one in fields.follows if OPEN not in one),
        )

    def _job(self, written: JsonValue, path: Path) -> ScriptJob:
        bare = ScriptJob(script="", place=self.place(path))
        if written is None:
            # Its absence is reported with the stage's fields.
            return bare
        if isinstance(written, str):
            return self._short_job(written, path, bare)
        fields = self.fields(JobFields, written, path)
        values = written if isinstance(written, dict) else {}
        for index, tag in enumerate(fields.runner):
            if OPEN in tag:
                self.report((*path, "runner", index), _NO_EXPRESSION, "write the tag itself")
        return ScriptJob(
            script=self._script(fields.script, (*path, "script")) if fields.script else "",
            place=self.place((*path, "script")),
            input=self.tree(values.get("input"), (*path, "input")),
            allow=self.entries(fields.allow, (*path, "allow")),
            timeout=self._timeout(fields.timeout, (*path, "timeout")),
            runner=tuple(fields.runner),
        )

    def _short_job(self, text: str, path: Path, bare: ScriptJob) -> ScriptJob:
        """Give the job that a text alone is: the path of a script."""
        if text.endswith((".yaml", ".yml")):
            self.report(path, "a machine is not supported by this version of corbie yet", "")
            return bare
        if not text.endswith(".js") and OPEN not in text:
            what = f'"{text[:80]}" is no job'
            self.report(path, what, 'write the path of a script, which ends in ".js"')
            return bare
        return ScriptJob(script=self._script(text, path), place=bare.place)

    def _script(self, text: str, path: Path) -> str:
        if OPEN in text:
            what = "a script from an expression is not supported by this version of corbie yet"
            self.report(path, what, "write its path")
            return ""
        if not text.endswith(".js"):
            self.report(path, f'"{text[:80]}" is no script', 'write a path that ends in ".js"')
            return ""
        try:
            return resolve_path(text, self.file)
        except ValueRefused as error:
            self._report_refused(path, error)
            return ""

    def _timeout(self, text: str | None, path: Path) -> Span | Template:
        if text is None:
            return SCRIPT_TIMEOUT_DEFAULT
        parsed = self.text(text, path)
        return parsed if isinstance(parsed, Template) else self.span(text, path)

    def _entry(self, text: str, path: Path) -> str | Template:
        parsed = self._parse(text, path, "all")
        if isinstance(parsed, str):
            self._check_entry(parsed, path)
            return parsed
        parts = [part if isinstance(part, str) else None for part in parsed.parts]
        for what in check_entry_parts(parts):
            self._report_refused(path, ValueRefused(what))
        return parsed

    def _check_entry(self, text: str, path: Path) -> None:
        try:
            parse_entry(text)
        except ValueRefused as error:
            self._report_refused(path, error)

    def _parse(self, text: str, path: Path, otherwise: str) -> str | Template:
        try:
            return parse_text(text, self.place(path), self.evaluator)
        except DefinitionRefused as error:
            self.problems += error.problems
            return otherwise

    def _condition(self, written: JsonValue, path: Path) -> Expression | None:
        try:
            return parse_expression(written, self.place(path), self.evaluator)
        except DefinitionRefused as error:
            self.problems += error.problems
            return None

    def _item(self, path: Path, index: int) -> Path:
        return (*path, index)

    def _report_refused(self, path: Path, error: ValueRefused) -> None:
        what, _, mend = str(error).partition("; ")
        self.report(path, what, mend)


# The last argument of `Document.find_place`.
_VALUE = (False,)
_NAME = (True,)
