"""A script alone as a machine. Source: Machines, Flow (a script submitted alone)."""

import re
from dataclasses import replace

from corbie.domain.definitions.context_paths import resolve_path
from corbie.domain.definitions.flow import Flow, Stage
from corbie.domain.definitions.full_form import make_full
from corbie.domain.definitions.jobs import ScriptJob
from corbie.domain.definitions.machine import Machine
from corbie.domain.expressions.template import Expression, Template
from corbie.domain.names import AUTHOR_NAME_LENGTH_MAX, is_author_name
from corbie.domain.places import Place

STAGE = "script"
_REFUSED = re.compile(r"[^A-Za-z0-9_-]+")


def make_script_flow(path: str, *, engine: str = "quickjs") -> Machine:
    """Give the flow of one stage that runs a script on the run's input, for its output.

    Raises:
        ValueRefused: the path is none below the context.
    """
    script = resolve_path(path, "")
    flow = Flow(
        stages={
            STAGE: Stage(
                name=STAGE,
                place=_place(f"stages.{STAGE}"),
                job=ScriptJob(
                    script=script,
                    place=Place(file=script),
                    input=_whole("input", f"stages.{STAGE}.job.input"),
                ),
            )
        },
        output=_whole(f"stages.{STAGE}.output", "output"),
    )
    machine = Machine(name=name_script(script), body=flow, full={}, engine=engine)
    return replace(machine, full=make_full(machine))


def name_script(path: str) -> str:
    """Give a flow's name from a file's: what no name may hold becomes `-`, once in a row."""
    stem = path.rpartition("/")[2].removesuffix(".js")
    name = _REFUSED.sub("-", stem).strip("-")[:AUTHOR_NAME_LENGTH_MAX]
    if not is_author_name(name):
        name = f"{STAGE}-{name}".strip("-")[:AUTHOR_NAME_LENGTH_MAX]
    return name


def _whole(source: str, path: str) -> Template:
    return Template(parts=(Expression(source=source, place=_place(path)),), is_whole=True)


def _place(path: str) -> Place:
    return Place(file="", path=path)
