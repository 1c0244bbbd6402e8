"""The direction of imports, and which libraries each package may use.

The contracts are in `.importlinter`. They cannot name a library nobody has thought of, so the
allow lists are here.
"""

import configparser
import sys

import grimp
import pytest
from importlinter import cli

from tests.architecture.checkout import ROOT

CONTRACTS = ROOT / ".importlinter"
PURE = frozenset(
    {
        *("__future__", "abc", "base64", "collections", "dataclasses", "enum", "functools"),
        *("itertools", "json", "math", "re", "string", "types", "typing", "typing_extensions"),
    }
)
ALLOWED = {
    "corbie.domain": PURE,
    "corbie.app": PURE | {"contextlib", "heapq", "logging", "random"},
}
# Its types are the standard library's of a later Python, so any module may have it.
UNOWNED = {"typing_extensions"}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("corbie", include_external_packages=True, cache_dir=None)


def test_every_import_contract_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    status = cli.lint_imports(config_filename=str(CONTRACTS), cache_dir=None, no_logo=True)

    assert status == cli.EXIT_STATUS_SUCCESS, capsys.readouterr().out


@pytest.mark.parametrize("package", ALLOWED)
def test_the_core_imports_only_what_its_allow_list_names(
    graph: grimp.ImportGraph, package: str
) -> None:
    strange = {
        f"{module} -> {imported}"
        for module in {package, *graph.find_descendants(package)}
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.split(".")[0] not in {"corbie", *ALLOWED[package]}
    }

    assert strange == set()


def test_every_library_has_a_contract_that_names_its_owners(graph: grimp.ImportGraph) -> None:
    contracts = configparser.ConfigParser()
    contracts.read(CONTRACTS)
    owned = {
        name
        for section in contracts.sections()
        for name in contracts.get(section, "protected_modules", fallback="").split()
    }

    libraries = {
        module
        for module in graph.modules
        if graph.is_module_squashed(module) and module.split(".")[0] not in sys.stdlib_module_names
    }

    assert libraries - owned - UNOWNED == set()
