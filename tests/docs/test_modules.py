"""What the manual's table of modules names is there, and what is there it names."""

import json
import re
from pathlib import Path

from corbie.entrypoints.cli.manual import manual_folder
from tests.cli.commands import make_cli

_ROW = re.compile(r"^\| `(\w+)` \| (.*) \| .* \|$", re.MULTILINE)
_NAME = re.compile(r"`(\w+)[^`]*`")

# An element has what `html.parse` gives; the names of its functions and values are in the row too.
_LIST = """
const names = {}
for (const name in modules) names[name] = Object.keys(modules[name])
const element = Object.getPrototypeOf(modules.html.parse("<p>x</p>").find("p"))
const inner = ["constructor", "toJSON"]
names.html.push(...Object.getOwnPropertyNames(element).filter((one) => !inner.includes(one)))
return names
"""


def test_the_table_of_modules_names_all_that_they_have_and_nothing_else(tmp_path: Path) -> None:
    section = (manual_folder() / "scripts.md").read_text().partition("## Modules")[2]
    told = {name: set(_NAME.findall(row)) for name, row in _ROW.findall(section)}
    cli = make_cli(tmp_path)
    required = ", ".join(f'{name}: require("{name}")' for name in told)
    cli.write("list.js", f"const modules = {{ {required} }}{_LIST}")

    done = cli.run("test", "list.js")

    assert done.status == 0, done.err + done.out
    found = json.loads(done.out.removeprefix("output: "))
    assert {name: set(names) for name, names in found.items()} == told
