"""The one function that decides: order of events, dispatch, limits, the end.

Source: Machines, The step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from corbie.domain.definitions.machine import KEEP_DEFAULT, Machine
from corbie.domain.definitions.shapes import fill_defaults, problems_in_input
from corbie.domain.expressions import fill
from corbie.domain.expressions.template import Template
from corbie.domain.invariants import ensure
from corbie.domain.names import JobId, RunId
from corbie.domain.orders import JobOutcome
from corbie.domain.steps.context import StepContext
from corbie.domain.steps.draft import Draft
from corbie.domain.steps.effects import ANSWER_OK, KEEP_WAKE, Answer, Effect, SetWake
from corbie.domain.steps.events import (
    EVENTS_PER_STEP_MAX,
    Cancel,
    Ended,
    Event,
    Start,
    Timer,
    require_start,
)
from corbie.domain.steps.flow import advance_flow, end_flow_job
from corbie.domain.steps.jobs import JobNotFilled, place_waiting
from corbie.domain.steps.reading import LazyScope
from corbie.domain.steps.state import RunState
from corbie.domain.steps.timers import job_deadline, next_look
from corbie.domain.times import DAY, SKEW, Instant, Span, later

TITLE_LENGTH_MAX = 200
REFUSED_KEEP = Span(DAY)
"""How long the record of a refused start stays: past every copy of its message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a step decided. `dropped` are the indexes of the events it took no notice of."""

    state: RunState
    effects: tuple[Effect, ...]
    dropped: tuple[int, ...] = ()


def step(
    machine: Machine, state: RunState | None, events: Sequence[Event], context: StepContext
) -> Step:
    """Give the next step of a run; `state` is None for the first, which begins with `Start`.

    The events are in order (`order_events`), at most 100.
    """
    ensure(0 < len(events) <= EVENTS_PER_STEP_MAX, "a step takes 1 to 100 events")
    rest = list(enumerate(events))
    if state is None:
        draft = _begin(machine, require_start(events), context)
        rest = rest[1:]
    else:
        ensure(state.ended is None, "a run that ended takes no step")
        draft = Draft(state, context, max(context.at, state.time))
    dropped = []
    for index, event in rest:
        if not _take(draft, machine, event):
            dropped.append(index)
    _set_wakes(draft)
    return Step(state=draft.freeze(), effects=tuple(draft.effects), dropped=tuple(dropped))


def refused_step(run: RunId, start: Start, at: Instant) -> Step:
    """Give the step 1 of a start that is not wanted: it says why, and the run never was.

    Source: Processes, Messages (tombstone).
    """
    reason = start.refuse
    ensure(reason is not None, "a refused start says why")
    begun = replace(
        _first_state(run, start, at, REFUSED_KEEP),
        status="refused",
        ended=at,
        taken={start.message: start.until},
    )
    answer = Answer(message=start.message, text=reason or "refused")
    wake = SetWake(due=later(at, REFUSED_KEEP), name=KEEP_WAKE)
    return Step(state=begun, effects=(answer, wake))


def failed_step(
    state: RunState | None, events: Sequence[Event], context: StepContext, why: str
) -> Step:
    """Give the step that fails a run whose next step cannot be taken: too large, or endless.

    No checker computes it again. Source: Values and expressions (limits); Machines, The step.
    """
    if state is None:
        start = require_start(events)
        state = _first_state(context.run, start, context.at, KEEP_DEFAULT)
        draft = Draft(state, context, context.at)
        _answer(draft, start, ANSWER_OK)
    else:
        draft = Draft(state, context, max(context.at, state.time))
    for event in events:
        if isinstance(event, Ended):
            draft.jobs.pop(event.job, None)
    draft.fail_with(why, status="limit")
    for event in events:
        if isinstance(event, Cancel):
            _answer(draft, event, f"the run has ended: {draft.status}")
    _set_wakes(draft)
    return Step(state=draft.freeze(), effects=tuple(draft.effects))


def _first_state(run: RunId, start: Start, at: Instant, keep: Span) -> RunState:
    return RunState(
        run=run,
        client=start.client,
        type=start.type,
        machine=start.machine,
        definition=start.definition,
        started=at,
        time=at,
        keep=keep,
        input=start.input,
        context=start.context,
        key=start.key,
        labels=start.labels,
        ceiling=start.ceiling,
    )


def _begin(machine: Machine, start: Start, context: StepContext) -> Draft:
    begun = _first_state(context.run, start, context.at, machine.keep)
    limit = machine.limits.timeout
    if limit is not None:
        begun = replace(begun, timeout=later(context.at, limit))
    draft = Draft(begun, context, context.at)
    _answer(draft, start, ANSWER_OK)
    draft.events_taken = 1
    _fit_input(draft, machine)
    if not draft.has_ended():
        _fill_title(draft, machine)
    if not draft.has_ended():
        advance_flow(draft, machine)
    return draft


def _fit_input(draft: Draft, machine: Machine) -> None:
    if machine.input is None:
        draft.input = {} if draft.input is None else draft.input
        return
    given = {} if draft.input is None else draft.input
    draft.input = fill_defaults(machine.input, given)
    problems = problems_in_input(machine.input, draft.input, draft.context.checker)
    if problems:
        draft.fail_with("\n".join(problems))


def _fill_title(draft: Draft, machine: Machine) -> None:
    if machine.title is None:
        return
    text = machine.title
    if isinstance(text, Template):
        scope = LazyScope(draft, "title")
        try:
            text = fill.fill_text(text, scope)
        except fill.FillFault as fault:
            draft.fail_with(str(fault))
            return
        finally:
            scope.close()
    draft.title = " ".join(text.split())[:TITLE_LENGTH_MAX]


def _take(draft: Draft, machine: Machine, event: Event) -> bool:
    """Dispatch one event wholly; False for one that nothing takes."""
    if isinstance(event, Cancel):
        return _take_cancel(draft, machine, event)
    if draft.has_ended():
        return False
    draft.events_taken += 1
    limit = machine.limits.events
    if limit is not None and draft.events_taken > limit:
        draft.fail_with(
            f"the run would take more than {limit} events; raise limits: events", status="limit"
        )
        return False
    match event:
        case Start():
            return False
        case Ended():
            if event.job not in draft.jobs:
                return False
            end_flow_job(draft, event.job, event.outcome)
        case Timer():
            _take_timer(draft, machine)
    if not draft.has_ended():
        advance_flow(draft, machine)
    return True


def _take_cancel(draft: Draft, machine: Machine, event: Cancel) -> bool:
    """Cancel the run or a job; answered in every case, also where there is nothing to cancel."""
    if event.message in draft.taken:
        return False
    answer = ANSWER_OK
    if draft.has_ended():
        answer = f"the run has ended: {draft.status}"
    elif event.job is None:
        draft.status, draft.ended = "cancelled", draft.at
        draft.cancel_jobs()
    else:
        named = [job for job, state in draft.jobs.items() if state.name == event.job]
        for job in named:
            draft.cancel_job(job, draft.jobs[job])
            outcome = JobOutcome(status="cancelled", error="cancelled by the client")
            end_flow_job(draft, job, outcome)
            if draft.has_ended():
                break
        if not named:
            answer = f'no job named "{event.job}" is under way'
    _answer(draft, event, answer)
    if not draft.has_ended():
        advance_flow(draft, machine)
    return True


def _answer(draft: Draft, message: Start | Cancel, text: str) -> None:
    """Answer a client's message, and remember that it was taken."""
    draft.taken[message.message] = message.until
    draft.effects.append(Answer(message=message.message, text=text))


def _take_timer(draft: Draft, machine: Machine) -> None:
    """End what is over its time, and look again for runners."""
    timeout = draft.before.timeout
    if timeout is not None and timeout <= draft.at:
        limit = machine.limits.timeout or Span(0)
        draft.fail_with(
            f"the run took longer than {limit // 1_000_000_000} s; raise limits: timeout",
            status="timeout",
        )
        return
    for job, state in list(draft.jobs.items()):
        if job_deadline(state) > draft.at:
            continue
        if state.status == "waiting":
            _place_again(draft, machine, job)
        else:
            draft.cancel_job(job, state)
            text = "its runner did not say how it ended, nor answer in time"
            end_flow_job(draft, job, JobOutcome(status="timeout", error=text))
        if draft.has_ended():
            return


def _place_again(draft: Draft, machine: Machine, job: JobId) -> None:
    stage = machine.body.stages[draft.jobs[job].name]
    try:
        place_waiting(draft, machine, job, stage.job)
    except JobNotFilled as fault:
        outcome = JobOutcome(status="error", error=fault.failure.error)
        end_flow_job(draft, job, outcome)


def _set_wakes(draft: Draft) -> None:
    """Set the wake that deletes an ended run, or the next look at a running one."""
    if draft.has_ended():
        keep = max(draft.before.keep, Span(2 * SKEW))
        draft.effects.append(SetWake(due=later(draft.at, keep), name=KEEP_WAKE))
        return
    look = next_look(draft.jobs.values(), draft.before.timeout)
    is_set = draft.wake is not None and draft.at < draft.wake
    if look is None or (is_set and draft.wake is not None and draft.wake <= look):
        return
    draft.wake = look
    name = f"{draft.context.number}.{draft.next_index()}"
    draft.effects.append(SetWake(due=look, name=name))
