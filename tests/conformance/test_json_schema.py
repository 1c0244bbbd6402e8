"""The public JSON Schema suite, draft 2020-12, with patterns run by the evaluator."""

import json
import os
from pathlib import Path

import pytest

from tests.builders import CHECKER

SUITE = Path(os.environ.get("CORBIE_SUITES") or Path(__file__).parents[3] / "shared/suites")
FOLDER = SUITE / "json-schema/tests/draft2020-12"

# Schemas that lead out of themselves, or name a dialect of their own: refused, so nothing fits.
REFUSED = {
    "dynamicRef.json: strict-tree schema, guards against misspelled properties",
    "dynamicRef.json: tests for implementation dynamic anchor and reference link",
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $defs first",
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $ref first",
    "dynamicRef.json: $ref to $dynamicRef finds detached $dynamicAnchor",
    "vocabulary.json: schema that uses custom metaschema with with no validation vocabulary",
    "vocabulary.json: ignore unrecognized optional vocabulary",
}


def fits(schema, value):
    return not CHECKER.problems_in_schema(schema) and not CHECKER.problems_in_value(schema, value)


@pytest.mark.skipif(
    not FOLDER.is_dir(),
    reason="the suite json-schema is not in the folder that CORBIE_SUITES names",
)
@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.name)
def test_a_value_fits_where_the_suite_says_so(file):
    for case in json.loads(file.read_text()):
        name = f"{file.name}: {case['description']}"
        if isinstance(case["schema"], bool):
            continue
        for one in case["tests"]:
            said = fits(case["schema"], one["data"])
            if name in REFUSED or file.name == "refRemote.json":
                assert not (said and not one["valid"]), name
            else:
                assert said == one["valid"], f"{name}: {one['description']}"
