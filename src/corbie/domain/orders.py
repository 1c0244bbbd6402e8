"""What a runner is told about one job, and what it says back.

Source: Scripts (`job`); Definitions, Failure has one shape.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from corbie.domain.blobs import BlobRef
from corbie.domain.cards import Card
from corbie.domain.names import JobId, RunId
from corbie.domain.permissions import Layer
from corbie.domain.times import Instant
from corbie.domain.values import JsonValue

__all__ = ["Emitted", "JobOrder", "JobOutcome", "Layer", "OutcomeStatus"]

OutcomeStatus = Literal["done", "error", "timeout", "denied", "cancelled", "limit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOrder:
    """One attempt at one script job.

    `name` is the author's (the stage), `machine` the definition's; `script` is the path of the
    main script among `files`, which maps each path below the context to the blob of its text.
    `due` is when the runner ends it, `emits_max` how many values it may emit; `request` stays the
    same across restarts after failure.
    """

    job: JobId
    run: RunId
    name: str
    machine: str
    script: str
    files: Mapping[str, BlobRef]
    input: JsonValue = None
    layers: tuple[Layer, ...]
    due: Instant
    client: Card
    emits_max: int | None = None
    attempt: int = 1
    request: str = ""
    key: str | None = None
    engine: str = "quickjs"
    secrets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOutcome:
    """How an attempt ended.

    `error` is one sentence for people; `place` is `script.js:LINE:COLUMN` or the like; `stack`
    has a line a frame. A denial has the entry that was lacking, the layer in words and the line
    to add. `emitted` counts the values it emitted, logs not among them.
    """

    status: OutcomeStatus
    output: JsonValue = None
    error: str | None = None
    data: JsonValue = None
    place: str | None = None
    stack: str | None = None
    refused: str | None = None
    layer: str | None = None
    fix: str | None = None
    emitted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Emitted:
    """One thing a script said while it ran: a log line, or a value it emitted.

    For a log `level` is info, warn or error and `value` the text; for an emit `level` is
    "emit", `name` the event's name or None, and `value` what was emitted.
    """

    at: Instant
    level: Literal["info", "warn", "error", "emit"]
    value: JsonValue = None
    name: str | None = None
