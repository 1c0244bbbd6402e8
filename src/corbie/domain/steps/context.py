"""What a step depends on besides the machine, the state and the events.

Source: Machines, The step.
"""

from dataclasses import dataclass

from corbie.domain.names import RunId
from corbie.domain.placing import RunnerSeen
from corbie.domain.ports.evaluator import Evaluator
from corbie.domain.ports.schemas import SchemaChecker
from corbie.domain.times import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class StepContext:
    """The run, the step's number (from 1) and time, the runners to be had, and the two ports."""

    run: RunId
    number: int
    at: Instant
    runners: tuple[RunnerSeen, ...]
    evaluator: Evaluator
    checker: SchemaChecker

    def seed(self, what: str) -> str:
        """Give the seed of the chance that one part of the step sees."""
        return f"{self.run}/{self.number}/{what}"
