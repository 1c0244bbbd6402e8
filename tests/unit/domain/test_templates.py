"""Texts and trees with expressions: reading them, writing them back, and the names they read."""

import pytest

from corbie.adapters.javascript.quickjs import QuickJsEvaluator
from corbie.domain.expressions import scope, template
from corbie.domain.expressions.template import Expression, Template
from corbie.domain.places import DefinitionRefused, Place, format_problem, join_path

EVALUATOR = QuickJsEvaluator()
PLACE = Place(file="a.yaml", line=3, column=5, path="stages.get.when")


def place_of(path):
    shown = ""
    for part in path:
        shown = join_path(shown, part)
    return Place(file="a.yaml", line=1, column=1, path=shown)


def parse(text):
    return template.parse_text(text, PLACE, EVALUATOR)


def expression(source):
    return Expression(source=source, place=PLACE)


def mixed(*parts):
    return Template(parts=parts, is_whole=False)


def whole(source):
    return Template(parts=(expression(source),), is_whole=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain $ { } text", "plain $ { } text"),
        ("$${x}", "${x}"),
        ("a $${ b", "a ${ b"),
        ("$$${x}", "$${x}"),
        ("${input}", whole("input")),
        ("  ${ input }\n", whole(" input ")),
        ("${ {a: '}'}.a }", whole(" {a: '}'}.a ")),
        ("${`${input}`}", whole("`${input}`")),
        ("a ${input}", mixed("a ", expression("input"))),
        ("${input}.", mixed(expression("input"), ".")),
        ("${input}${run}", mixed(expression("input"), expression("run"))),
        ("${input} ${run}", mixed(expression("input"), " ", expression("run"))),
        ("$${a}${input}", mixed("${a}", expression("input"))),
        ("${input}$${a}", mixed(expression("input"), "${a}")),
        ("${input}}", mixed(expression("input"), "}")),
        ("$ ${input}", mixed("$ ", expression("input"))),
    ],
)
def test_a_text_is_split_into_its_parts(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("${}", "there is no expression between ${ and } in ${}"),
        ("${input", "the expression is not closed in ${input}; write } after it"),
        (
            "${input +}",
            "this is not JavaScript: it ends in the wrong place at character 8 in ${input +}",
        ),
        ("${a)}", "this is not JavaScript: it ends in the wrong place at character 3 in ${a)}"),
        ("${(a}", "this is not JavaScript: it ends in the wrong place at character 3 in ${(a}"),
        ("${f({a: 1}", "the expression is not closed in ${f({a: 1}}; write } after it"),
        ("${this.x}", "this cannot be used in ${this.x}; write the name of the value"),
        ("${1 + this}", "this cannot be used at character 5 in ${1 + this}; write the name"),
    ],
)
def test_a_text_that_holds_no_expression_after_its_mark_is_refused(text, said):
    with pytest.raises(DefinitionRefused) as caught:
        parse(text)

    assert str(caught.value).startswith(f"a.yaml:3:5: stages.get.when: {said}")


def test_every_refused_expression_of_a_text_is_a_problem():
    with pytest.raises(DefinitionRefused) as caught:
        parse("${this} and ${super.x} and ${input +}")

    assert [problem.what.split()[0] for problem in caught.value.problems] == [
        "this",
        "super",
        "this",
    ]


def test_a_tree_is_parsed_everywhere_and_keeps_its_places():
    value = {"a": [1, "${input}", {"b": "x${run.id}"}], "c": None, "d": "$${"}

    tree, problems = template.parse_tree(value, place_of, EVALUATOR)

    assert problems == []
    assert [(one.source, one.place.path) for one in template.expressions_in(tree)] == [
        ("input", "a[1]"),
        ("run.id", "a[2].b"),
    ]
    assert tree["d"] == "${"
    assert template.format_tree(tree) == value


def test_every_problem_of_a_tree_is_collected_with_its_place():
    value = {"a": "${", "b": ["${this}"], "${c}": 1}

    tree, problems = template.parse_tree(value, place_of, EVALUATOR)

    assert tree == value
    assert [problem.place.path for problem in problems] == ["a", "b[0]", "${c}"]
    assert format_problem(problems[2]).endswith(
        "the name of a field takes no expression; write the name itself"
    )


def test_one_expression_is_taken_where_only_one_may_stand():
    assert template.parse_expression(" ${run.id} ", PLACE, EVALUATOR) == expression("run.id")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("yes", "a text stands where one expression must; write it as ${…}"),
        ("a ${input}", "a text stands where one expression must; write it as ${…}"),
        (True, "a value of kind boolean stands where one expression must; write it as ${…}"),
        (None, "a value of kind null stands where one expression must; write it as ${…}"),
    ],
)
def test_anything_else_is_refused_there(value, said):
    with pytest.raises(DefinitionRefused) as caught:
        template.parse_expression(value, PLACE, EVALUATOR)

    assert str(caught.value).endswith(said)


def test_a_name_that_the_place_does_not_give_is_a_problem_with_those_it_does():
    reading = EVALUATOR.read_names("imput.n + foo + Math.PI")

    problems = scope.check_names(reading, scope.STAGE, expression("imput.n"))

    assert [(problem.what, problem.mend) for problem in problems] == [
        (
            '"imput" is not a name here; this place reads input, run, stages',
            'did you mean "input"?',
        ),
        ('"foo" is not a name here; this place reads input, run, stages', ""),
    ]


def test_stages_must_exist_and_be_read_by_name():
    source = "[stages.list, stages.lisst, stages[x], stages['get'].output, stages.list]"
    reading = EVALUATOR.read_names(source, "stages")

    problems = scope.check_members(reading, ["list", "get"], expression(source))

    assert [(problem.what.split(" in ")[0], problem.mend) for problem in problems] == [
        ('there is no stage "lisst"', 'did you mean "list"?'),
        ('"stages" stands alone', 'write stages.NAME or stages["NAME"]'),
    ]
    assert scope.members_read(reading) == ("list", "lisst", "get")
