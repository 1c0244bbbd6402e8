"""`corbie run cancel` and `run rm`."""

from collections.abc import Callable
from typing import Annotated

import typer

from corbie.app.client.submit import UNTIL_DEFAULT
from corbie.domain.errors import Refusal
from corbie.domain.steps.effects import ANSWER_OK
from corbie.domain.times import SKEW, Span, format_span
from corbie.entrypoints.cli.exits import SUCCESS
from corbie.entrypoints.cli.options import JsonOption, RunArgument, write_json
from corbie.entrypoints.cli.own_settings import read_own_settings
from corbie.entrypoints.cli.printing import write, write_note
from corbie.entrypoints.library import Corbie, NoAnswer

DELETED_AFTER = Span(3 * SKEW)
"""A controller deletes a run when no message to it can be under way any more."""


class ActRefused(Refusal):
    """The controller did not do what was asked; the text says why."""

    code = "act_refused"


def cancel(
    run: RunArgument,
    job: Annotated[str | None, typer.Argument(metavar="JOB", help="Only this job.")] = None,
    *,
    as_json: JsonOption = False,
) -> int:
    """Cancel a run, or one job of it; what runs is ended."""
    corbie = Corbie(config=read_own_settings())
    found = corbie.find(run).id
    what = f"{found}: cancelled" if job is None else f"{found}: {job} is cancelled"
    return _ask(lambda: corbie.cancel(found, job), found, what, as_json=as_json)


def rm(run: RunArgument, *, as_json: JsonOption = False) -> int:
    """Delete the record of an ended run before its time."""
    corbie = Corbie(config=read_own_settings())
    found = corbie.find(run).id
    what = f"{found}: will be deleted in {format_span(DELETED_AFTER)}"
    return _ask(lambda: corbie.remove(found), found, what, as_json=as_json)


def _ask(ask: Callable[[], str], run: str, what: str, *, as_json: bool) -> int:
    try:
        answer: str | None = ask()
    except NoAnswer:
        answer = None
        valid = format_span(UNTIL_DEFAULT)
        write_note(f"no controller has answered yet; the request is valid for {valid}")
    if answer not in {None, ANSWER_OK}:
        message = f"{run}: {answer}"
        raise ActRefused(message)
    if as_json:
        write_json({"run": run, "answer": answer})
    elif answer is not None:
        write(what)
    return SUCCESS
