import time

import pytest

from corbie.adapters.documents.yaml_text import read_yaml
from corbie.domain.definitions.check import find_circles
from corbie.domain.definitions.powers import JobPowers, list_powers
from corbie.domain.definitions.single_script import make_script_flow, name_script
from corbie.domain.errors import ValueRefused
from corbie.domain.names import is_author_name
from tests.reading import READER, problems_of, read


def stages(**written):
    lines = [f"  {name}: {text}" for name, text in written.items()]
    return "\n".join(["flow: test", "stages:", *lines])


def test_a_stage_waits_for_what_its_values_read_and_what_it_follows():
    machine = read(
        stages(
            a="{ job: a.js }",
            b="{ job: b.js }",
            c='{ job: { script: c.js, input: ["${stages.b.output}"] }, follows: [d, a] }',
            d='{ job: { script: d.js, timeout: "${stages.a.output}s" }, when: "${stages[\'b\']}" }',
        )
    )

    waits = {name: stage.waits_for for name, stage in machine.body.stages.items()}
    assert waits == {"a": (), "b": (), "c": ("a", "b", "d"), "d": ("a", "b")}


def test_a_circle_is_named_once():
    text = stages(
        a='{ job: a.js, when: "${stages.c.output}" }',
        b="{ job: b.js, follows: a }",
        c="{ job: c.js, follows: b }",
        d="{ job: d.js, follows: c }",
    )

    assert problems_of(text) == [
        "flow.yaml:3:3: stages.a: the stages a -> c -> b -> a wait for one another"
    ]


def test_two_circles_are_both_named():
    assert find_circles({"a": ["b"], "b": ["a"], "c": ["c"], "d": ["a", "c"], "e": []}) == [
        ("a", "b"),
        ("c",),
    ]


def test_a_long_chain_is_no_circle():
    waits = {str(number): [str(number - 1)] for number in range(1, 50_000)}

    assert find_circles(waits) == []


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ('title: "${stages.a.output}"', "this place reads input, run"),
        ('allow: "net:${run.id}"', "this place reads input"),
        ('output: "${stages.b.output}"', 'there is no stage "b"'),
        ('output: "${stages}"', "stands alone"),
        ('output: "${process.env}"', '"process" is not a name here'),
    ],
)
def test_an_expression_reads_only_what_its_place_gives(field, says):
    (problem,) = problems_of(f"{stages(a='{ job: a.js }')}\n{field}")

    assert says in problem


@pytest.mark.parametrize("name", ["1a", "a b", "é", "x" * 65, '""'])
def test_a_stage_has_a_name_that_an_author_may_give(name):
    (problem,) = problems_of(f"flow: test\nstages:\n  {name}: {{ job: a.js }}")

    assert "is no name" in problem


def test_a_flow_has_a_stage():
    assert "at least one stage" in problems_of("flow: test\nstages: {}")[0]
    assert 'the field "stages" is missing' in problems_of("flow: test")[0]


def test_what_each_job_may_do_is_its_own_and_its_definitions():
    machine = read(
        'flow: t\nallow: [net, "fs.read:${input.dir}"]\ndeny: exec\n'
        "stages: { a: { job: { script: a.js, allow: [env:HOME, net] } }, b: { job: b.js } }"
    )

    assert list_powers(machine) == [
        JobPowers(
            job="a",
            script="a.js",
            allow=("env:HOME", "net", "fs.read:${input.dir}"),
            deny=("exec",),
        ),
        JobPowers(job="b", script="b.js", allow=("net", "fs.read:${input.dir}"), deny=("exec",)),
    ]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("get.js", "get"),
        ("a/my script (2).js", "my-script-2"),
        ("2024.js", "script-2024"),
        ("été.js", "t"),
        ("日本.js", "script"),
        ("include.js", "script-include"),
        ("x" * 100 + ".js", "x" * 64),
        (".js", "script"),
        ("-_.js", "script-_"),
    ],
)
def test_a_script_alone_names_its_flow_after_its_file(path, name):
    assert name_script(path) == name
    assert is_author_name(name)


def test_a_script_alone_is_a_flow_that_hands_input_and_output_through():
    machine = make_script_flow("./jobs/get.js")

    assert machine.full["stages"] == {
        "script": {"job": {"script": "jobs/get.js", "input": "${input}", "timeout": "5m"}}
    }
    assert machine.full["output"] == "${stages.script.output}"


def test_a_script_alone_is_what_its_definition_reads_as():
    written = (
        "flow: get\n"
        'stages: { script: { job: { script: get.js, input: "${input}" } } }\n'
        'output: "${stages.script.output}"'
    )

    alone, read_from_text = make_script_flow("get.js"), read(written)

    assert alone.full == read_from_text.full
    waits = alone.body.stages["script"].waits_for
    assert waits == read_from_text.body.stages["script"].waits_for == ()


def test_a_script_outside_of_the_context_is_refused():
    with pytest.raises(ValueRefused):
        make_script_flow("../get.js")


def test_the_machine_beside_the_problems_still_names_its_scripts():
    machine, problems = READER.check(read_yaml(b"flow: t\nkeep: x\nstages: {a: {job: a.js}}", "t"))

    assert len(problems) == 1
    assert machine.body.stages["a"].job.script == "a.js"


def test_a_thousand_stages_are_checked_within_a_second():
    job = '{ job: { script: a.js, allow: net, input: ["${input.a}", "${stages.s%d.output}"] } }'
    text = stages(s0="{ job: a.js }", **{f"s{n}": job % (n - 1) for n in range(1, 1_000)})

    start = time.monotonic()
    machine = read(text)

    assert len(machine.body.stages) == 1_000
    assert time.monotonic() - start < 1
