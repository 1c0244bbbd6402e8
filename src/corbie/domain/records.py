"""The content of each kind of file: messages, steps, statuses, receipts, emits and marks.

`app.files` turns these to signed files and back. Source: The store, Layout; Processes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from corbie.domain.blobs import BlobRef
from corbie.domain.cards import TrustEntry
from corbie.domain.errors import ValueRefused
from corbie.domain.names import JobId, RunId
from corbie.domain.orders import Emitted, JobOrder, JobOutcome
from corbie.domain.placing import RunnerSeen
from corbie.domain.steps.effects import Effect
from corbie.domain.steps.events import Event
from corbie.domain.steps.state import RunState, RunStatus
from corbie.domain.times import Instant
from corbie.domain.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class StartMessage:
    """A client asks for a run. The message is named by the run.

    `context` is the absolute path submitted from. `large` as in `StepRecord`.
    """

    run: RunId
    type: str
    machine: str
    definition: BlobRef
    input: JsonValue = None
    context: str = ""
    key: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    large: Mapping[str, BlobRef] = field(default_factory=dict)
    kind: Literal["start"] = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelMessage:
    """A client cancels a run, or one job of it by name."""

    run: RunId
    job: str | None = None
    kind: Literal["cancel"] = "cancel"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveMessage:
    """A client asks that an ended run be deleted before its time."""

    run: RunId
    kind: Literal["remove"] = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultMessage:
    """A runner says how a job ended. The message is named by the job: there is one."""

    job: JobId
    run: RunId
    outcome: JobOutcome
    large: Mapping[str, BlobRef] = field(default_factory=dict)
    kind: Literal["result"] = "result"


ControllerMessage = StartMessage | CancelMessage | RemoveMessage | ResultMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class JobMessage:
    """A controller sends a job. The message is named by the job."""

    order: JobOrder
    large: Mapping[str, BlobRef] = field(default_factory=dict)
    kind: Literal["job"] = "job"


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelJobMessage:
    """A controller cancels a job, begun or not. The message is named `JOB~cancel`."""

    job: JobId
    run: RunId
    due: Instant
    kind: Literal["cancel_job"] = "cancel_job"


RunnerMessage = JobMessage | CancelJobMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The answer to a client's message: `ok`, or why not."""

    run: RunId
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What anyone who may list runs can read of one: no input, output, error or log line.

    `step` is the newest step it knows of, `jobs` maps the author's name of each job under way
    to its runner ("" while it waits for one), `reason` the kind of failure.
    """

    run: RunId
    type: str
    machine: str
    status: RunStatus
    step: int
    started: Instant
    ended: Instant | None = None
    reason: str | None = None
    key: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    jobs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """One step: all that it was computed from, and what it gave.

    Anyone who may read it can compute it again: `runners` are those the step could choose from
    where it looked for one. `large` maps a JSON pointer into this record to the blob whose
    content stands there: values over 64 KiB are kept so, unseen.
    """

    run: RunId
    number: int
    at: Instant
    events: tuple[Event, ...]
    state: RunState
    effects: tuple[Effect, ...]
    runners: tuple[RunnerSeen, ...] = ()
    large: Mapping[str, BlobRef] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmitBatch:
    """What a job said since the batch before, in order."""

    job: JobId
    emitted: tuple[Emitted, ...]
    large: Mapping[str, BlobRef] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The mark that a copy of a runner took a job, or was told never to begin it."""

    job: JobId
    instance: str
    is_cancelled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Alive:
    """A copy of a runner lives: on which computer and as which process, and what it holds.

    `capacity` is how many jobs it runs at once; `started` tells a process from a later one of
    the same number.
    """

    instance: str
    host: str
    process: int
    started: str
    capacity: int
    version: str
    jobs: tuple[JobId, ...] = ()


Content = (
    StartMessage
    | CancelMessage
    | RemoveMessage
    | ResultMessage
    | JobMessage
    | CancelJobMessage
    | Receipt
    | Status
    | StepRecord
    | EmitBatch
    | Taken
    | Alive
    | TrustEntry
)


LABELS_MAX = 32
LABEL_LENGTH_MAX = 100
NAME_LENGTH_MAX = 256


def require_start_fits(
    kind: str, machine: str, labels: Mapping[str, str], key: str | None = None
) -> None:
    """Return if what a start says of its run can stand in the run's status.

    Raises:
        ValueRefused: it cannot; it names what is too long.
    """
    if max(len(kind), len(machine), len(key or "")) > NAME_LENGTH_MAX:
        message = f"a run's type, machine and key have at most {NAME_LENGTH_MAX} characters each"
        raise ValueRefused(message)
    if len(labels) > LABELS_MAX:
        message = f"a run has at most {LABELS_MAX} labels, not {len(labels)}"
        raise ValueRefused(message)
    for name, value in labels.items():
        is_fit = 0 < len(name) <= LABEL_LENGTH_MAX and len(value) <= LABEL_LENGTH_MAX
        if not is_fit or not (name + value).isprintable():
            message = (
                f"the label {name[:40]}={value[:40]} must have a name and at most"
                f" {LABEL_LENGTH_MAX} printable characters on each side"
            )
            raise ValueRefused(message)
