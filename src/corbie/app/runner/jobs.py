"""The jobs a runner has under way, and what they have said so far.

A job runs beside the runner's pass; what it says and how it ends come over two queues, which
the pass empties. All store calls are the pass's.
Source: Processes, Runner (emits in batches).
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from corbie.domain.names import JobId, PartyName
from corbie.domain.orders import Emitted, JobOrder, JobOutcome
from corbie.domain.paths import StorePath
from corbie.domain.ports.scripts import ScriptHost
from corbie.domain.times import MILLISECOND, Instant, Span, later
from corbie.domain.values import stable_text

BATCH_BYTES = 64 * 1024
FRAME_BYTES = 100
"""About what a line takes beside its value: a batch of short ones must fit its file too."""

BATCH_AFTER = Span(250 * MILLISECOND)
LOST = "the runner stopped while this job was running"
SAID_BYTES_MAX = 64 * 1024 * 1024
"""What one job may log and emit in all: as much as whatever is handed over whole."""


@dataclass(slots=True, kw_only=True)
class RunningJob:
    """One job under way: its order, who sent it, its message, and what it said."""

    order: JobOrder
    controller: PartyName
    message: StorePath
    said: deque[tuple[Emitted, int]] = field(default_factory=deque)
    on_said: Callable[[], None] = lambda: None
    said_bytes: int = 0
    written_bytes: int = 0
    dropped: int = 0
    emitted: int = 0
    batches: int = 0
    pending_since: Instant | None = None
    outcome: JobOutcome | None = None
    is_aborted: bool = False

    def run(self, host: ScriptHost, sources: Mapping[str, str]) -> None:
        """Run to the end, unless it ended before it began; called beside the pass."""

        def hear(emitted: Emitted) -> None:
            self.hear(emitted)
            if self.is_over_limit:
                host.cancel(self.order.job)

        if self.outcome is None:
            self.outcome = host.run(self.order, sources, hear)

    def hear(self, emitted: Emitted) -> None:
        """Keep what the job said; past 64 MiB only how much more it was."""
        if emitted.level == "emit":
            self.emitted += 1
        size = len(stable_text(emitted.value)) + len(emitted.name or "") + FRAME_BYTES
        if self.said_bytes + size > SAID_BYTES_MAX:
            self.dropped += 1
            return
        self.said_bytes += size
        self.said.append((emitted, size))
        if self.pending_since is None:
            self.pending_since = emitted.at
            self.on_said()

    @property
    def is_over_limit(self) -> bool:
        """Whether the job emitted more values than it may."""
        limit = self.order.emits_max
        return limit is not None and self.emitted > limit

    @property
    def is_full(self) -> bool:
        """Whether there is a batch's worth to write."""
        return self.said_bytes - self.written_bytes >= BATCH_BYTES

    def say(self, emitted: Emitted) -> None:
        """Add a line of the runner's own to what the job said."""
        self.said.append((emitted, 0))

    def final_outcome(self) -> JobOutcome:
        """Give how the job ended, with how many values it emitted."""
        outcome = self.outcome or JobOutcome(status="error", error="the job has not ended")
        if self.is_over_limit:
            text = f"it emitted more than {self.order.emits_max} values; raise limits: emits"
            outcome = JobOutcome(status="limit", error=text)
        elif self.is_aborted and outcome.status == "cancelled":
            outcome = JobOutcome(status="error", error=LOST)
        return replace(outcome, emitted=self.emitted)

    def flush_due(self) -> Instant | None:
        """Give when what was said should be written, None where nothing was."""
        since = self.pending_since
        return None if since is None else later(since, BATCH_AFTER)

    def take_batch(self) -> tuple[Emitted, ...]:
        """Give what was said and not yet written, up to about 64 KiB, at least one thing."""
        # First: what is said from here on is pending again, whichever thread is ahead.
        self.pending_since = None
        batch: list[Emitted] = []
        size = 0
        while self.said and size < BATCH_BYTES:
            emitted, length = self.said.popleft()
            batch.append(emitted)
            size += length
        self.written_bytes += size
        return tuple(batch)


def job_names(jobs: Mapping[JobId, RunningJob]) -> tuple[JobId, ...]:
    """Give the jobs under way, sorted."""
    return tuple(sorted(jobs))
