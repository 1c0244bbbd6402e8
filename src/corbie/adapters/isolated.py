"""Steps in a child process: limited to 10 seconds and 1 GiB, so that only that run can fail.

Source: Values and expressions, Engines.
"""

import subprocess
import sys
from collections.abc import Sequence

from corbie.adapters.codecs import PydanticCodec
from corbie.domain.definitions.full_form import format_full_form
from corbie.domain.definitions.machine import Machine
from corbie.domain.errors import EvaluatorLost, ValueRefused
from corbie.domain.steps.context import StepContext
from corbie.domain.steps.events import Event
from corbie.domain.steps.isolation import StepAsked, StepGiven
from corbie.domain.steps.state import RunState
from corbie.domain.steps.step import Step

SECONDS_MAX = 10
BYTES_MAX = 1024 * 1024 * 1024
CHILD_MODULE = "corbie.entrypoints.isolated_step"
_START_S = 5

ASKED: PydanticCodec[StepAsked] = PydanticCodec(StepAsked)
GIVEN: PydanticCodec[StepGiven] = PydanticCodec(StepGiven)


class ChildStepTaker:
    """A `StepTaker` with a process for each step: the full form and the question in, JSON out."""

    def take(
        self,
        machine: Machine,
        state: RunState | None,
        events: Sequence[Event],
        context: StepContext,
    ) -> Step:
        """Give the step, or raise `EvaluatorLost`."""
        asked = StepAsked(
            run=context.run,
            number=context.number,
            at=context.at,
            runners=context.runners,
            state=state,
            events=tuple(events),
        )
        try:
            done = subprocess.run(  # noqa: S603 - this program, nothing of a run among its words
                [sys.executable, "-m", CHILD_MODULE],
                input=format_full_form(machine) + b"\n" + ASKED.encode(asked),
                capture_output=True,
                timeout=SECONDS_MAX + _START_S,
                check=True,
            )
            given = GIVEN.decode(done.stdout)
        except (subprocess.SubprocessError, OSError, ValueRefused) as error:
            message = (
                f"its expressions did not end within {SECONDS_MAX} seconds and 1 GiB of memory,"
                " evaluated in a process of their own"
            )
            raise EvaluatorLost(message) from error
        return Step(state=given.state, effects=given.effects)
