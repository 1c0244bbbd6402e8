"""What a step asks for, as plain data.

It is written before it is carried out, and carried out again after a crash: every effect names
files by the step and its own index, so that acting twice changes nothing.
Source: Machines, The step; Processes, Controller.
"""

from dataclasses import dataclass
from typing import Literal

from corbie.domain.cards import Card
from corbie.domain.names import JobId, MessageName
from corbie.domain.orders import JobOrder
from corbie.domain.times import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class StartJob:
    """Send a job to a runner. The runner's card stands here: nobody else need look it up."""

    order: JobOrder
    runner: Card
    kind: Literal["start_job"] = "start_job"


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelJob:
    """Tell a runner to end a job, or never to begin it. `due` is the job's."""

    job: JobId
    due: Instant
    runner: Card
    kind: Literal["cancel_job"] = "cancel_job"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetWake:
    """Look at the run again when it is due. `name` is the wake's file name."""

    due: Instant
    name: str
    kind: Literal["set_wake"] = "set_wake"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Answer a client's message: `ok`, or why not."""

    message: MessageName
    text: str
    kind: Literal["answer"] = "answer"


Effect = StartJob | CancelJob | SetWake | Answer

ANSWER_OK = "ok"
KEEP_WAKE = "keep"
"""The wake that deletes an ended run. Source: Processes, Ending."""
