"""The working copy of one step: begun from a frozen state, frozen again at its end.

What it was begun from is never changed. Only `domain.steps` sees a draft.
"""

from dataclasses import replace

from corbie.domain.names import JobId, make_job_id
from corbie.domain.orders import OutcomeStatus
from corbie.domain.steps.context import StepContext
from corbie.domain.steps.effects import CancelJob, Effect
from corbie.domain.steps.state import Failure, FlowBody, JobState, RunState, StageState
from corbie.domain.times import Instant


class Draft:
    """A run while a step is computed, and the effects so far."""

    def __init__(self, state: RunState, context: StepContext, at: Instant) -> None:
        """Copy what a step may change: its mappings; their values are frozen."""
        self.before = state
        self.context = context
        self.at = at
        self.stages: dict[str, StageState] = dict(state.body.stages)
        self.jobs: dict[JobId, JobState] = dict(state.jobs)
        self.taken = dict(state.taken)
        self.title = state.title
        self.input = state.input
        self.jobs_started = state.jobs_started
        self.events_taken = state.events_taken
        self.wake = state.wake
        self.status = state.status
        self.ended = state.ended
        self.output = state.output
        self.failure = state.failure
        self.effects: list[Effect] = []
        self._index = 0

    def has_ended(self) -> bool:
        """Tell whether the run ended, in this step or before."""
        return self.ended is not None

    def next_index(self) -> int:
        """Give the next number of this step's, from 1: each names one file."""
        self._index += 1
        return self._index

    def next_job(self) -> JobId:
        """Give the ID of the next job that this step starts."""
        return make_job_id(self.before.run, self.context.number, self.next_index())

    def cancel_jobs(self) -> None:
        """Cancel every job under way; the run is told of none of them any more."""
        for job, state in self.jobs.items():
            self.cancel_job(job, state)
        self.jobs.clear()

    def cancel_job(self, job: JobId, state: JobState) -> None:
        """Tell the job's runner, if it has one."""
        if state.runner is not None:
            self.effects.append(CancelJob(job=job, due=state.due, runner=state.runner))

    def fail(self, failure: Failure) -> None:
        """End the run as failed, unless it ended before; what is under way is cancelled."""
        if not self.has_ended():
            self.status, self.failure, self.ended = "failed", failure, self.at
            self.cancel_jobs()

    def fail_with(self, error: str, status: OutcomeStatus = "error") -> None:
        """End the run as failed for a reason of its own, not a job's."""
        self.fail(Failure(status=status, error=error))

    def freeze(self) -> RunState:
        """Give the state this step leaves."""
        return replace(
            self.before,
            time=self.at,
            status=self.status,
            input=self.input,
            title=self.title,
            body=FlowBody(stages=self.stages),
            jobs=self.jobs,
            taken=self.taken,
            jobs_started=self.jobs_started,
            events_taken=self.events_taken,
            wake=self.wake,
            ended=self.ended,
            output=self.output,
            failure=self.failure,
        )
