"""Short makers of domain values with sensible defaults."""

from dataclasses import replace

from corbie.adapters.javascript.quickjs import QuickJsEvaluator
from corbie.adapters.schemas import JsonSchemaChecker
from corbie.domain.blobs import BlobRef
from corbie.domain.cards import Card
from corbie.domain.definitions.flow import Flow, Stage
from corbie.domain.definitions.jobs import ScriptJob
from corbie.domain.definitions.machine import Machine
from corbie.domain.expressions.patterns import PatternMatcher
from corbie.domain.expressions.template import Expression, Template, Tree, parse_text, parse_tree
from corbie.domain.names import JobId, MessageName, PartyName, RunId
from corbie.domain.orders import JobOutcome
from corbie.domain.places import Place
from corbie.domain.placing import RunnerSeen
from corbie.domain.steps.context import StepContext
from corbie.domain.steps.events import Cancel, Ended, Start, Timer
from corbie.domain.times import Instant, Span, parse_instant
from corbie.domain.values import JsonValue

AT = parse_instant("2026-10-12T21:01:53.624000000Z")
RUN = RunId("laptop-client/20261012T210153.624Z-d2729e69f1")
EVALUATOR = QuickJsEvaluator()
CHECKER = JsonSchemaChecker(matches=PatternMatcher(evaluator=EVALUATOR).matches)


def a_card(name: str, role: str = "client") -> Card:
    """Give a card whose keys are made of its name; they sign and open nothing."""
    digits = name.encode().hex().ljust(64, "0")[:64]
    return Card(name=PartyName(name), role=role, sign=digits, seal=digits)  # type: ignore[arg-type]  # a test's word


def a_ref(name: str = "blob") -> BlobRef:
    """Give a reference to a blob that is nowhere."""
    return BlobRef(blob=name, key="0" * 64, size=1, sha256="1" * 64)


def a_tree(value: JsonValue, path: str) -> Tree:
    """Give a value with its expressions parsed."""
    tree, problems = parse_tree(value, lambda parts: a_place(path, *parts), EVALUATOR)
    assert not problems, problems
    return tree


def a_place(path: str, *parts: str | int) -> Place:
    """Give a place in a file without lines."""
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return Place(file="test.yaml", path=path)


def an_expression(text: str, path: str) -> Expression:
    """Give the expression that a text is."""
    template = parse_text(text, a_place(path), EVALUATOR)
    assert isinstance(template, Template)
    part = template.parts[0]
    assert isinstance(part, Expression)
    return part


def a_stage(
    name: str,
    *,
    input: JsonValue = None,  # noqa: A002 - the word of a definition
    when: str | None = None,
    waits_for: tuple[str, ...] = (),
    allow: tuple[str, ...] = (),
    timeout: Span | None = None,
    runner: tuple[str, ...] = (),
) -> Stage:
    """Give a stage whose job is a script; `waits_for` is given, not computed."""
    place = a_place(f"stages.{name}.job")
    job = ScriptJob(
        script=f"{name}.js",
        place=place,
        input=a_tree(input, f"stages.{name}.job.input"),
        allow=tuple(parse_text(one, place, EVALUATOR) for one in allow),
        runner=runner,
    )
    if timeout is not None:
        job = replace(job, timeout=timeout)
    return Stage(
        name=name,
        place=a_place(f"stages.{name}"),
        job=job,
        when=None if when is None else an_expression(when, f"stages.{name}.when"),
        waits_for=waits_for,
    )


def a_machine(*stages: Stage, output: JsonValue = None, **fields: object) -> Machine:
    """Give a flow named `test` of these stages."""
    body = Flow(stages={stage.name: stage for stage in stages}, output=a_tree(output, "output"))
    files = {stage.job.script: a_ref(stage.name) for stage in stages}
    return Machine(name="test", body=body, full={}, files=files, **fields)  # type: ignore[arg-type]  # a test's words


RUNNER = RunnerSeen(card=a_card("laptop-runner", "runner"), alive=AT)


def a_context(
    number: int = 1, *, at: Instant = AT, runners: tuple[RunnerSeen, ...] = (RUNNER,)
) -> StepContext:
    """Give what a step depends on besides its run."""
    return StepContext(
        run=RUN, number=number, at=at, runners=runners, evaluator=EVALUATOR, checker=CHECKER
    )


def a_start(given: JsonValue = None, **fields: object) -> Start:
    """Give the start of a run by laptop-client, allowed all."""
    start = Start(
        at=AT,
        message=MessageName("start"),
        until=Instant(AT + 300_000_000_000),
        client=a_card("laptop-client"),
        type="flow",
        machine="test",
        definition=a_ref("definition"),
        input=given,
        ceiling=("all",),
    )
    return replace(start, **fields)  # type: ignore[arg-type]  # a test's words


def done(job: JobId, output: JsonValue = None, *, at: Instant = AT) -> Ended:
    """Give the event that a job ended well."""
    return Ended(at=at, job=job, outcome=JobOutcome(status="done", output=output))


def failed(job: JobId, error: str = "no", *, at: Instant = AT, status: str = "error") -> Ended:
    """Give the event that a job failed."""
    outcome = JobOutcome(status=status, error=error)  # type: ignore[arg-type]  # a test's word
    return Ended(at=at, job=job, outcome=outcome)


def a_cancel(job: str | None = None, *, message: str = "cancel") -> Cancel:
    """Give a client's cancel."""
    return Cancel(at=AT, message=MessageName(message), until=AT, job=job)


def a_timer(at: Instant) -> Timer:
    """Give a wake that is due."""
    return Timer(at=at)
