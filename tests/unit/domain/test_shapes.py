import pytest

from corbie.domain.definitions.shapes import fill_defaults, make_schema, problems_in_input
from corbie.domain.places import Place, join_path
from tests.builders import CHECKER


def place_of(path):
    shown = "input"
    for part in path:
        shown = join_path(shown, part)
    return Place(file="a.yaml", path=shown)


def schema_of(shape):
    schema, problems = make_schema(shape, place_of, CHECKER)
    assert problems == []
    return schema


def problems_of(shape):
    _, problems = make_schema(shape, place_of, CHECKER)
    return [f"{one.place.path}: {one.what}" for one in problems]


def misfits(shape, value):
    schema = schema_of(shape)
    return problems_in_input(schema, fill_defaults(schema, value), CHECKER)


@pytest.mark.parametrize(
    ("kind", "fitting", "other"),
    [
        ("string", "x", 7),
        ("number", 1.5, "1"),
        ("integer", 1, 1.5),
        ("boolean", False, 0),
        ("list", [1, "x"], {}),
        ("object", {"a": 1}, []),
        (["string"], ["a"], [1]),
        (["string?"], ["a", None], [1]),
        ("[string]", ["a"], ["a", 1]),
        ({"a": "string"}, {"a": "x", "b": 1}, {"a": 1}),
        ([{"a": "string"}], [{"a": "x"}], [{}]),
        ({"type": "string", "minLength": 2}, "ab", "a"),
        ({"type": "null"}, None, 0),
    ],
)
def test_a_type_fits_its_kind_and_no_other(kind, fitting, other):
    assert misfits({"name": kind}, {"name": fitting}) == []
    assert len(misfits({"name": kind}, {"name": other})) == 1


@pytest.mark.parametrize(
    "kind", ["string", "list", ["string"], {"a": "string"}, {"type": "string"}]
)
def test_a_type_needs_its_value_present_and_not_null(kind):
    assert misfits({"name": kind}, {})[0].startswith("input.name: missing")
    assert len(misfits({"name": kind}, {"name": None})) == 1


@pytest.mark.parametrize("kind", ["string?", "[string]?", "[[integer]]?", "any", "any?"])
def test_an_optional_type_may_be_missing_or_null(kind):
    assert misfits({"name": kind}, {}) == []
    assert misfits({"name": kind}, {"name": None}) == []


def test_a_name_the_shape_does_not_give_is_accepted():
    assert misfits({"a": "string"}, {"a": "x", "more": [1]}) == []


def test_a_shape_with_type_object_at_its_top_is_json_schema_whole():
    shape = {"type": "object", "properties": {"a": {"const": 1}}, "additionalProperties": False}

    assert schema_of(shape) == shape
    assert misfits(shape, {"a": 2, "b": 1}) == [
        "input.a: 2 is not 1",
        "input.b: this name is not accepted here",
    ]


def test_a_name_may_be_called_type_when_its_type_is_none_of_the_seven():
    assert misfits({"one": {"type": "list"}}, {"one": {"type": []}}) == []
    assert misfits({"type": "string"}, {"type": "x"}) == []


def test_every_place_that_does_not_fit_is_named_in_the_order_of_the_input():
    shape = {"urls": ["string"], "count": "integer", "name": "string"}

    found = misfits(shape, {"count": "x", "urls": ["a", 7, "b", None]})

    assert found == [
        'input.count: "x" is not an integer',
        "input.urls[1]: 7 is not a string",
        "input.urls[3]: null is not a string",
        "input.name: missing; a string is needed",
    ]


def test_an_input_that_is_no_object_does_not_fit():
    assert misfits({"a": "string?"}, 7) == ["input: 7 is not an object"]


def test_a_shape_that_is_not_given_fits_any_input():
    assert problems_in_input(None, 7, CHECKER) == []
    assert fill_defaults(None, 7) == 7


def test_defaults_are_filled_in_outermost_first_and_through_items():
    shape = {
        "type": "object",
        "properties": {
            "outer": {
                "type": "object",
                "default": {"given": 1},
                "properties": {"inner": {"type": "integer", "default": 2}},
            },
            "list": {
                "type": "array",
                "items": {"type": "object", "properties": {"a": {"default": None}}},
            },
        },
    }
    given = {"list": [{}, {"a": 1}]}

    filled = fill_defaults(schema_of(shape), given)

    assert filled == {"list": [{"a": None}, {"a": 1}], "outer": {"given": 1, "inner": 2}}
    assert given == {"list": [{}, {"a": 1}]}


def test_no_name_is_added_that_has_no_default():
    assert fill_defaults(schema_of({"a": "string?"}), {}) == {}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string", "default": "x"}},
        {"type": "object", "anyOf": [{"properties": {"a": {"default": 1}}}]},
        {
            "type": "object",
            "$defs": {"a": {"default": 1}},
            "properties": {"a": {"$ref": "#/$defs/a"}},
        },
        {"type": "object", "additionalProperties": {"default": 1}},
        {"type": "object", "patternProperties": {"a": {"default": 1}}},
    ],
)
def test_a_default_that_is_never_filled_in_is_a_problem(schema):
    (problem,) = problems_of({"name": schema})

    assert "never filled in" in problem


def test_a_default_fits_its_own_shape_with_what_it_refers_to():
    shape = {
        "tree": {
            "type": "object",
            "default": {"left": {"left": 7}},
            "properties": {"left": {"$ref": "#"}},
        }
    }

    assert problems_of(shape) == [
        "input.tree.default.left.left: the default does not fit: 7 is not an object"
    ]


def test_a_reference_means_the_schema_as_written_wherever_it_comes_to_stand():
    shape = {"a/b %": {"type": "object", "properties": {"next": {"$ref": "#"}}}}

    assert misfits(shape, {"a/b %": {"next": {"next": {}}}}) == []
    assert misfits(shape, {"a/b %": {"next": {"next": 1}}}) == [
        "input.a/b %.next.next: 1 is not an object"
    ]


def test_a_reference_in_a_circle_fails_the_value_and_does_not_hang():
    shape = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"$ref": "#/$defs/x"}},
    }

    (problem,) = misfits(shape, {"a": 1})

    assert problem.startswith("input.a: ")
    assert "leads back to itself" in problem


@pytest.mark.parametrize(
    ("shape", "says"),
    [
        (7, "input: a shape is a mapping"),
        ({"a": "strin"}, 'input.a: "strin" is no type'),
        ({"a": "string??"}, 'input.a: "string??" is no type'),
        ({"a": "[" * 5_000}, "input.a: "),
        ({"a": []}, "input.a: a list of 0 types"),
        (
            {"a": {"type": "object", "properties": {"b": {"$ref": "#/x"}}}},
            "input.a.properties.b.$ref",
        ),
        ({"a": {"type": "object", "$ref": "https://example.com/y"}}, "input.a.$ref"),
        ({"a": {"type": "string", "pattern": "("}}, "input.a.pattern: not a JavaScript"),
    ],
)
def test_a_problem_of_a_shape_has_the_place_where_it_is_written(shape, says):
    (problem,) = problems_of(shape)

    assert problem.startswith(says)


def test_a_schema_made_of_a_shape_makes_itself():
    schema = schema_of({"a": ["string?"], "b": {"c": "integer"}, "d": {"type": "null"}})

    assert schema_of(schema) == schema
