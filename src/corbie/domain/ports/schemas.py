"""JSON Schema, as input shapes use it. Source: Definitions, Input shapes."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from corbie.domain.values import JsonValue

Path = tuple[str | int, ...]
"""Names and indexes from the whole, which is `()`, to a part."""


class SchemaChecker(Protocol):
    """Checks schemas and values; no remote `$ref`, no unbounded work, no format checks.

    Each problem is (path, what), e.g. `(("urls", 3), "7 is not a string")`: the path is that of
    a part of the schema or of the value, of a missing name the one it would have.
    """

    def problems_in_schema(self, schema: Mapping[str, JsonValue]) -> Sequence[tuple[Path, str]]:
        """Give what is wrong with a schema; an empty list for a good one."""
        ...

    def problems_in_value(
        self, schema: Mapping[str, JsonValue], value: JsonValue
    ) -> Sequence[tuple[Path, str]]:
        """Give each place where a value does not fit, in the order of the value.

        A schema that cannot be carried out (a pattern that is none or takes too long, a `$ref`
        that leads nowhere or in a circle) fits no value that meets it.
        """
        ...
