"""Sizes and habits that no linter knows."""

import ast
import re
from pathlib import Path

import grimp
import pytest

from corbie.entrypoints.cli.registry import COMMANDS
from tests.architecture.checkout import ROOT, python_files, shown, text_files

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
# Modules that a process starts with, or that are found by name, so no other module imports them.
SCRIPT_MODULES = "corbie.adapters.scripts.modules"
STARTED = {
    "corbie.entrypoints.cli.main",
    "corbie.entrypoints.isolated_step",
    "corbie.adapters.scripts.zygote",
    *(f"{SCRIPT_MODULES}.{name}" for name in ("env", "exec", "fs", "html", "http", "json")),
}
# Hosts that a text of ours may give an address at: nothing is fetched from any in a test.
HOSTS = re.compile(
    r"(?:[\w.-]+\.)?(?:example(?:\.(?:com|org|net))?|test|invalid|localhost|apache\.org|json-schema\.org"
    r"|keepachangelog\.com|semver\.org|w3\.org)|127\.0\.0\.1(?::\{.*)?|\[::1\]|169\.254\.169\.254|SITE|[{<$%].*|\.*"
)

CODE = python_files("src", "tests", "demo", "bench")


@pytest.mark.parametrize("path", CODE, ids=shown)
def test_a_file_has_at_most_400_lines(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= FILE_LINES_MAX


@pytest.mark.parametrize("path", CODE, ids=shown)
def test_a_function_has_at_most_60_lines(path: Path) -> None:
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]

    long = [
        f"{node.name}, line {node.lineno}"
        for node in functions
        if (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES_MAX
    ]

    assert long == []


def test_no_module_is_empty() -> None:
    empty = [
        shown(path)
        for path in python_files("src")
        if not ast.parse(path.read_text("utf-8")).body
        or (path.name != "__init__.py" and _is_docstring_only(path.read_text("utf-8")))
    ]

    assert empty == []


def test_every_module_is_imported_by_another() -> None:
    graph = grimp.build_graph("corbie", cache_dir=None)
    found_by_name = {
        f"corbie.entrypoints.cli.{command.target.partition(':')[0]}"
        for command in COMMANDS.values()
    }

    unused = {
        module
        for module in graph.modules - STARTED - found_by_name
        if not graph.find_children(module)
        and not graph.find_modules_that_directly_import(module)
        and not (ROOT / "src" / module.replace(".", "/")).is_dir()
    }

    assert unused == set()


def test_work_left_to_do_names_its_issue() -> None:
    mark = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b(?!\(#\d+\))")

    assert _lines_with(mark) == []


def test_tests_neither_mock_nor_patch() -> None:
    mark = re.compile("monkey" + "patch|unittest[.]" + "mock|from unittest import " + "mock")

    assert [line for line in _lines_with(mark) if line.startswith("tests/")] == []


def test_no_file_names_a_path_of_one_machine() -> None:
    mark = re.compile(r"(?<![\w.~}-])/(?:work|root|opt|Users)/\w")

    assert _lines_with(mark) == []


def test_every_address_is_at_a_host_that_stands_for_an_example() -> None:
    address = re.compile(r"https?://([\w.\[:\]{<$%-]*)")

    strange = {
        f"{shown(path)}: {found[1]}"
        for path in text_files()
        for found in address.finditer(path.read_text("utf-8"))
        if not HOSTS.fullmatch(re.sub(r":\d*$", "", found[1]))
    }

    assert strange == set()


def _is_docstring_only(text: str) -> bool:
    body = ast.parse(text).body
    return len(body) == 1 and isinstance(body[0], ast.Expr)


def _lines_with(mark: re.Pattern[str]) -> list[str]:
    return [
        f"{shown(path)}:{number}: {line.strip()[:80]}"
        for path in text_files()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if mark.search(line)
    ]
