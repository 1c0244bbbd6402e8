import pytest

from corbie.adapters.documents.files import DirectoryDocuments
from corbie.domain.definitions.context_paths import resolve_path, resolve_required
from corbie.domain.definitions.requires import find_requires
from corbie.domain.definitions.single_script import make_script_flow
from corbie.domain.definitions.sources import collect_sources
from corbie.domain.errors import ValueRefused
from corbie.domain.places import format_problem


def collect(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_json", ".json")
        path = path if path.suffix else path.with_suffix(".js")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    sources, problems = collect_sources(make_script_flow("main.js"), DirectoryDocuments(folder))
    return sources, [format_problem(one) for one in problems]


def test_what_a_script_requires_is_collected_from_its_own_directory(tmp_path):
    sources, problems = collect(
        tmp_path,
        main='require("./lib/a"); require("http"); require("./lib/data.json")',
        lib__a='module.exports = require("../b.js")',
        b='require("./lib/data.json")',
        lib__data_json='{"a": 1}',
        other="never read",
    )

    assert problems == []
    assert set(sources.texts) == {"main.js", "lib/a.js", "b.js", "lib/data.json"}
    assert set(sources.requires["main.js"]) == {"lib/a.js", "b.js", "lib/data.json"}


def test_scripts_in_a_circle_are_refused_where_it_closes(tmp_path):
    _, problems = collect(tmp_path, main='\n  require("./a")', a='require("./main")')

    assert problems == ["a.js:1:1: the scripts main.js -> a.js -> main.js require one another"]


def test_two_scripts_may_require_a_third(tmp_path):
    _, problems = collect(
        tmp_path, main='require("./a"); require("./b")', a='require("./b")', b="1"
    )

    assert problems == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('require("./none")', "main.js:1:1: none.js: there is no such file in the context"),
        ('require("../out")', 'main.js:1:1: "../out" leads out of the context'),
        ('const n = "a"; require("./" + n)', "main.js:1:16: require takes the name"),
        ("require(name)", "require takes the name"),
        ('require("./bad.json")', "bad.json is not JSON"),
        ('require("./")', "names no file"),
    ],
)
def test_a_require_that_cannot_be_followed_is_refused_at_its_place(tmp_path, text, says):
    _, problems = collect(tmp_path, main=text, bad_json="{")

    assert len(problems) == 1
    assert says in problems[0]


def test_a_missing_script_is_refused_where_it_is_named(tmp_path):
    _, problems = collect(tmp_path)

    assert problems == ["main.js: there is no such file in the context"]


def test_only_calls_in_code_are_found():
    script = r"""
    // require("./comment")
    /* require("./comment") */
    const a = require("./a"), b = `x ${require('./b')} } ${ {c: {d: 1}}.c } require("./text")`;
    const pattern = /require("\.\/pattern")[/"]/g, text = "require('./text')";
    object.require("./method"); function require2() {}
    const half = (1) / require("./c.json") / 2; `${`nested ${require("./d")}`}`;
    """

    paths = [one.path for one in find_requires(script)]
    assert paths == ["./a", "./b", "./c.json", "./d"]


@pytest.mark.parametrize("text", ["`" * 100_000, "/[" * 20_000, "'\\" * 100_000, "${`" * 50_000])
def test_a_hostile_script_is_read_in_time(text):
    assert find_requires(text) == []


@pytest.mark.parametrize(
    ("written", "file", "path"),
    [
        ("get.js", "sub/flow.yaml", "get.js"),
        ("./get.js", "sub/flow.yaml", "sub/get.js"),
        ("./get.js", "flow.yaml", "get.js"),
        ("a//b/./get.js", "sub/flow.yaml", "a/b/get.js"),
    ],
)
def test_a_path_counts_from_the_context_and_with_a_dot_from_its_file(written, file, path):
    assert resolve_path(written, file) == path


@pytest.mark.parametrize(
    "written", ["", ".", "/a.js", "~/a.js", "../a.js", "a/../b.js", "a\\b.js", "C:/a.js", "a\n.js"]
)
def test_a_path_that_may_leave_the_context_is_refused(written):
    with pytest.raises(ValueRefused):
        resolve_path(written, "flow.yaml")


def test_what_is_required_has_js_implied():
    assert resolve_required("./b", "lib/a.js") == "lib/b.js"
    assert resolve_required("../b.json", "lib/a.js") == "b.json"
    assert resolve_required("./b.min", "a.js") == "b.min.js"
