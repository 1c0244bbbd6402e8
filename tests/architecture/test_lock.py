"""The lock files: everything `pyproject.toml` names, with hashes, and no place it comes from."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import corbie
from tests.architecture.checkout import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
RUNTIME = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["build"]]
DEV = [*RUNTIME, *PROJECT["dependency-groups"]["dev"]]
LOCKS = {"requirements.lock": RUNTIME, "requirements-dev.lock": DEV}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_names_no_address_and_no_index(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8")

    assert re.findall(r"\w+://\S*|--(?:extra-)?index\S*|--find-links\S*|@ \S+", text) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_release_has_a_hash(lock: str) -> None:
    assert [name for name, (_, hashes) in _read(lock).items() if not hashes] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_dependency_is_locked_at_a_release_that_fits(lock: str) -> None:
    locked = _read(lock)

    unfit = [
        text
        for text in LOCKS[lock]
        if (name := canonicalize_name(Requirement(text).name)) not in locked
        or not Requirement(text).specifier.contains(locked[name][0])
    ]

    assert unfit == []


def test_both_lock_files_hold_the_same_releases() -> None:
    developing = _read("requirements-dev.lock")

    assert {
        name for name, release in _read("requirements.lock").items() if developing[name] != release
    } == set()


def test_the_package_and_the_project_have_one_version() -> None:
    assert corbie.__version__ == PROJECT["project"]["version"]


def _read(lock: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Give each locked name's release and hashes."""
    lines = (ROOT / lock).read_text("utf-8").replace("\\\n", " ").splitlines()
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for line in lines:
        requirement, *hashes = line.split(" --hash=")
        name, _, release = requirement.partition(";")[0].strip().partition("==")
        found[canonicalize_name(name)] = (release, tuple(one.strip() for one in hashes))
    return found
