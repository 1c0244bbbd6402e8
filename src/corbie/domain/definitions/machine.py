"""A machine: the fields every type takes, and the body.

Source: Definitions, Fields of every type.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from corbie.domain.blobs import BlobRef
from corbie.domain.definitions.flow import Flow
from corbie.domain.expressions.template import Template
from corbie.domain.limits import Limits
from corbie.domain.times import DAY, Span
from corbie.domain.values import JsonValue

KEEP_DEFAULT = Span(7 * DAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A definition that passed every check that needs no run.

    `input` is the shape as a JSON Schema, None for any input. `files` maps the path of each
    script (and of what it requires) to its blob: empty until the client stored them; `requires`
    maps the path of each script that a job names to the paths it requires, also indirectly.
    `full` is the full form as a plain value, without `files`.
    """

    name: str
    body: Flow
    full: Mapping[str, JsonValue]
    type: str = "flow"
    input: Mapping[str, JsonValue] | None = None
    title: str | Template | None = None
    keep: Span = KEEP_DEFAULT
    limits: Limits = field(default_factory=Limits)
    allow: tuple[str | Template, ...] = ()
    deny: tuple[str, ...] = ()
    meta: JsonValue = None
    engine: str = "quickjs"
    files: Mapping[str, BlobRef] = field(default_factory=dict)
    requires: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
