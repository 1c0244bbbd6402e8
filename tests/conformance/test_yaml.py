"""The public YAML suite: no case that is an error is read, every value read is the right one."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from corbie.adapters.documents.yaml_text import read_yaml
from corbie.domain.places import DefinitionRefused

FOLDER = (
    Path(os.environ.get("CORBIE_SUITES") or Path(__file__).parents[3] / "shared/suites") / "yaml"
)

# What of YAML 1.2 is refused on purpose, by what is said of it, and the cases it refuses.
REFUSED = {
    "a second document begins": 11,
    "the text goes on after the document's value": 4,
    "the file is empty": 3,
    "a field's name is a text": 18,
    "the tag ": 16,
    "a line that begins with % is a directive, and this one is not read": 4,
    "this %YAML line": 2,
    # libyaml reads less than YAML 1.2: flow values on the next line, tabs as separation, empty
    # names, `?` and `:` right before a text, names of anchors with other characters.
    "a mapping in { } is not closed here": 9,
    "a value is missing here": 7,
    "a tab stands where only spaces may indent": 12,
    "this line does not continue the fields above": 8,
    'a ":" stands in a text in [ ] or { }': 2,
    "a ? with no space behind it begins a text for YAML 1.2": 2,
    "the name behind & or * holds more than letters, digits, _ and -": 3,
}


def cases(*, are_errors):
    if not FOLDER.is_dir():
        return []
    return [
        pytest.param(file.parent, id=str(file.parent.relative_to(FOLDER)))
        for file in sorted(FOLDER.rglob("in.yaml"))
        if (file.parent / "error").exists() == are_errors
    ]


def read(folder):
    document = read_yaml((folder / "in.yaml").read_bytes(), "in.yaml")
    if document.problems:
        raise DefinitionRefused(document.problems)
    return document.value


needs_suite = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the suite yaml is not in the folder that CORBIE_SUITES names"
)


@needs_suite
@pytest.mark.parametrize("folder", cases(are_errors=True))
def test_a_case_that_is_an_error_is_refused(folder):
    with pytest.raises(DefinitionRefused):
        read(folder)


@needs_suite
def test_a_case_that_is_read_has_the_value_of_the_suite_and_each_other_a_reason():
    refused = Counter()
    compared = 0

    for case in cases(are_errors=False):
        (folder,) = case.values
        try:
            value = read(folder)
        except DefinitionRefused as error:
            said = error.problems[0].what
            reasons = [reason for reason in REFUSED if said.startswith(reason)]
            assert reasons, f"{case.id}: {said}"
            refused[reasons[0]] += 1
            continue
        expected = folder / "in.json"
        if expected.exists():
            assert value == json.loads(expected.read_text()), case.id
            compared += 1

    assert compared == 206
    assert dict(refused) == REFUSED
