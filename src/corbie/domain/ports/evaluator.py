"""Expressions: what they read and what they give.

Deterministic by contract: the same arguments give the same value in every process.
Source: Values and expressions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from corbie.domain.times import Instant
from corbie.domain.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an expression reads, found without evaluating it.

    `free` maps each free name to the offset in the source where it first stands. `members` are
    the uses of a name listed in `members_of`, as (name, member or None, offset): None where it
    is used other than as `NAME.member` or `NAME["member"]`.
    """

    free: Mapping[str, int]
    members: tuple[tuple[str, str | None, int], ...] = ()


class ExpressionScope(Protocol):
    """Given values, in which expressions of one step are evaluated, in order."""

    def evaluate(self, source: str, more: Mapping[str, JsonValue] | None = None) -> JsonValue:
        """Give the value of an expression; `more` are names of this evaluation alone.

        Raises:
            ExpressionFault: the expression threw, gave no JSON value or passed a limit.
        """
        ...

    def close(self) -> None:
        """Let go of the values."""
        ...


class Evaluator(Protocol):
    """An engine. Reads no file, network, clock or chance; ends within its limits."""

    def find_end(self, text: str, start: int) -> int:
        """Give where the expression that begins at `start` ends: the index of its `}`.

        Raises:
            ExpressionFault: no `}` ends a well-formed expression; `offset` counts from start.
        """
        ...

    def read_names(self, source: str, members_of: str | None = None) -> Reading:
        """Give what an expression reads, refusing what no expression may use.

        Raises:
            ExpressionFault: it is not well formed, too long, or uses something refused.
        """
        ...

    def open_scope(
        self, values: Mapping[str, JsonValue], *, at: Instant, seed: str
    ) -> ExpressionScope:
        """Give a scope whose Date is `at` and whose chance comes from the seed."""
        ...
