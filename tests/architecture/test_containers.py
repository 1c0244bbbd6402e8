"""Every provider of every container resolves: nothing else sees a misspelt argument."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from dependency_injector import containers, providers

from corbie.entrypoints.settings import Settings, read_settings
from corbie.entrypoints.setup import initialise
from corbie.entrypoints.wiring import testbed
from corbie.entrypoints.wiring.local import (
    make_adapters,
    make_client,
    make_controller,
    make_runner,
)


def settings_of(home: Path) -> Settings:
    """Give the settings of a home that may not be set up."""
    return read_settings(flags={"home": str(home)}, environment={}, is_terminal=False).settings


def resolve(container: containers.Container, name: str = "") -> Iterator[str]:
    """Resolve every provider of a container, and of those in it; name each."""
    for key, provider in container.providers.items():
        where = f"{name}.{key}"
        if isinstance(provider, providers.Container):
            yield from resolve(provider, where)
        elif not isinstance(provider, providers.DependenciesContainer | providers.Self):
            provider()
            yield where


@pytest.mark.parametrize("kind", ["adapters", "client", "controller", "runner", "testbed"])
def test_every_provider_resolves(kind: str, tmp_path: Path) -> None:
    initialise(settings_of(tmp_path), name="test")
    settings = settings_of(tmp_path)
    adapters = make_adapters(settings)
    made = {
        "adapters": lambda: adapters,
        "client": lambda: make_client(settings, adapters),
        "controller": lambda: make_controller(settings, adapters),
        "runner": lambda: make_runner(settings, adapters, ring=lambda: None),
        "testbed": lambda: testbed.TestbedContainer(settings=settings, start=0),
    }[kind]()

    names = list(resolve(made))

    assert len(names) >= 5
    assert (tmp_path / "store" / "version").exists()
