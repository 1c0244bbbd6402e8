"""A home for each test, and one that is set up once."""

from pathlib import Path

import pytest

from tests.cli.commands import Cli, copy_home, make_cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return make_cli(tmp_path)


@pytest.fixture(scope="session")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    made = make_cli(tmp_path_factory.mktemp("set_up"))
    assert made.run("init", "--name", "laptop").status == 0
    return made


@pytest.fixture
def home(set_up: Cli, tmp_path: Path) -> Cli:
    return copy_home(set_up, tmp_path)
