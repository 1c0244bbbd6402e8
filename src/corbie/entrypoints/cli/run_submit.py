"""`corbie run submit`. Source: Processes, Client; Interfaces (run submit)."""

from pathlib import Path
from typing import Annotated

import typer

from corbie.app.client.submit import UNTIL_DEFAULT, Sent
from corbie.domain.records import StepRecord
from corbie.domain.steps.effects import ANSWER_OK
from corbie.domain.times import SECOND, Span, format_span, parse_span
from corbie.entrypoints.cli import rendering
from corbie.entrypoints.cli.ending import report_end
from corbie.entrypoints.cli.exits import SUCCESS, CommandRefused
from corbie.entrypoints.cli.frame import read_option
from corbie.entrypoints.cli.options import (
    InputOption,
    JsonOption,
    read_input,
    read_pairs,
    write_json,
)
from corbie.entrypoints.cli.own_settings import read_own_settings
from corbie.entrypoints.cli.printing import write, write_note
from corbie.entrypoints.library import Corbie, NoAnswer, Run, StartRefused

UNANSWERED = "is one running (corbie start), and does it trust this client (corbie trust ls)?"
EXAMPLE = """corbie run submit title.yaml --input '{"url": "https://example.com"}' --wait"""


def submit(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A definition or a script.")],
    *,
    given: InputOption = None,
    label: Annotated[
        list[str] | None, typer.Option(metavar="A=B", help="A label; may be repeated.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the end.")] = False,
    until: Annotated[
        str, typer.Option(metavar="D", help="How long the request is valid.")
    ] = format_span(UNTIL_DEFAULT),
    as_json: JsonOption = False,
) -> int:
    """Start a run and print its ID.

    With --wait it is followed to its end, and its output is printed, or why it failed.
    """
    span = read_option("--until", parse_span, until)
    if not span:
        message = "--until: a request must be valid for some time, as 30s"
        raise CommandRefused(message)
    labels = read_pairs("--label", label or [])
    value = read_input(given)
    corbie = Corbie(config=read_own_settings())
    run = corbie.submit(file, value, labels=labels, until=span)
    if not as_json:
        write(run.id)
    sent = run.sent
    answer = _await_answer(corbie, sent, span if wait else None) if sent is not None else None
    if wait:
        return report_end(_follow(run), as_json=as_json)
    if as_json:
        _write_sent(run, sent, answer)
    return SUCCESS


def _await_answer(corbie: Corbie, sent: Sent, longer: Span | None) -> str | None:
    """Give the controller's answer, None if none came within 5 s and nobody waits `longer`.

    Raises:
        StartRefused: it did not want the run. NoAnswer: none came in the longer time.
    """
    try:
        answer = corbie.answer(sent)
    except NoAnswer:
        until = rendering.format_time(sent.until)
        write_note(f"no controller has answered yet; valid until {until}")
        if longer is None:
            write_note(UNANSWERED)
            return None
        answer = corbie.answer(sent, timeout=longer / SECOND)
    if answer != ANSWER_OK:
        message = f"the run was refused: {answer}"
        raise StartRefused(message)
    return answer


def _follow(run: Run) -> StepRecord:
    *_, last = run.steps()
    return last


def _write_sent(run: Run, sent: Sent | None, answer: str | None) -> None:
    until = rendering.format_time(sent.until) if sent is not None else None
    write_json({"run": run.id, "answer": answer, "until": until})
