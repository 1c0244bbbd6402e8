"""`corbie run ls`, `show`, `output`, `watch` and `logs`: nothing here changes anything."""

import time
from collections.abc import Iterator
from typing import Annotated

import typer

from corbie.domain.errors import NotFound, Refusal
from corbie.domain.records import Status, StepRecord
from corbie.domain.times import Span, parse_span
from corbie.domain.values import JsonValue
from corbie.entrypoints.cli import rendering
from corbie.entrypoints.cli.exits import FAILURE, SUCCESS
from corbie.entrypoints.cli.frame import read_option
from corbie.entrypoints.cli.options import (
    JsonOption,
    RunArgument,
    read_pairs,
    write_json,
)
from corbie.entrypoints.cli.own_settings import read_own_settings
from corbie.entrypoints.cli.printing import terminal_width, write
from corbie.entrypoints.library import Corbie, Run


class NoOutput(Refusal):
    """The run has no output: it has not ended."""

    code = "no_output"


def ls(
    *,
    running: Annotated[bool, typer.Option("--running", help="Only those under way.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="Only those that failed.")] = False,
    label: Annotated[
        list[str] | None, typer.Option(metavar="A=B", help="Only those with this label.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="D", help="Only those started within, as 1d.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """List this client's runs, oldest first."""
    span = read_option("--since", parse_span, since) if since is not None else None
    labels = read_pairs("--label", label or [])
    corbie = Corbie(config=read_own_settings())
    statuses = corbie.observer.list_statuses(is_finished=not running)
    chosen = [
        one
        for one in statuses
        if (not failed or one.status == "failed")
        and (not running or one.ended is None)
        and labels.items() <= one.labels.items()
        and _is_since(one, span)
    ]
    if as_json:
        write_json([rendering.status_json(one) for one in chosen])
    else:
        for status in chosen:
            write(rendering.status_line(status))
    return SUCCESS


def show(
    run: RunArgument,
    *,
    steps: Annotated[bool, typer.Option("--steps", help="Every step's events.")] = False,
    step: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="One step, whole, as JSON.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show how a run stands.

    Its status and times, the jobs under way and what they wait for, and why it failed.
    """
    corbie = Corbie(config=read_own_settings())
    found = corbie.find(run)
    if step is not None:
        record = corbie.observer.read_step(found.id, step)
        if record is None:
            message = f"{found.id} has no step {step}"
            raise NotFound(message)
        write_json(corbie.plain_step(record))
        return SUCCESS
    newest = corbie.observer.newest_step(found.id)
    status = found.status()
    if as_json:
        write_json(_shown_json(newest, status))
        return SUCCESS
    if steps:
        lines = rendering.StepLines()
        for record in corbie.observer.list_steps(found.id):
            _write_step(lines, record)
        return SUCCESS
    for line in _shown(found, newest):
        write(line)
    return SUCCESS


def output(run: RunArgument, *, as_json: JsonOption = False) -> int:
    """Print what a run gave, as JSON."""
    del as_json  # The output is JSON either way.
    corbie = Corbie(config=read_own_settings())
    found = corbie.find(run)
    newest = corbie.observer.newest_step(found.id)
    state = newest.state
    if state.status == "done":
        write_json(state.output)
        return SUCCESS
    if state.ended is None:
        message = f"the run {found.id} has not ended; follow it: corbie run watch {found.id}"
        raise NoOutput(message)
    text = [rendering.state_line(state, newest.number), *rendering.failure_lines(state)]
    message = "\n".join(["the run gave no output", *text])
    raise NoOutput(message)


def watch(run: RunArgument) -> int:
    """Follow a run to its end, a line for each event and effect."""
    corbie = Corbie(config=read_own_settings())
    found = corbie.find(run)
    lines = rendering.StepLines()
    last: StepRecord | None = None
    for record in found.steps():
        _write_step(lines, record)
        last = record
    if last is None or last.state.status == "done":
        return SUCCESS
    write(rendering.state_line(last.state, last.number))
    for line in rendering.failure_lines(last.state):
        write(line)
    return FAILURE


def logs(
    run: RunArgument,
    job: Annotated[str | None, typer.Argument(metavar="JOB", help="Only this job's.")] = None,
    *,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Until the run ends.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Print what a run's jobs logged and emitted."""
    corbie = Corbie(config=read_own_settings())
    found = corbie.find(run)
    if job is not None:
        _require_job(found, job)
    for said in found.follow_said(job) if follow else found.said(job):
        if as_json:
            write_json(rendering.said_json(said))
        else:
            write(rendering.said_line(said))
    return SUCCESS


def _require_job(run: Run, job: str) -> None:
    """Return if the run's machine has such a job, or it is the ID of one."""
    known = run.machine().body.stages
    if job not in known and not job.startswith(run.id.replace("/", ".")):
        message = f'the run {run.id} has no job "{job}"; its jobs are {", ".join(known)}'
        raise NotFound(message)


def _is_since(status: Status, span: Span | None) -> bool:
    return span is None or status.started >= time.time_ns() - span


def _write_step(lines: rendering.StepLines, record: StepRecord) -> None:
    width = terminal_width()
    for line in lines.lines(record):
        write(line, width=width)


def _shown(run: Run, newest: StepRecord) -> Iterator[str]:
    state = newest.state
    yield rendering.state_line(state, newest.number)
    if state.title is not None:
        yield f"  title: {state.title}"
    for name, value in sorted(state.labels.items()):
        yield f"  label: {name}={value}"
    yield f"  started: {rendering.format_time(state.started)}"
    if state.ended is not None:
        took = rendering.format_took(Span(state.ended - state.started))
        yield f"  ended: {rendering.format_time(state.ended)}, after {took}"
    for job in state.jobs.values():
        if job.runner is not None:
            yield f"  job {job.name}: on {job.runner.name}"
        else:
            yield f"  job {job.name}: waits for a runner{_lacking(run, job.name, newest)}"
    for name, stage in state.body.stages.items():
        if stage.status == "skipped":
            yield f"  stage {name}: skipped, {stage.why}"
    yield from rendering.failure_lines(state)


def _lacking(run: Run, job: str, newest: StepRecord) -> str:
    """Say which of the job's tags no runner carries, or that none carries them together."""
    stage = run.machine().body.stages.get(job)
    wanted = stage.job.runner if stage is not None else ()
    carried = {tag for runner in newest.runners for tag in runner.tags}
    nobody = [tag for tag in wanted if tag not in carried]
    if nobody:
        return f"; nobody has the tag {', '.join(nobody)}"
    return f"; nobody has all of the tags {', '.join(wanted)}" if wanted else ""


def _shown_json(newest: StepRecord, status: Status | None) -> dict[str, JsonValue]:
    state = newest.state
    fields = rendering.outcome_json(state, newest.number)
    fields["title"] = state.title
    fields["input"] = state.input
    fields["jobs"] = {
        job.name: job.runner.name if job.runner is not None else None for job in state.jobs.values()
    }
    shown = rendering.status_json(status) if status is not None else {}
    return {**shown, **fields}
