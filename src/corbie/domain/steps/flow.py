"""The rules of a flow: which stages begin, what an ended job means, when the flow ends.

Source: Machines, Flow.
"""

from dataclasses import replace

from corbie.domain.definitions.flow import Flow, Stage
from corbie.domain.definitions.machine import Machine
from corbie.domain.expressions import fill
from corbie.domain.invariants import ensure
from corbie.domain.names import JobId
from corbie.domain.orders import JobOutcome
from corbie.domain.steps.draft import Draft
from corbie.domain.steps.jobs import JobNotFilled, start_job
from corbie.domain.steps.reading import LazyScope
from corbie.domain.steps.state import Failure, StageState, failure_of


def advance_flow(draft: Draft, machine: Machine) -> None:
    """Begin or skip every stage whose turn it is; end the flow when none is left."""
    flow = machine.body
    moved = True
    while moved and not draft.has_ended():
        moved = False
        for stage in flow.stages.values():
            if stage.name in draft.stages or not _is_ready(draft, stage):
                continue
            _begin_stage(draft, machine, stage)
            if draft.has_ended():
                return
            # A skipped stage may be what another waits for; a started one changes nothing yet.
            moved = moved or draft.stages[stage.name].status != "running"
    if not draft.has_ended() and _is_over(draft, flow):
        _end_flow(draft, flow)


def end_flow_job(draft: Draft, job: JobId, outcome: JobOutcome) -> None:
    """Take the outcome of a job of this flow that was under way."""
    state = draft.jobs.pop(job)
    name = state.name
    stage = draft.stages.get(name)
    ensure(stage is not None and stage.job == job, f"the job {job} is not its stage's")
    if outcome.status == "done":
        draft.stages[name] = StageState(status="done", job=job, output=outcome.output)
        return
    _fail_stage(draft, name, failure_of(outcome, state.attempt), job)


def _is_ready(draft: Draft, stage: Stage) -> bool:
    ended = ("done", "skipped")
    return all(
        name in draft.stages and draft.stages[name].status in ended for name in stage.waits_for
    )


def _is_over(draft: Draft, flow: Flow) -> bool:
    return len(draft.stages) == len(flow.stages) and all(
        stage.status != "running" for stage in draft.stages.values()
    )


def _begin_stage(draft: Draft, machine: Machine, stage: Stage) -> None:
    scope = LazyScope(draft, stage.name, stage.waits_for)
    try:
        if stage.when is not None and not fill.fill_condition(stage.when, scope):
            draft.stages[stage.name] = StageState(
                status="skipped", why=f"its when gave no: ${{{stage.when.source}}}"
            )
            return
        job = start_job(draft, machine, stage.name, stage.job, scope)
        if job is not None:
            draft.stages[stage.name] = StageState(status="running", job=job)
    except JobNotFilled as fault:
        _fail_stage(draft, stage.name, fault.failure, None)
    except fill.FillFault as fault:
        draft.fail_with(str(fault))
    finally:
        scope.close()


def _fail_stage(draft: Draft, name: str, failure: Failure, job: JobId | None) -> None:
    """Fail a stage, and with it the run: its first failure stops a flow."""
    draft.stages[name] = StageState(status="failed", job=job, error=failure)
    draft.fail(replace(failure, error=f"stage {name}: {failure.error}"))


def _end_flow(draft: Draft, flow: Flow) -> None:
    scope = LazyScope(draft, "output", flow.stages)
    try:
        draft.output = fill.fill_tree(flow.output, scope)
        draft.status, draft.ended = "done", draft.at
    except fill.FillFault as fault:
        draft.fail_with(str(fault))
    finally:
        scope.close()
