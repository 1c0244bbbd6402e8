"""The built wheel, in an environment that holds nothing but what the lock file names."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import corbie
from tests.architecture.checkout import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), at=ROOT)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of commands of a new environment with the wheel in it."""
    folder = tmp_path_factory.mktemp("environment")
    _run(sys.executable, "-m", "venv", str(folder), at=folder)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    _run(*pip, "--require-hashes", "-r", str(ROOT / "requirements.lock"), at=folder)
    _run(*pip, "--no-deps", "--no-index", str(wheel), at=folder)
    return folder / "bin"


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    source = ROOT / "src"
    expected = {
        path.relative_to(source).as_posix()
        for path in (source / "corbie").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }

    with zipfile.ZipFile(wheel) as archive:
        missing = expected - set(archive.namelist())

    assert missing == set()
    assert "corbie/py.typed" in expected


def test_the_installed_command_works_in_an_empty_directory(installed: Path, tmp_path: Path) -> None:
    command = str(installed / "corbie")

    assert _run(command, "--version", at=tmp_path) == f"corbie {corbie.__version__}\n"
    assert json.loads(_run(command, "version", "--json", at=tmp_path)) == {
        "version": corbie.__version__
    }
    assert _run(command, "--help", at=tmp_path).startswith("Usage: corbie")
    assert _run(command, "manual", at=tmp_path).startswith("# The manual\n")
    assert list(tmp_path.iterdir()) == []


def test_the_installed_command_runs_a_machine(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "double.js").write_text("return 2 * input\n")

    output = _run(str(installed / "corbie"), "test", "double.js", "--input", "21", at=tmp_path)

    assert output == "output: 42\n"


def test_every_module_of_the_installed_package_can_be_imported(
    installed: Path, tmp_path: Path
) -> None:
    walk = (
        "import corbie, importlib, pkgutil\n"
        "for found in pkgutil.walk_packages(corbie.__path__, 'corbie.'):\n"
        "    importlib.import_module(found.name)\n"
        "print(corbie.__file__)\n"
    )

    where = _run(str(installed / "python"), "-I", "-c", walk, at=tmp_path).strip()

    assert Path(where).is_relative_to(installed.parent)


def _run(*words: str, at: Path) -> str:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "VIRTUAL_ENV", "CORBIE_", "PYTEST"))
    }
    done = subprocess.run(
        words, cwd=at, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
