"""Records to lines of text, and to the plain values that `--json` prints; no decisions.

Source: Interfaces (`--watch`); Permissions, Layers (the lines of a refusal).
"""

from collections.abc import Iterator

from corbie.app.client.observe import Said
from corbie.domain.names import JobId
from corbie.domain.records import Status, StepRecord
from corbie.domain.steps.effects import CancelJob, StartJob
from corbie.domain.steps.events import Cancel, Ended, Event, Start
from corbie.domain.steps.state import Failure, RunState, failure_of
from corbie.domain.times import MILLISECOND, Instant, Span, format_instant
from corbie.domain.values import JsonValue
from corbie.entrypoints.cli.options import json_line

ROOT_NUMBER = 1
"""The number of the run that is watched; its children will count on from it."""


class StepLines:
    """The lines of a run's steps, one for each event and effect, in order.

    It learns the names of jobs from the steps it is given: begin with the first.
    """

    def __init__(self) -> None:
        """Know no job yet."""
        self._names: dict[JobId, str] = {}

    def lines(self, record: StepRecord) -> Iterator[str]:
        """Give the lines of the next step."""
        before = f"{format_time(record.at)} {ROOT_NUMBER} step {record.number}"
        for event in record.events:
            yield f"{before} <- {self._event(event)}"
        for effect in record.effects:
            if isinstance(effect, StartJob):
                self._names[effect.order.job] = effect.order.name
                yield f"{before} -> job {effect.order.name}: a script, on {effect.runner.name}"
            elif isinstance(effect, CancelJob):
                yield f"{before} -> cancel {self._name(effect.job)}"
        for job, state in record.state.jobs.items():
            if state.status == "waiting" and job not in self._names:
                yield f"{before} -> job {state.name}: a script, waits for a runner"
            self._names[job] = state.name
        if record.state.ended is not None:
            yield f"{before} {ending(record.state)}"

    def _event(self, event: Event) -> str:
        match event:
            case Start():
                return f"start {json_line(event.input)}"
            case Ended(outcome=outcome) if outcome.status == "done":
                return f"done from {self._name(event.job)} {json_line(outcome.output)}"
            case Ended(outcome=outcome):
                failure = json_line(failure_json(failure_of(outcome)))
                return f"failed from {self._name(event.job)} {failure}"
            case Cancel(job=None):
                return "cancel from client"
            case Cancel(job=job):
                return f"cancel from client {json_line({'job': job})}"
            case _:
                return "timer"

    def _name(self, job: JobId) -> str:
        return self._names.get(job, job)


def ending(state: RunState) -> str:
    """Write how a run stands: `done`, `failed (denied)`, `running`."""
    reason = state.failure.status if state.failure is not None else None
    return format_status(state.status, reason)


def format_status(status: str, reason: str | None) -> str:
    """Write a status with the kind of its failure."""
    return f"{status} ({reason})" if status == "failed" and reason else status


def status_line(status: Status) -> str:
    """Write the line of a run, as `run ls` lists it."""
    shown = format_status(status.status, status.reason)
    labels = "".join(f"  {name}={value}" for name, value in sorted(status.labels.items()))
    return f"{status.run}  {shown}  {status.type} {status.machine}  step {status.step}{labels}"


def state_line(state: RunState, step: int) -> str:
    """Write the line of a run whose state is known."""
    return f"{state.run}  {ending(state)}  {state.type} {state.machine}  step {step}"


def failure_lines(state: RunState) -> Iterator[str]:
    """Write why a run failed: the three lines of a refusal, or the error and its place."""
    failure = state.failure
    if failure is None:
        return
    if failure.refused is not None:
        yield f"  refused: {failure.refused}"
        yield f"  by: {failure.layer}"
        yield f"  fix: {failure.fix}"
        return
    yield "  error: " + failure.error.replace("\n", "\n    ")
    if failure.place is not None:
        yield f"  place: {failure.place}"
    if failure.data is not None:
        yield f"  data: {json_line(failure.data)}"


def said_line(said: Said) -> str:
    """Write one thing a job said, with when it did."""
    return f"{format_time(said.emitted.at)} {said_text(said)}"


def said_text(said: Said) -> str:
    """Write one thing a job said: `NAME: text`, `NAME warn: text`, `NAME emit: VALUE`."""
    emitted = said.emitted
    if emitted.level == "emit":
        name = f" {emitted.name}" if emitted.name is not None else ""
        return f"{said.name} emit{name}: {json_line(emitted.value)}"
    text = emitted.value if isinstance(emitted.value, str) else json_line(emitted.value)
    level = "" if emitted.level == "info" else f" {emitted.level}"
    return f"{said.name}{level}: {text}"


def format_time(instant: Instant) -> str:
    """Write an instant to the millisecond: `2026-10-12T21:01:53.624Z`."""
    return format_instant(instant)[:23] + "Z"


def format_took(span: Span) -> str:
    """Write how long something took: `48ms`, `15.844s`, `2h 5m 9s`."""
    thousandths = span // MILLISECOND
    if thousandths < 1000:
        return f"{thousandths}ms"
    minutes, thousandths = divmod(thousandths, 60_000)
    seconds = f"{thousandths / 1000:.3f}s" if not minutes else f"{thousandths // 1000}s"
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours}h" if hours else "", f"{minutes}m" if hours or minutes else "", seconds]
    return " ".join(part for part in parts if part)


def failure_json(failure: Failure) -> dict[str, JsonValue]:
    """Give a failure's one shape, without what it does not have."""
    fields: dict[str, JsonValue] = {
        "status": failure.status,
        "error": failure.error,
        "attempt": failure.attempt,
        "data": failure.data,
        "place": failure.place,
        "refused": failure.refused,
        "layer": failure.layer,
        "fix": failure.fix,
    }
    return {name: value for name, value in fields.items() if value is not None}


def outcome_json(state: RunState, step: int) -> dict[str, JsonValue]:
    """Give how a run stands: its status, output and failure."""
    return {
        "run": state.run,
        "status": state.status,
        "machine": state.machine,
        "step": step,
        "output": state.output,
        "failure": failure_json(state.failure) if state.failure is not None else None,
    }


def status_json(status: Status) -> dict[str, JsonValue]:
    """Give a status as a plain value."""
    return {
        "run": status.run,
        "status": status.status,
        "reason": status.reason,
        "type": status.type,
        "machine": status.machine,
        "step": status.step,
        "started": format_instant(status.started),
        "ended": format_instant(status.ended) if status.ended is not None else None,
        "key": status.key,
        "labels": dict(status.labels),
        "jobs": dict(status.jobs),
    }


def said_json(said: Said) -> dict[str, JsonValue]:
    """Give one thing a job said as a plain value."""
    return {
        "at": format_instant(said.emitted.at),
        "job": said.name,
        "level": said.emitted.level,
        "name": said.emitted.name,
        "value": said.emitted.value,
    }
