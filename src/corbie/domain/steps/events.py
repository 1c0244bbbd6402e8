"""What a step takes: events, in one order. Source: Machines, The step; Definitions, Events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from corbie.domain.blobs import BlobRef
from corbie.domain.cards import Card
from corbie.domain.errors import Bug
from corbie.domain.names import JobId, MessageName
from corbie.domain.orders import JobOutcome
from corbie.domain.times import Instant
from corbie.domain.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The first event of a run.

    `at` is when its message was sent; `message` the client's message to answer and `until` when
    that expires; `ceiling` holds the permission entries that the controller trusts the client
    with; `refuse` is why the run is not wanted, None where it is.
    """

    at: Instant
    message: MessageName
    until: Instant
    client: Card
    type: str
    machine: str
    definition: BlobRef
    input: JsonValue = None
    context: str = ""
    key: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    ceiling: tuple[str, ...] = ()
    refuse: str | None = None
    kind: Literal["start"] = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A job ended: the runner's word, or the report of its loss."""

    at: Instant
    job: JobId
    outcome: JobOutcome
    kind: Literal["ended"] = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """A wake that is due; what it was for is found in the state."""

    at: Instant
    kind: Literal["timer"] = "timer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """A client cancels the run, or one job by its name. `message` and `until` as in `Start`."""

    at: Instant
    message: MessageName
    until: Instant
    job: str | None = None
    kind: Literal["cancel"] = "cancel"


Event = Start | Ended | Timer | Cancel

EVENTS_PER_STEP_MAX = 100


def order_events(events: list[tuple[Event, str]]) -> list[tuple[Event, str]]:
    """Sort events that came with a path each: `start`, then by time, ties by path."""
    return sorted(events, key=lambda one: (one[0].kind != "start", one[0].at, one[1]))


def require_start(events: Sequence[Event]) -> Start:
    """Give the first event of a run's first step.

    Raises:
        Bug: it is another.
    """
    first = events[0] if events else None
    if not isinstance(first, Start):
        message = "a run begins with its start"
        raise Bug(message)
    return first
