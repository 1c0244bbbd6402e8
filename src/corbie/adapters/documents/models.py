"""The fields of a definition as an author writes them, and what a mistake in one is called.

Each mapping is a model of its own, so that a mistake in one hides none in another. Values
(`input`, `output`, `meta`) are taken as they are and read elsewhere.
Source: Definitions, Fields of every type, Jobs; Machines, Flow.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from corbie.domain.limits import EMITS_DEFAULT, EVENTS_DEFAULT, JOBS_DEFAULT
from corbie.domain.values import INTEGER_MAX


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _counted(value: object) -> object:
    return None if value == "none" else value


Texts = Annotated[list[str], BeforeValidator(_listed)]
Count = Annotated[Annotated[int, Field(ge=0, le=INTEGER_MAX)] | None, BeforeValidator(_counted)]


class Fields(BaseModel):
    """A mapping whose keys are fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class DefinitionFields(Fields):
    """A flow at the top of a file."""

    flow: str
    title: str | None = None
    input: object = None
    output: object = None
    keep: str | None = None
    limits: dict[str, object] = Field(default_factory=dict)
    allow: Texts = Field(default_factory=list)
    deny: Texts = Field(default_factory=list)
    meta: object = None
    stages: dict[str, object]


class FullFields(DefinitionFields):
    """A full form: a definition and what its client added."""

    engine: str
    files: dict[str, object] = Field(default_factory=dict)
    requires: dict[str, list[str]] = Field(default_factory=dict)


class LimitFields(Fields):
    """`limits:`."""

    timeout: str = "none"
    jobs: Count = JOBS_DEFAULT
    events: Count = EVENTS_DEFAULT
    emits: Count = EMITS_DEFAULT


class StageFields(Fields):
    """A stage of a flow."""

    job: object
    when: object = None
    follows: Texts = Field(default_factory=list)


class JobFields(Fields):
    """A job, its shorthand expanded."""

    script: str
    input: object = None
    allow: Texts = Field(default_factory=list)
    timeout: str | None = None
    runner: Texts = Field(default_factory=list)


class BlobFields(Fields):
    """A reference to a file of a full form."""

    blob: str
    key: str
    size: int
    sha256: str
    type: str = ""


WHERE: Mapping[type[Fields], str] = {
    DefinitionFields: "the definition",
    LimitFields: "limits",
    StageFields: "a stage",
    JobFields: "a job",
}
"""What the owner of a field is called."""

LATER: Mapping[type[Fields], frozenset[str]] = {
    DefinitionFields: frozenset({"include", "ask", "ask_about", "emit", "on_failure"}),
    LimitFields: frozenset({"include", "depth", "tokens"}),
    StageFields: frozenset({"include", "each", "emits", "at_once", "optional"}),
    JobFields: frozenset(
        {"include", "machine", "steps", "approve", "key", "restart", "secrets", "ticket"}
    ),
}
"""Fields that the format has and this version does not read yet."""

MENDS: Mapping[str, str] = {
    "timeout": "write a duration, as 30s or 5m",
    "keep": "write a duration, as 12h or 7d",
    "allow": "write a permission such as net:example.com, or a list of them",
    "deny": "write a permission such as net:example.com, or a list of them",
    "runner": "write a tag or a list of tags",
    "follows": "write a stage's name or a list of them",
    "stages": "write NAME: and below it job:",
    "limits": "write timeout, jobs, events or emits below it",
    "job": 'write the path of a script, as in "job: ./get.js"',
    "script": 'write the path of a script, as in "script: ./get.js"',
    "flow": 'begin the file with its type and name, as in "flow: digest"',
}
"""What to write in a field."""
