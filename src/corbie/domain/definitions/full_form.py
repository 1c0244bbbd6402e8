"""The full form: a machine as it is stored, stepped, drawn and shown.

Shorthands are expanded and defaults written, so that a later version reads what this one
meant. Reading it back is the definition reader's. Source: Definitions, The file.
"""

from corbie.domain.blobs import BlobRef
from corbie.domain.definitions.flow import Stage
from corbie.domain.definitions.jobs import ScriptJob
from corbie.domain.definitions.machine import Machine
from corbie.domain.errors import ValueRefused
from corbie.domain.expressions.template import Template, format_template, format_tree
from corbie.domain.limits import Limits
from corbie.domain.times import Span, format_span
from corbie.domain.values import JsonValue, stable_text

FULL_FORM_BYTES_MAX = 4 * 1024 * 1024


def format_full_form(machine: Machine) -> bytes:
    """Give a machine's full form with the references to its files, as compact JSON.

    Raises:
        ValueRefused: it is larger than 4 MiB.
    """
    full: dict[str, JsonValue] = dict(machine.full)
    if machine.files:
        full["files"] = {path: _blob(ref) for path, ref in machine.files.items()}
    if machine.requires:
        full["requires"] = {script: list(paths) for script, paths in machine.requires.items()}
    data = stable_text(full).encode("utf-8")
    if len(data) > FULL_FORM_BYTES_MAX:
        message = f"the definition's full form has {len(data)} bytes; it may have 4 MiB"
        raise ValueRefused(message)
    return data


def make_full(machine: Machine) -> dict[str, JsonValue]:
    """Give what `Machine.full` is, from the machine's other fields."""
    full: dict[str, JsonValue] = {machine.type: machine.name}
    if machine.title is not None:
        full["title"] = format_tree(machine.title)
    if machine.input is not None:
        full["input"] = dict(machine.input)
    full["keep"] = format_span(machine.keep)
    full["limits"] = _limits(machine.limits)
    if machine.allow:
        full["allow"] = _entries(machine.allow)
    if machine.deny:
        full["deny"] = list(machine.deny)
    full["stages"] = {name: _stage(stage) for name, stage in machine.body.stages.items()}
    if machine.body.output is not None:
        full["output"] = format_tree(machine.body.output)
    if machine.meta is not None:
        full["meta"] = machine.meta
    full["engine"] = machine.engine
    return full


def show_entry(entry: str | Template) -> str:
    """Give a permission entry as its author writes it."""
    return entry if isinstance(entry, str) else format_template(entry)


def _limits(limits: Limits) -> JsonValue:
    counts = {"jobs": limits.jobs, "events": limits.events, "emits": limits.emits}
    return {
        "timeout": "none" if limits.timeout is None else format_span(limits.timeout),
        **{name: "none" if count is None else count for name, count in counts.items()},
    }


def _stage(stage: Stage) -> JsonValue:
    written: dict[str, JsonValue] = {"job": _job(stage.job)}
    if stage.when is not None:
        written["when"] = f"${{{stage.when.source}}}"
    if stage.follows:
        written["follows"] = list(stage.follows)
    return written


def _job(job: ScriptJob) -> JsonValue:
    written: dict[str, JsonValue] = {"script": job.script}
    if job.input is not None:
        written["input"] = format_tree(job.input)
    if job.allow:
        written["allow"] = _entries(job.allow)
    written["timeout"] = _span(job.timeout)
    if job.runner:
        written["runner"] = list(job.runner)
    return written


def _entries(entries: tuple[str | Template, ...]) -> JsonValue:
    return [show_entry(entry) for entry in entries]


def _span(span: Span | Template) -> str:
    return format_template(span) if isinstance(span, Template) else format_span(span)


def _blob(ref: BlobRef) -> JsonValue:
    written: dict[str, JsonValue] = {
        "blob": ref.blob,
        "key": ref.key,
        "size": ref.size,
        "sha256": ref.sha256,
    }
    return {**written, "type": ref.type} if ref.type else written
