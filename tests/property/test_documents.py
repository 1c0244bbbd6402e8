import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from corbie.adapters.documents.yaml_text import read_yaml
from corbie.domain.definitions.full_form import format_full_form
from corbie.domain.places import DefinitionRefused
from corbie.domain.values import stable_text
from tests.reading import READER

NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,8}", fullmatch=True).filter("include".__ne__)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=8)
SOURCES = st.sampled_from(["${input.a}", "x ${run.id} y", "$${plain}", "${ {a: '}'}.a }", "plain"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXTS | SOURCES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
SPANS = st.sampled_from(["1ms", "90s", "5m", "24h", "7d"])
COUNTS = st.sampled_from(["none", 0, 1, 10_000])
ENTRIES = st.lists(st.sampled_from(["net", "env:HOME", "net:${input.host}:443", "fs.read:/a/**"]))
TYPES = st.sampled_from(["string", "any", "integer?", ["number"], {"type": "array", "default": []}])


@st.composite
def definitions(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    stages = {}
    for index, name in enumerate(names):
        job = {"script": f"{name}.js", "input": draw(VALUES), "allow": draw(ENTRIES)}
        job["timeout"] = draw(SPANS | st.just("${input.seconds}s"))
        job["runner"] = draw(st.lists(NAMES, max_size=2))
        before = names[:index]
        follows = draw(st.lists(st.sampled_from(before), unique=True)) if before else []
        stages[name] = {"job": job, "follows": follows}
        if before and draw(st.booleans()):
            stages[name]["when"] = f"${{stages[{json.dumps(before[0])}].status}}"
    return {
        "flow": draw(NAMES),
        "title": draw(SOURCES),
        "input": draw(st.dictionaries(NAMES.filter("type".__ne__), TYPES, max_size=3)),
        "keep": draw(SPANS),
        "limits": {"timeout": draw(st.just("none") | SPANS), "jobs": draw(COUNTS)},
        "allow": draw(ENTRIES),
        "deny": draw(st.lists(st.sampled_from(["exec", "net:10.0.0.0/8"]))),
        "meta": draw(VALUES),
        "stages": stages,
        "output": draw(VALUES),
    }


@given(definitions())
def test_a_full_form_read_back_is_the_same_machine(written):
    machine = READER.read(read_yaml(stable_text(written).encode(), "flow.yaml"))

    data = format_full_form(machine)
    again = READER.read_full_form(data)

    assert format_full_form(again) == data
    assert READER.read_full_form(format_full_form(again)) == again
    assert again.full == machine.full
    waits = {name: stage.waits_for for name, stage in machine.body.stages.items()}
    assert {name: stage.waits_for for name, stage in again.body.stages.items()} == waits


@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
def test_any_bytes_are_read_or_refused(text):
    with suppress(DefinitionRefused):
        READER.read(read_yaml(text, "a.yaml"))


@given(st.text("ab-:?[]{},#&*!|>'\"%@` \n\t0", max_size=60))
def test_any_text_of_indicators_is_read_or_refused(text):
    with suppress(DefinitionRefused):
        read_yaml(text.encode(), "a.yaml")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_json_is_yaml(value):
    document = read_yaml(stable_text(value).encode(), "a.yaml")

    assert document.problems == ()
    assert document.value == value


@given(
    st.dictionaries(
        st.sampled_from(
            ["flow", "title", "input", "stages", "job", "when", "follows", "limits", "allow", "a"]
        ),
        JSON,
    )
)
def test_any_mapping_is_a_machine_or_refused(value):
    with suppress(DefinitionRefused):
        READER.read(read_yaml(stable_text({"flow": "a", **value}).encode(), "a.yaml"))
