"""What every schema checker promises; its tests subclass `SchemasContract` and only make it."""

import time
from abc import ABC, abstractmethod

import pytest

from corbie.domain.values import DEPTH_MAX


class SchemasContract(ABC):
    @abstractmethod
    def make(self):
        """Give a checker."""

    def test_a_good_schema_has_no_problem(self):
        schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a"}}}

        assert list(self.make().problems_in_schema(schema)) == []

    @pytest.mark.parametrize(
        ("schema", "path"),
        [
            ({"type": "strng"}, ("type",)),
            ({"properties": {"a": {"minLength": -1}}}, ("properties", "a", "minLength")),
            ({"properties": {"a": 7}}, ("properties", "a")),
            ({"items": {"pattern": "("}}, ("items", "pattern")),
            ({"patternProperties": {"[": True}}, ("patternProperties", "[")),
            ({"$schema": "http://json-schema.org/draft-07/schema#"}, ("$schema",)),
        ],
    )
    def test_a_problem_of_a_schema_has_its_path(self, schema, path):
        found = self.make().problems_in_schema(schema)

        assert [at for at, _ in found] == [path]

    def test_each_place_of_a_value_is_named_in_its_order(self):
        schema = {"properties": {"a": {"items": {"type": "integer"}}}, "required": ["b"]}

        found = self.make().problems_in_value(schema, {"z": 1, "a": [1, "x", 1.5]})

        assert [path for path, _ in found] == [("a", 1), ("a", 2), ("b",)]

    @pytest.mark.parametrize("ref", ["http://127.0.0.1:9/x", "file:///etc/passwd", "other.json"])
    def test_nothing_outside_of_the_schema_is_read(self, ref):
        ((path, what),) = self.make().problems_in_value({"$ref": ref}, 1)

        assert path == ()
        assert "which is not in it" in what

    def test_a_format_is_not_checked(self):
        assert list(self.make().problems_in_value({"format": "date"}, "never")) == []

    def test_items_are_compared_by_their_canonical_texts(self):
        checker = self.make()

        found = checker.problems_in_value(
            {"uniqueItems": True}, [{"a": 1, "b": 2}, 1, {"b": 2, "a": 1}]
        )

        assert [path for path, _ in found] == [(2,)]
        assert list(checker.problems_in_value({"uniqueItems": True}, [1, True, "1", None])) == []

    def test_a_pattern_is_javascripts(self):
        assert list(self.make().problems_in_value({"pattern": r"^\p{Lu}$"}, "É")) == []

    @pytest.mark.slow
    def test_a_pattern_that_would_never_end_fails_the_value_in_time(self):
        start = time.monotonic()

        found = self.make().problems_in_value({"pattern": "^(a+)+$"}, "a" * 40 + "!")

        assert found
        assert time.monotonic() - start < 20

    @pytest.mark.parametrize(
        "schema",
        [
            {"$ref": "#"},
            {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#"}]}}},
            {"$dynamicRef": "#a", "$dynamicAnchor": "a"},
        ],
    )
    def test_a_circle_that_consumes_nothing_fails_the_value(self, schema):
        assert self.make().problems_in_value(schema, {"a": 1})

    def test_a_shape_may_lead_back_to_itself_through_a_part_of_the_value(self):
        schema = {"type": "object", "properties": {"next": {"$ref": "#"}}}

        assert list(self.make().problems_in_value(schema, {"next": {"next": {}}})) == []

    def test_a_deep_value_ends_in_an_answer(self):
        value = {}
        for _ in range(DEPTH_MAX - 1):
            value = {"next": value}

        found = self.make().problems_in_value({"properties": {"next": {"$ref": "#"}}}, value)

        assert [what for _, what in found] == [
            "the shape is nested too deeply to hold a value to it"
        ]

    @pytest.mark.slow
    def test_work_that_doubles_at_each_level_ends_in_an_answer(self):
        levels = {
            f"l{number}": {"allOf": [{"$ref": f"#/$defs/l{number + 1}"}] * 2}
            for number in range(40)
        }
        schema = {"$ref": "#/$defs/l0", "$defs": {**levels, "l40": True}}

        found = self.make().problems_in_value(schema, 1)

        assert len(found) == 1

    def test_a_value_that_fits_nowhere_has_a_bounded_answer(self):
        found = self.make().problems_in_value({"items": {"type": "string"}}, [1] * 5_000)

        assert len(found) <= 1_001
