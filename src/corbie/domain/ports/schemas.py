"""JSON Schema, as input shapes use it. Source: Definitions, Input shapes."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from corbie.domain.values import JsonValue


class SchemaChecker(Protocol):
    """Checks schemas and values; no remote `$ref`, no unbounded work, no format checks.

    Each problem is (path, what): the path as in `domain.places`, relative to the schema or the
    value, e.g. `urls[3]`, "" for the whole.
    """

    def problems_in_schema(self, schema: Mapping[str, JsonValue]) -> Sequence[tuple[str, str]]:
        """Give what is wrong with a schema; an empty list for a good one."""
        ...

    def problems_in_value(
        self, schema: Mapping[str, JsonValue], value: JsonValue
    ) -> Sequence[tuple[str, str]]:
        """Give each place where a value does not fit, e.g. ("urls[3]", "7 is not a string")."""
        ...
