"""The names that expressions read at each place, and the refusal of any other.

Source: Values and expressions, Names.
"""

from collections.abc import Collection

from corbie.domain.expressions.template import Expression
from corbie.domain.places import Problem, nearest_name
from corbie.domain.ports.evaluator import Reading

TITLE = ("input", "run")
ALLOW = ("input",)
STAGE = ("input", "run", "stages")
STAGE_OF_ITEMS = (*STAGE, "item", "index")
"""A flow's stage that has `each` or `emits`."""
OUTPUT = ("input", "run", "stages")
STATECHART = ("input", "run", "data", "event", "active", "jobs")
AGENT = ("input", "run")
"""An agent's `model`, `system` and `prompt`."""
TOOL = ("input", "run", "args")
TOOL_CALL = (*TOOL, "entry", "tool")
LIST_JOB = ("input", "run")
ASK = ("input", "run")


def check_names(reading: Reading, given: Collection[str], expression: Expression) -> list[Problem]:
    """Give a problem for each name that the place does not give."""
    problems = []
    for name in reading.free:
        if name in given:
            continue
        near = nearest_name(name, given)
        problems.append(
            Problem(
                place=expression.place,
                what=f'"{name}" is not a name here; this place reads {", ".join(given)}',
                mend=f'did you mean "{near}"?' if near else "",
            )
        )
    return problems


def check_members(
    reading: Reading, known: Collection[str], expression: Expression, *, noun: str = "stage"
) -> list[Problem]:
    """Give a problem for each read member that does not exist, and each use that reads none.

    `reading` was made with `members_of`, `known` are the members there are: `stages` may stand
    only as `stages.NAME` or `stages["NAME"]`, since the order of stages is read from it.
    """
    problems = []
    for name, member, _ in reading.members:
        if member is None:
            what = f'"{name}" stands alone in ${{{expression.source.strip()}}}'
            mend = f'write {name}.NAME or {name}["NAME"]'
            problems.append(Problem(place=expression.place, what=what, mend=mend))
        elif member not in known:
            near = nearest_name(member, known)
            mend = f'did you mean "{near}"?' if near else ""
            what = f'there is no {noun} "{member}"'
            problems.append(Problem(place=expression.place, what=what, mend=mend))
    return problems


def members_read(reading: Reading) -> tuple[str, ...]:
    """Give the members an expression reads, each once, in the order they first stand."""
    return tuple(dict.fromkeys(member for _, member, _ in reading.members if member is not None))
