"""`corbie test` and `corbie check`: nothing need be set up."""

import json
import re

import pytest

from tests.cli.commands import Cli

pytestmark = pytest.mark.slow

DENIED = """\
flow: look
stages:
  see: {job: {script: ./see.js}}
"""

TEN_MISTAKES = """\
flow: 9lives
input: {url: strng}
keep: soon
colour: red
allow: ["nett:example.com"]
stages:
  one:
    job: ./gone.js
  two:
    job: {script: ./echo.js, input: "${inptu.url}", timeout: fast}
  four:
    follows: [nobody]
    job: ./echo.js
output: "${stages.six.output}"
"""


def test_an_output_is_printed_last(cli: Cli) -> None:
    done = cli.run("test", "echo.yaml", "--input", '{"word": "hi"}')

    assert (done.status, done.out, done.err) == (0, 'output: "hi"\n', "")


def test_watch_prints_a_line_for_each_event_and_effect(cli: Cli) -> None:
    done = cli.run("test", "echo.yaml", "--input", '{"word": "hi"}', "--watch")

    lines = done.out.splitlines()
    assert [re.sub(r"^\S+Z 1 ", "", line) for line in lines] == [
        'step 1 <- start {"word":"hi"}',
        "step 1 -> job say: a script, on runner",
        'step 2 <- done from say "hi"',
        "step 2 done",
        'output: "hi"',
    ]


@pytest.mark.parametrize("how", ["@given.json", "-"])
def test_input_comes_from_a_file_or_standard_input(how: str, cli: Cli) -> None:
    cli.write("given.json", '{"word": "from afar"}')

    done = cli.run("test", "echo.yaml", "--input", how, given='{"word": "from afar"}')

    assert done.out == 'output: "from afar"\n'


def test_a_refusal_says_what_by_whom_and_how_to_mend_it(cli: Cli) -> None:
    cli.write("look.yaml", DENIED)
    cli.write("see.js", 'return require("fs").read("/etc/hostname")\n')

    refused = cli.run("test", "look.yaml")
    cli.write("look.yaml", DENIED.replace("see.js", 'see.js, allow: ["fs.read:/etc/hostname"]'))
    mended = cli.run("test", "look.yaml")

    assert refused.status == 1
    assert re.sub(r"^client/\S+", "RUN", refused.out) == (
        "RUN  failed (denied)  flow look  step 2\n"
        "  refused: fs.read:/etc/hostname\n"
        '  by: the job "see" in the definition of "look"\n'
        "  fix: add fs.read:/etc/hostname to the allow list of that job\n"
    )
    assert mended.status == 0


def test_a_script_runs_alone_and_its_log_goes_to_standard_error(cli: Cli) -> None:
    cli.write("alone.js", 'log("seen", input)\nconsole.warn("careful")\nreturn null\n')

    done = cli.run("test", "alone.js", "--input", "1")

    assert (done.status, done.out) == (0, "output: null\n")
    assert done.err == "script: seen 1\nscript warn: careful\n"


def test_an_error_of_a_script_has_its_own_file_and_line(cli: Cli) -> None:
    cli.write("bad.js", "const a = 1\nthrow new Error('bo\\u001bom')\n")

    done = cli.run("test", "bad.js")

    assert done.status == 1
    assert "  error: stage script: bo\\x1bom\n  place: bad.js:2:" in done.out


def test_a_seed_repeats_names_and_times(cli: Cli) -> None:
    runs = [cli.run("test", "echo.js", "--input", "1", "--watch", "--seed", "7") for _ in "ab"]

    assert runs[0].out == runs[1].out
    assert runs[0].out.startswith("2026-01-01T00:00:00.000Z 1 step 1 <- start 1\n")


def test_json_tells_of_the_end(cli: Cli) -> None:
    done = cli.run("test", "echo.js", "--input", '"\u202eé"', "--json", "--real-time")

    told = json.loads(done.out)
    assert (told["status"], told["output"], told["failure"]) == ("done", "\u202eé", None)
    assert "\\u202e" in done.out


def test_a_job_that_wants_tags_runs_in_a_trial(cli: Cli) -> None:
    cli.write("gpu.yaml", "flow: gpu\nstages:\n  a: {job: {script: ./echo.js, runner: [gpu]}}\n")

    assert cli.run("test", "gpu.yaml").out == "output: null\n"


def test_check_says_what_each_job_may_do(cli: Cli) -> None:
    cli.write(
        "may.yaml",
        "flow: may\ninput: {host: string}\nallow: [env:HOME]\ndeny: [exec]\nstages:\n"
        '  a: {job: {script: ./echo.js, allow: ["net:${input.host}:80"]}}\n',
    )

    done = cli.run("check", "may.yaml", "echo.js", "--host")

    assert done.status == 0
    assert done.out.startswith(
        "may.yaml: flow may: no problems\n"
        "  a: echo.js may net:${input.host}:80, env:HOME\n"
        "  never: exec\n"
        "echo.js: flow echo: no problems\n"
        "  script: echo.js may only compute\n"
        "this computer: "
    )


def test_check_reports_every_problem_of_every_file(cli: Cli) -> None:
    cli.write("one.yaml", "flow: 9\nstagez: {}\n")
    cli.write("two.yaml", "flow: two\nstages: {a: {job: ../a.js}}\n")

    done = cli.run("check", "one.yaml", "two.yaml", "none.yaml", "echo.yaml")
    as_json = cli.run("check", "two.yaml", "echo.yaml", "--json")

    assert (done.status, as_json.status) == (1, 1)
    starts = [line.split(" ")[0] for line in done.out.splitlines() if ":" in line.split(" ")[0]]
    assert starts[:3] == ["one.yaml:1:1:", "one.yaml:1:7:", "one.yaml:2:1:"]
    assert "two.yaml:2:19:" in starts
    assert "none.yaml: there is no such file\n" in done.out
    first, second = json.loads(as_json.out)["files"]
    assert (len(first["problems"]), second["problems"]) == (1, [])


def test_check_tells_ten_mistakes_with_a_missing_script_and_what_to_write(cli: Cli) -> None:
    cli.write("ten.yaml", TEN_MISTAKES)

    done = cli.run("check", "ten.yaml")

    assert (done.status, done.err) == (1, "")
    told = [line.split(": ", 1) for line in done.out.splitlines()]
    assert [where.removeprefix("ten.yaml:") for where, _ in told] == [
        *("1:7", "2:14", "3:7", "4:1", "5:9", "8:10", "10:37", "10:62", "12:15", "14:9")
    ]
    assert told[5][1] == "stages.one.job: gone.js: there is no such file in the context"
    assert 'did you mean "input"?' in told[6][1]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["test"], "error: missing argument 'FILE'\nsee: corbie test --help\n"),
        (["tset"], "error: no such command 'tset'. Did you mean"),
        (["test", "echo.yaml", "--input", "{no"], "error: --input is not JSON: "),
        (["test", "echo.yaml", "--input", "@no"], "error: --input: no cannot be read: No such"),
        (["test", "echo.js", "--input", '{"a":1,"a":2}'], 'error: --input: the name "a" stands tw'),
        (["test", "echo.js", "--watch", "--json"], "error: --watch and --json do not go together"),
        (["check"], "error: name a file to check"),
    ],
)
def test_a_mistake_in_the_command_ends_with_2(words: list[str], text: str, cli: Cli) -> None:
    done = cli.run(*words)

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(text)


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("none.yaml", None, "error: there is no file none.yaml\n"),
        ("empty.yaml", b"", "error: empty.yaml:1:1: the file is empty"),
        ("open.yaml", b"{a: [", "error: open.yaml:"),
        ("bytes.yaml", b"\xff\xfe", "error: bytes.yaml:1:1: the file is not UTF-8"),
        ("big.yaml", b"flow: a\nmeta: " + b"x" * 5 * 1024 * 1024, "error: big.yaml: the file is"),
        ("big.js", b"//" + b"x" * 5 * 1024 * 1024, "error: big.js: the file is larger than 4"),
        ("list.yaml", b"- 1\n", "error: list.yaml:1:1: a definition is a mapping"),
        ("kind.yaml", b"flow: a\nstages: 7\n", "error: kind.yaml:2:9: stages: "),
        ("up.yaml", b"flow: a\nstages: {a: {job: ../a.js}}\n", "error: up.yaml:2:19: stages.a.job"),
        ("gone.yaml", b"flow: a\nstages: {a: {job: ./gone.js}}\n", "error: gone.yaml:2:19: stages"),
        (
            "name.yaml",
            b'flow: a\nstages: {a: {job: ./echo.js}}\noutput: "${inputt}"\n',
            'error: name.yaml:3:9: output: "inputt" is not a name here',
        ),
    ],
)
def test_a_bad_definition_is_refused_with_its_place(
    name: str, content: bytes | None, text: str, cli: Cli
) -> None:
    if content is not None:
        cli.write(name, content)

    done = cli.run("test", name)

    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(text)
    assert "bug" not in done.err


def test_a_problem_outside_this_directory_names_the_file_as_it_was_given(cli: Cli) -> None:
    elsewhere = cli.root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "gone.yaml").write_text("flow: a\nstages: {a: {job: ./gone.js}}\n")

    for name in (str(elsewhere / "gone.yaml"), "../elsewhere/gone.yaml"):
        done = cli.run("check", name)
        assert done.out.startswith(f"{name}:2:19: stages.a.job: gone.js: ")


def test_an_input_that_does_not_fit_has_every_place_named(cli: Cli) -> None:
    cli.write(
        "fit.yaml",
        "flow: fit\ninput: {url: string, many: [number]}\nstages: {a: {job: ./echo.js}}\n",
    )

    done = cli.run("test", "fit.yaml", "--input", '{"many": [1, "x", 2, null]}')

    assert done.status == 1
    assert all(place in done.err for place in ("input.url", "input.many[1]", "input.many[3]"))
