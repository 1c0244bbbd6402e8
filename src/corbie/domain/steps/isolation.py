"""Steps taken elsewhere: what a step depends on, as data, and what it gives.

A run that once held up its controller has its steps taken in a limited child process.
Source: Values and expressions, What it may use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from corbie.domain.definitions.machine import Machine
from corbie.domain.names import RunId
from corbie.domain.placing import RunnerSeen
from corbie.domain.steps.context import StepContext
from corbie.domain.steps.effects import Effect
from corbie.domain.steps.events import Event
from corbie.domain.steps.state import RunState
from corbie.domain.steps.step import Step
from corbie.domain.times import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class StepAsked:
    """All that a step depends on but the machine and the two ports."""

    run: RunId
    number: int
    at: Instant
    runners: tuple[RunnerSeen, ...]
    state: RunState | None
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepGiven:
    """What a step gives."""

    state: RunState
    effects: tuple[Effect, ...]


class StepTaker(Protocol):
    """Takes steps somewhere else than in this process."""

    def take(
        self,
        machine: Machine,
        state: RunState | None,
        events: Sequence[Event],
        context: StepContext,
    ) -> Step:
        """Give the step that `domain.steps.step` gives.

        Raises:
            EvaluatorLost: it passed the limits of time or memory there, or that process died.
        """
        ...
