"""Starting a job of any machine: fill it in, bound it, place it.

Source: Definitions, Jobs; Permissions, Layers; Processes, Runners and places.
"""

from dataclasses import replace

from corbie.domain.blobs import BlobRef
from corbie.domain.definitions.jobs import ScriptJob
from corbie.domain.definitions.machine import Machine
from corbie.domain.errors import ValueRefused
from corbie.domain.expressions import fill
from corbie.domain.expressions.template import Template
from corbie.domain.names import JobId
from corbie.domain.orders import JobOrder
from corbie.domain.permission_filling import Given, fill_entry
from corbie.domain.permissions import Layer
from corbie.domain.placing import RunnerSeen, choose_runner
from corbie.domain.ports.evaluator import ExpressionScope
from corbie.domain.steps.draft import Draft
from corbie.domain.steps.effects import StartJob
from corbie.domain.steps.reading import LazyScope
from corbie.domain.steps.state import Failure, JobState
from corbie.domain.times import SECOND, Instant, Span, later, parse_span
from corbie.domain.values import JsonValue

WAITING_RETRY = Span(30 * SECOND)
"""How often a job that found no runner looks for one again."""


class JobNotFilled(ValueRefused):
    """A job's values or entries cannot be filled in: it fails as that job, with `failure`."""

    def __init__(self, failure: Failure) -> None:
        """Hold the failure."""
        super().__init__(failure.error)
        self.failure = failure


def start_job(
    draft: Draft, machine: Machine, name: str, job: ScriptJob, scope: ExpressionScope
) -> JobId | None:
    """Start a job under its author's name; None if the run's limit ended the run instead.

    Raises:
        JobNotFilled: an expression of the job failed.
    """
    limit = machine.limits.jobs
    if limit is not None and draft.jobs_started >= limit:
        draft.fail_with(
            f"the run would start more than {limit} jobs; raise limits: jobs", status="limit"
        )
        return None
    filled = _fill_job(draft, machine, name, job, scope)
    draft.jobs_started += 1
    order_id = draft.next_job()
    _place(draft, job, replace(filled, job=order_id, request=order_id))
    return order_id


def place_waiting(draft: Draft, machine: Machine, waiting: JobId, job: ScriptJob) -> None:
    """Look again for a runner for a job that waits; it is filled in with what holds now."""
    state = draft.jobs[waiting]
    scope = LazyScope(draft, f"{state.name}/again", machine.body.stages[state.name].waits_for)
    try:
        filled = _fill_job(draft, machine, state.name, job, scope)
    finally:
        scope.close()
    _place(draft, job, replace(filled, job=waiting, request=waiting))


def _place(draft: Draft, job: ScriptJob, order: JobOrder) -> None:
    timeout = Span(order.due)
    chosen = choose_runner(_with_placed(draft), job.runner, order.job, draft.at)
    if chosen is None:
        draft.jobs[order.job] = JobState(
            name=order.name, status="waiting", due=later(draft.at, WAITING_RETRY)
        )
        return
    due = later(draft.at, timeout)
    draft.jobs[order.job] = JobState(
        name=order.name, status="sent", due=due, runner=chosen.card, attempt=order.attempt
    )
    draft.effects.append(StartJob(order=replace(order, due=due), runner=chosen.card))


def _with_placed(draft: Draft) -> list[RunnerSeen]:
    """Give the runners with what this step already sent each of them counted."""
    sent = [effect.runner.name for effect in draft.effects if isinstance(effect, StartJob)]
    return [
        replace(runner, held=runner.held + sent.count(runner.card.name))
        for runner in draft.context.runners
    ]


def _fill_job(
    draft: Draft, machine: Machine, name: str, job: ScriptJob, scope: ExpressionScope
) -> JobOrder:
    """Give the order, with its timeout in `due` until it is placed."""
    before = draft.before
    try:
        value = fill.fill_tree(job.input, scope)
        timeout = _fill_timeout(job, scope)
        layers = _layers(draft, machine, name, job)
    except fill.FillFault as fault:
        raise JobNotFilled(Failure(status="error", error=str(fault))) from fault
    except ValueRefused as fault:
        text = f"{job.place.path}: {fault}"
        raise JobNotFilled(Failure(status="error", error=text)) from fault
    return JobOrder(
        job=JobId(""),
        run=before.run,
        name=name,
        machine=machine.name,
        script=job.script,
        files=_files_of(machine, job.script),
        input=value,
        layers=layers,
        due=Instant(timeout),
        client=before.client,
        emits_max=machine.limits.emits,
        key=before.key,
        engine=machine.engine,
    )


def _files_of(machine: Machine, script: str) -> dict[str, BlobRef]:
    needed = machine.requires.get(script, ())
    return {path: machine.files[path] for path in (script, *needed)}


def _fill_timeout(job: ScriptJob, scope: ExpressionScope) -> Span:
    if not isinstance(job.timeout, Template):
        return job.timeout
    value = fill.fill_tree(job.timeout, scope)
    if not isinstance(value, str):
        message = "the timeout is no text like 30s"
        raise ValueRefused(message)
    return parse_span(value)


def _layers(draft: Draft, machine: Machine, name: str, job: ScriptJob) -> tuple[Layer, ...]:
    scope = LazyScope(draft, f"{name}/allow")
    try:
        allow = tuple(fill_allow(entry, scope) for entry in (*job.allow, *machine.allow))
    finally:
        scope.close()
    definition = f'the definition of "{machine.name}"'
    client = draft.before.client.name
    own = Layer(
        says=f'the job "{name}" in {definition}',
        fix="add {entry} to the allow list of that job",
        allow=allow,
    )
    ceiling = Layer(
        says=f'what the controller trusts the client "{client}" with',
        fix=f"run: corbie trust add {client} --allow {{entry}}",
        allow=draft.before.ceiling,
    )
    if not machine.deny:
        return own, ceiling
    deny = Layer(
        says=definition,
        fix="remove {entry} from the deny list of that definition",
        deny=machine.deny,
    )
    return own, deny, ceiling


def fill_allow(entry: str | Template, scope: ExpressionScope) -> str:
    """Give an entry with what its scope's expressions give, read as no pattern.

    Raises:
        FillFault: an expression failed.
        ValueRefused: what it gave cannot stand in a scope.
    """
    if isinstance(entry, str):
        return entry
    parts: list[str | Given] = []
    for part in entry.parts:
        if isinstance(part, str):
            parts.append(part)
        else:
            value: JsonValue = fill.fill_expression(part, scope)
            parts.append(Given(value=value))
    return fill_entry(parts)
