"""True of every value, text and tree that meets an expression."""

from hypothesis import given
from hypothesis import strategies as st

from corbie.adapters.javascript.quickjs import QuickJsEvaluator
from corbie.domain.errors import ExpressionFault
from corbie.domain.expressions import fill, template
from corbie.domain.places import DefinitionRefused, Place
from corbie.domain.times import Instant
from corbie.domain.values import INTEGER_MAX, read_json, stable_text

EVALUATOR = QuickJsEvaluator()
PLACE = Place(file="a.yaml", path="x")

# JavaScript puts names that are indexes first, so those are left out where order is compared.
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(
    lambda name: not name.isdigit() and "${" not in name
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.integers(-INTEGER_MAX, INTEGER_MAX) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=20,
)
sources = st.sampled_from(["input", "{ a: '}' }.a", "`}${1}`", " run.id ", "[1, 2].map(x => x)"])
pieces = st.lists(
    sources.map(lambda source: f"${{{source}}}")
    | st.sampled_from(["$", "$$", "{", "}", "$${", " "]),
    max_size=6,
).map("".join)
javascript = st.text("ab(){}[]`'\"/\\$.,;:=+-*<>!?&|\n 01_#@é", max_size=30)


def place_of(_):
    return PLACE


@given(values)
def test_a_value_that_crosses_both_ways_is_the_same(value):
    scope = EVALUATOR.open_scope({"input": value}, at=Instant(0), seed="")

    given_back = scope.evaluate("input")

    assert stable_text(given_back) == stable_text(read_json(stable_text(value)))


@given(values)
def test_a_literal_tree_is_filled_in_as_itself(value):
    tree, problems = template.parse_tree(template.format_tree(value), place_of, EVALUATOR)

    assert problems == []
    assert tree == value
    assert fill.fill_tree(tree, EVALUATOR.open_scope({}, at=Instant(0), seed="")) == value


@given(st.lists(pieces))
def test_what_is_written_back_is_read_as_the_same(written):
    tree, problems = template.parse_tree(written, place_of, EVALUATOR)
    if not problems:
        again, more_problems = template.parse_tree(template.format_tree(tree), place_of, EVALUATOR)
        assert more_problems == []
        assert again == tree


def fault_of(ask):
    """Give the fault that asking ends with, or what it gives."""
    try:
        return None, ask()
    except (ExpressionFault, DefinitionRefused) as fault:
        return fault, None


@given(javascript)
def test_any_text_is_an_expression_or_is_refused(source):
    fault, reading = fault_of(lambda: EVALUATOR.read_names(source))

    if fault is None:
        assert all(source.startswith(name, at) for name, at in reading.free.items())
        assert EVALUATOR.find_end(source + "}", 0) <= len(source)
    else:
        assert fault.what
        assert fault.offset is None or 0 <= fault.offset <= len(source)


@given(javascript)
def test_any_text_with_a_mark_is_read_or_refused(text):
    fault, parsed = fault_of(lambda: template.parse_text("${" + text, PLACE, EVALUATOR))

    if fault is None:
        assert template.parse_text(template.format_tree(parsed), PLACE, EVALUATOR) == parsed
    else:
        assert fault.problems


@given(javascript)
def test_an_expression_gives_a_value_or_a_fault(source):
    scope = EVALUATOR.open_scope({"a": None, "b": {"a": [1]}}, at=Instant(0), seed="")

    fault, value = fault_of(lambda: scope.evaluate(source))

    assert fault is None or fault.what
    stable_text(value)
