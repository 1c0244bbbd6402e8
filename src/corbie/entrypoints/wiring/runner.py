"""A runner process: `RunnerContainer.cycle`."""

import os
from collections.abc import Callable, Mapping, Sequence

from dependency_injector import containers, providers

from corbie import __version__
from corbie.adapters.processes import host_name, is_process, process_started
from corbie.app.runner.claim import Claimer
from corbie.app.runner.cycle import RunnerCycle
from corbie.app.runner.presence import Instance, Presence
from corbie.app.runner.report import Reporter
from corbie.domain.cards import Card
from corbie.domain.names import PartyName
from corbie.domain.ports.entropy import Entropy
from corbie.domain.ports.store import Store
from corbie.domain.ports.workers import Workers
from corbie.entrypoints.wiring.files import FilesContainer

_INSTANCE_DIGITS = 12


def _instance(entropy: Entropy) -> Instance:
    process = os.getpid()
    return Instance(
        name=entropy.digits(_INSTANCE_DIGITS),
        host=host_name(),
        process=process,
        started=process_started(process),
        version=__version__,
    )


def _by_name(cards: Sequence[Card]) -> Mapping[PartyName, Card]:
    return {card.name: card for card in cards}


class RunnerContainer(containers.DeclarativeContainer):
    """`controllers` are the cards of those it works for; `ceiling` what their jobs may do.

    `on_said` is called in a job's thread when it said something that should be handed on.
    """

    adapters = providers.DependenciesContainer()
    store: providers.Provider[Store] = providers.Dependency()
    name = providers.Dependency(instance_of=str)
    controllers = providers.Dependency(instance_of=tuple)
    ceiling: providers.Provider[tuple[str, ...] | None] = providers.Dependency()
    workers: providers.Provider[Workers] = providers.Dependency()
    capacity = providers.Dependency(instance_of=int)
    on_said: providers.Provider[Callable[[], None]] = providers.Dependency()

    party = providers.Container(
        FilesContainer, adapters=adapters, store=store, name=name, cards=controllers
    )
    by_name = providers.ThreadSafeSingleton(_by_name, controllers)
    instance = providers.ThreadSafeSingleton(_instance, adapters.entropy)
    alive_process = providers.Object(is_process)
    presence = providers.ThreadSafeSingleton(
        Presence,
        store=party.pass_store,
        files=party.files,
        runner=name,
        instance=instance,
        capacity=capacity,
        clock=adapters.clock,
        is_process=alive_process,
    )
    reporter = providers.ThreadSafeSingleton(
        Reporter,
        store=party.pass_store,
        files=party.files,
        runner=name,
        controllers=by_name,
        clock=adapters.clock,
    )
    claimer = providers.ThreadSafeSingleton(
        Claimer,
        store=party.pass_store,
        files=party.files,
        blobs=party.blobs,
        runner=name,
        controllers=by_name,
        ceiling=ceiling,
        presence=presence,
        reporter=reporter,
        clock=adapters.clock,
        on_said=on_said,
    )
    cycle: providers.Provider[RunnerCycle] = providers.ThreadSafeSingleton(
        RunnerCycle,
        store=party.pass_store,
        clock=adapters.clock,
        host=adapters.host,
        workers=workers,
        presence=presence,
        claimer=claimer,
        reporter=reporter,
    )
