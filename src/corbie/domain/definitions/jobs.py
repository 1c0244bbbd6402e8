"""Jobs as an author wrote them. Source: Definitions, Jobs."""

from dataclasses import dataclass

from corbie.domain.expressions.template import Template, Tree
from corbie.domain.places import Place
from corbie.domain.times import MINUTE, Span

SCRIPT_TIMEOUT_DEFAULT = Span(5 * MINUTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptJob:
    """JavaScript that a runner runs.

    `script` is its path below the context; `allow` holds permission entries, those with an
    expression in the scope as templates; `timeout` is per attempt; `runner` the tags that its
    runner must carry.
    """

    script: str
    place: Place
    input: Tree = None
    allow: tuple[str | Template, ...] = ()
    timeout: Span | Template = SCRIPT_TIMEOUT_DEFAULT
    runner: tuple[str, ...] = ()
