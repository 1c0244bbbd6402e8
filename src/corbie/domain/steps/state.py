"""The state of a run between two steps; frozen, with a stable JSON form of at most 4 MiB.

Source: Machines, The step and Flow.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from corbie.domain.blobs import BlobRef
from corbie.domain.cards import Card
from corbie.domain.names import JobId, MessageName, RunId
from corbie.domain.orders import JobOutcome, OutcomeStatus
from corbie.domain.times import Instant, Span
from corbie.domain.values import JsonValue

RunStatus = Literal["running", "held", "done", "failed", "cancelled", "refused"]
StageStatus = Literal["running", "done", "skipped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How a job or a run failed; one shape wherever it is read.

    Source: Definitions, Jobs (Failure has one shape).
    """

    status: OutcomeStatus
    error: str
    attempt: int = 1
    data: JsonValue = None
    place: str | None = None
    refused: str | None = None
    layer: str | None = None
    fix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """A job under way, by the name its author gave it.

    `waiting` has no runner yet: none has its tags. `due` is when a sent one is ended.
    """

    name: str
    status: Literal["waiting", "sent"]
    due: Instant
    runner: Card | None = None
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StageState:
    """A stage that began, was skipped, or ended. `why` says what it was skipped for."""

    status: StageStatus
    job: JobId | None = None
    output: JsonValue = None
    error: Failure | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowBody:
    """The stages that are no longer to come, by name, in the order they got there."""

    stages: Mapping[str, StageState] = field(default_factory=dict)
    kind: Literal["flow"] = "flow"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """A run as its newest step left it.

    `time` is that step's; `jobs` holds those under way; `taken` the client messages taken, each
    with its `until`, so that none is taken twice; `wake` is the earliest wake that was set and
    has not passed. `ended` and what follows it are set once, by the step that ends the run.
    """

    run: RunId
    client: Card
    type: str
    machine: str
    definition: BlobRef
    started: Instant
    time: Instant
    keep: Span
    status: RunStatus = "running"
    input: JsonValue = None
    context: str = ""
    key: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    ceiling: tuple[str, ...] = ()
    title: str | None = None
    timeout: Instant | None = None
    body: FlowBody = field(default_factory=FlowBody)
    jobs: Mapping[JobId, JobState] = field(default_factory=dict)
    taken: Mapping[MessageName, Instant] = field(default_factory=dict)
    jobs_started: int = 0
    events_taken: int = 0
    wake: Instant | None = None
    ended: Instant | None = None
    output: JsonValue = None
    failure: Failure | None = None


def failure_of(outcome: JobOutcome, attempt: int = 1) -> Failure:
    """Give the failure that an outcome other than `done` is."""
    return Failure(
        status="error" if outcome.status == "done" else outcome.status,
        error=outcome.error or outcome.status,
        attempt=attempt,
        data=outcome.data,
        place=outcome.place,
        refused=outcome.refused,
        layer=outcome.layer,
        fix=outcome.fix,
    )
