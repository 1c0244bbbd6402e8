"""Flows: stages, each run at most once, and what each waits for. Source: Machines, Flow."""

from collections.abc import Mapping
from dataclasses import dataclass

from corbie.domain.definitions.jobs import ScriptJob
from corbie.domain.expressions.template import Expression, Tree
from corbie.domain.places import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage.

    `waits_for` names every stage that must end before it: those its values read and those it
    `follows`, in the order written, each once.
    """

    name: str
    place: Place
    job: ScriptJob
    when: Expression | None = None
    follows: tuple[str, ...] = ()
    waits_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Stages by name in the order written, and the run's output."""

    stages: Mapping[str, Stage]
    output: Tree = None
