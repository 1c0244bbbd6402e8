"""The JavaScript that every context runs before anything else, read from the package's files.

`DATES` and `BORDER` are ES5 and serve every engine; `FREEZE` is for ES2023. Each is a function
in parentheses: `DATES(state)` gives Date, `BORDER(state)` gives `open` and `bind`, and
`FREEZE(names)` takes the text of a JSON list of the globals to keep.
Source: Values and expressions, What it may use.
"""

import json
from collections.abc import Iterable
from functools import cache
from importlib import resources


@cache
def read_source(name: str) -> str:
    """Give the text of one of this package's JavaScript files."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def make_prelude(allowed: Iterable[str]) -> str:
    """Give a program whose value is the border, and after which only `allowed` globals stand."""
    names = json.dumps(json.dumps(sorted(allowed)))
    return (
        "(function () {\n"
        "var state = { now: 0, seed: '', number: 0, words: null, throws: false, limit: '' };\n"
        f"globalThis.Date = ({read_source('dates.js')})(state);\n"
        f"var border = ({read_source('border.js')})(state);\n"
        f"({read_source('freeze.js')})({names});\n"
        "return border;\n"
        "})()"
    )
