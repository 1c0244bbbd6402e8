"""Where an author wrote something, and what is wrong there.

Source: Definitions, The file (the form of a problem).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from corbie.domain.errors import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A spot in a file: line and column count from 1, 0 where unknown.

    `path` is where in the document: names joined by dots, indexes in brackets, as
    `stages.get.job.input[3]`; empty for the document itself.
    """

    file: str
    line: int = 0
    column: int = 0
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong, and, where known, what to write instead.

    `mend` is a whole clause: `did you mean "stages"?` or `write it as a list`.
    """

    place: Place
    what: str
    mend: str = ""


class DefinitionRefused(Refusal):
    """A definition has problems: all of them, sorted by place."""

    code: ClassVar[str] = "bad_definition"

    def __init__(self, problems: Iterable[Problem]) -> None:
        """Hold the problems in the order of file, line and column."""
        self.problems = sorted(
            problems, key=lambda one: (one.place.file, one.place.line, one.place.column)
        )
        super().__init__("\n".join(format_problem(problem) for problem in self.problems))


def format_problem(problem: Problem) -> str:
    """Write `FILE:LINE:COLUMN: PATH: what is wrong; what to write`."""
    place = problem.place
    where = place.file
    if place.line:
        where += f":{place.line}:{place.column}"
    path = f" {place.path}:" if place.path else ""
    mend = f"; {problem.mend}" if problem.mend else ""
    return f"{where}:{path} {problem.what}{mend}"


def join_path(path: str, part: str | int) -> str:
    """Give the path of a field or an item of what stands at a path."""
    if isinstance(part, int):
        return f"{path}[{part}]"
    return f"{path}.{part}" if path else part


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Give the known name that differs from this one by at most a third of its letters."""
    best: str | None = None
    # A name of one letter is near to every other, which helps nobody.
    least = (max(1, len(name) // 3) if len(name) > 1 else 0) + 1
    for candidate in known:
        if abs(len(candidate) - len(name)) >= least:
            continue
        distance = _distance(name.lower(), candidate.lower())
        if distance < least:
            best, least = candidate, distance
    return best


def _distance(one: str, other: str) -> int:
    """Count the letters to insert, drop, replace or swap with a neighbour."""
    before: list[int] = []
    previous = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        current = [i]
        for j, right in enumerate(other, 1):
            cost = min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        before, previous = previous, current
    return previous[-1]
