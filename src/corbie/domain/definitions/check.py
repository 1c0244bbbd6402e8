"""Rules of a definition as a whole: names, the stages that are read, circles.

Source: Values and expressions, Names; Machines, Flow.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from corbie.domain.definitions.flow import Flow, Stage
from corbie.domain.definitions.machine import Machine
from corbie.domain.errors import ExpressionFault
from corbie.domain.expressions import scope
from corbie.domain.expressions.template import Expression, Tree, expressions_in
from corbie.domain.names import is_author_name
from corbie.domain.places import Place, Problem, nearest_name
from corbie.domain.ports.evaluator import Evaluator, Reading
from corbie.domain.ports.schemas import Path

PlaceOf = Callable[[Path, bool], Place]
"""The place of a part of a definition, or of its name."""


def check_machine(
    machine: Machine, place_of: PlaceOf, evaluator: Evaluator
) -> tuple[Machine, list[Problem]]:
    """Give the machine with what each stage waits for, and every problem of the whole."""
    checker = _Checker(evaluator=evaluator, place_of=place_of, stages=machine.body.stages)
    checker.check_name(machine.name, (machine.type,), is_name=False)
    checker.read(machine.title, scope.TITLE)
    checker.read(list(machine.allow), scope.ALLOW)
    stages = {name: checker.link_stage(stage) for name, stage in machine.body.stages.items()}
    checker.read(machine.body.output, scope.OUTPUT)
    for circle in find_circles({name: stage.waits_for for name, stage in stages.items()}):
        checker.report_circle(circle)
    body = Flow(stages=stages, output=machine.body.output)
    return replace(machine, body=body), checker.problems


def find_circles(waits: Mapping[str, Collection[str]]) -> list[tuple[str, ...]]:
    """Give names that wait for one another, each circle once, none twice in two circles."""
    left = {name: set(others) for name, others in waits.items()}
    circles: list[tuple[str, ...]] = []
    while _drop_free(left):
        path: list[str] = []
        name = next(iter(left))
        while name not in path:
            path.append(name)
            # The order written, so that the same definition gives the same circle.
            name = next(other for other in waits[name] if other in left)
        circle = path[path.index(name) :]
        circles.append(tuple(circle))
        for one in circle:
            del left[one]
    return circles


def _drop_free(left: dict[str, set[str]]) -> bool:
    """Take out, again and again, what waits for nothing that is left; tell if any is."""
    waiters: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for name, others in left.items():
        # Not `intersection`, which walks all names that are left for each of them.
        here = {other for other in others if other in left}
        others.intersection_update(here)
        counts[name] = len(here)
        for other in here:
            waiters.setdefault(other, []).append(name)
    free = [name for name, count in counts.items() if not count]
    while free:
        name = free.pop()
        del left[name]
        for waiter in waiters.get(name, ()):
            counts[waiter] -= 1
            if not counts[waiter]:
                free.append(waiter)
    return bool(left)


@dataclass(slots=True)
class _Checker:
    """Collects problems; `stages` are those of the flow under check."""

    evaluator: Evaluator
    place_of: PlaceOf
    stages: Mapping[str, Stage]
    problems: list[Problem] = field(default_factory=list)

    def check_name(self, name: str, path: Path, *, is_name: bool) -> None:
        """Note a name that its author may not give; one that is missing is noted elsewhere."""
        if (name or is_name) and not is_author_name(name):
            mend = "use a letter, then up to 63 letters, digits, _ or -"
            place = self.place_of(path, is_name)
            self.problems.append(Problem(place=place, what=f'"{name[:80]}" is no name', mend=mend))

    def read(self, tree: Tree, given: Collection[str]) -> list[str]:
        """Give the stages that a tree reads, noting names and stages that are not there."""
        return self._read_all(expressions_in(tree), given)

    def link_stage(self, stage: Stage) -> Stage:
        """Give a stage with what it waits for."""
        path = ("stages", stage.name)
        self.check_name(stage.name, path, is_name=True)
        self.read(list(stage.job.allow), scope.ALLOW)
        trees: list[Tree] = [stage.job.input]
        if not isinstance(stage.job.timeout, int):
            trees.append(stage.job.timeout)
        read = self.read(trees, scope.STAGE)
        read += self._read_all([stage.when] if stage.when else [], scope.STAGE)
        for index, name in enumerate(stage.follows):
            if name in self.stages:
                read.append(name)
            else:
                self._report_unknown(name, self.place_of((*path, "follows", index), *_VALUE))
        wanted = set(read)
        ordered = [name for name in self.stages if name in wanted] if wanted else []
        return replace(stage, waits_for=tuple(ordered))

    def report_circle(self, circle: tuple[str, ...]) -> None:
        """Note stages that wait for one another."""
        place = self.stages[circle[0]].place
        if len(circle) == 1:
            what = f'the stage "{circle[0]}" waits for itself'
        else:
            what = f"the stages {' -> '.join((*circle, circle[0]))} wait for one another"
        self.problems.append(Problem(place=place, what=what))

    def _read_all(self, expressions: Iterable[Expression], given: Collection[str]) -> list[str]:
        read: list[str] = []
        for expression in expressions:
            reading = self._reading(expression)
            if reading is None:
                continue
            self.problems += scope.check_names(reading, given, expression)
            if "stages" in given:
                self.problems += scope.check_members(reading, self.stages, expression)
                read += [name for name in scope.members_read(reading) if name in self.stages]
        return read

    def _reading(self, expression: Expression) -> Reading | None:
        try:
            return self.evaluator.read_names(expression.source, members_of="stages")
        except ExpressionFault as fault:
            self.problems.append(Problem(place=expression.place, what=fault.what))
            return None

    def _report_unknown(self, name: str, place: Place) -> None:
        near = nearest_name(name, self.stages)
        mend = f'did you mean "{near}"?' if near else ""
        self.problems.append(
            Problem(place=place, what=f'there is no stage "{name[:80]}"', mend=mend)
        )


# The last argument of a `PlaceOf`.
_VALUE = (False,)
