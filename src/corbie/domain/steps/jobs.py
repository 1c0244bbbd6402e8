"""Starting a job of any machine: fill it in, bound it, place it.

Source: Definitions, Jobs; Permissions, Layers; Processes, Runners and places.
"""

from collections.abc import Sequence
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
from corbie.domain.times import SECOND, Span, later, parse_span
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
    draft.jobs_started += 1
    job_id = draft.next_job()
    _place(draft, machine, job, (job_id, name), scope)
    return job_id


def place_waiting(draft: Draft, machine: Machine, waiting: JobId, job: ScriptJob) -> None:
    """Look again for a runner for a job that waits; it is filled in with what holds now.

    Raises:
        JobNotFilled: an expression of the job failed.
    """
    name = draft.jobs[waiting].name
    scope = LazyScope(draft, f"{name}/again", machine.body.stages[name].waits_for)
    try:
        _place(draft, machine, job, (waiting, name), scope)
    finally:
        scope.close()


def _place(
    draft: Draft, machine: Machine, job: ScriptJob, named: tuple[JobId, str], scope: ExpressionScope
) -> None:
    """Send a job, by its ID and its author's name, to a runner, or have it wait for one."""
    job_id, name = named
    order = _fill_job(draft, machine, job, named, scope)
    chosen = choose_runner(_with_placed(draft), job.runner, job_id, draft.at)
    if chosen is None:
        look = later(draft.at, WAITING_RETRY)
        draft.jobs[job_id] = JobState(name=name, status="waiting", due=look)
        return
    draft.jobs[job_id] = JobState(name=name, status="sent", due=order.due, runner=chosen.card)
    draft.effects.append(StartJob(order=order, runner=chosen.card))


def _with_placed(draft: Draft) -> Sequence[RunnerSeen]:
    """Give the runners with what this step already sent each of them counted."""
    sent = [effect.runner.name for effect in draft.effects if isinstance(effect, StartJob)]
    if not sent:
        return draft.context.runners
    return [
        replace(runner, held=runner.held + sent.count(runner.card.name))
        for runner in draft.context.runners
    ]


def _fill_job(
    draft: Draft, machine: Machine, job: ScriptJob, named: tuple[JobId, str], scope: ExpressionScope
) -> JobOrder:
    before = draft.before
    job_id, name = named
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
        job=job_id,
        run=before.run,
        name=name,
        machine=machine.name,
        script=job.script,
        files=_files_of(machine, job.script),
        input=value,
        layers=layers,
        due=later(draft.at, timeout),
        client=before.client,
        emits_max=machine.limits.emits,
        request=job_id,
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
