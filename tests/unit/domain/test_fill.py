"""Filling in: values, texts, conditions, and the faults that say where."""

import pytest

from corbie.adapters.javascript.quickjs import QuickJsEvaluator
from corbie.domain.expressions import fill, template
from corbie.domain.places import Place
from corbie.domain.times import Instant

EVALUATOR = QuickJsEvaluator()
VALUES = {"input": {"n": 2, "text": "t", "empty": None, "list": [1.0, {"a": None}], "no": False}}
PLACE = Place(file="a.yaml", path="stages.get.job.input.url")


class NoScope:
    """A scope in which nothing may be evaluated."""

    def evaluate(self, source, more=None):
        raise AssertionError(source, more)

    def close(self):
        pass


def parse(value):
    tree, problems = template.parse_tree(value, lambda _: PLACE, EVALUATOR)
    assert problems == []
    return tree


def a_scope():
    return EVALUATOR.open_scope(VALUES, at=Instant(0), seed="")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("${input.n}", 2),
        (" ${input.list} ", [1, {"a": None}]),
        ("${undefined}", None),
        ("n=${input.n}", "n=2"),
        ("${input.text}${input.text}", "tt"),
        ("<${input.empty}${undefined}>", "<>"),
        ("a ${input.list} b", 'a [1,{"a":null}] b'),
        ("${input.no} ${1e21} ${1.5}", "false 1e+21 1.5"),
        ("$${input.n} ${input.n}", "${input.n} 2"),
        ({"a": ["${input.n}", "x", {"b": "${input.text}!"}]}, {"a": [2, "x", {"b": "t!"}]}),
    ],
)
def test_a_tree_is_filled_in(value, expected):
    assert fill.fill_tree(parse(value), a_scope()) == expected


def test_names_of_one_filling_are_read():
    assert fill.fill_tree(
        parse(["${item}", "${index + 1}"]), a_scope(), {"item": 7, "index": 0}
    ) == [
        7,
        1,
    ]


def test_a_tree_without_expressions_asks_no_engine():
    value = {"a": ["plain", 1, None, "$${x}"]}

    assert fill.fill_tree(parse(value), NoScope()) == {"a": ["plain", 1, None, "${x}"]}
    assert fill.fill_text("plain", NoScope()) == "plain"


def test_a_filled_tree_is_another_value():
    tree = parse({"a": [1]})

    filled = fill.fill_tree(tree, NoScope())
    filled["a"].append(2)

    assert tree == {"a": [1]}


def test_a_text_is_made_even_of_one_expression():
    assert fill.fill_text(parse("${input.n}"), a_scope()) == "2"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("input.n", True),
        ("0", False),
        ("''", False),
        ("null", False),
        ("undefined", False),
        ("[]", True),
        ("{}", True),
        ("'0'", True),
        ("false", False),
    ],
)
def test_a_condition_is_true_as_javascript_has_it(source, expected):
    expression = template.parse_expression(f"${{{source}}}", PLACE, EVALUATOR)

    assert fill.fill_condition(expression, a_scope()) is expected


def test_a_fault_names_the_place_and_the_expression():
    with pytest.raises(fill.FillFault) as caught:
        fill.fill_tree(parse({"url": "a ${input.empty.link}"}), a_scope())

    assert str(caught.value) == (
        'stages.get.job.input.url: cannot read "link" of null in ${input.empty.link}'
    )
    assert caught.value.source == "input.empty.link"
    assert caught.value.path == "stages.get.job.input.url"


def test_a_fault_shows_only_the_head_of_a_long_expression():
    with pytest.raises(fill.FillFault) as caught:
        fill.fill_tree(parse("${input.empty.x + '" + "y" * 5_000 + "'}"), a_scope())

    assert len(str(caught.value)) < 300
