"""The public crypto vectors, read from the folder of suites; skipped where that is missing."""

import json
import os
from pathlib import Path

import pytest

_DEFAULT = Path(__file__).parents[3] / "shared" / "suites"


def load_suite(name):
    """Give a suite's JSON, or skip the module, saying which file is missing."""
    folder = Path(os.environ.get("CORBIE_SUITES") or _DEFAULT)
    path = folder / name
    if not path.is_file():
        pytest.skip(
            f"the suite {name} is not in the folder that CORBIE_SUITES names",
            allow_module_level=True,
        )
    return json.loads(path.read_text())


def wycheproof_cases(name):
    """Give each case of a Wycheproof file as one mapping, with its group's fields beside it."""
    return [
        {**group, **case}
        for group in load_suite(f"wycheproof/testvectors_v1/{name}_test.json")["testGroups"]
        for case in group["tests"]
    ]


def case_id(case):
    """Name a case in a test's name."""
    return f"{case['tcId']}"
