"""A controller process: `ControllerContainer.cycle`."""

from dependency_injector import containers, providers

from corbie.app.controller.advance import Advancer
from corbie.app.controller.agenda import WakeAgenda
from corbie.app.controller.cycle import ControllerCycle
from corbie.app.controller.enact import Enactor
from corbie.app.controller.intake import Intake
from corbie.app.controller.machines import Machines
from corbie.app.controller.runs import Runs
from corbie.app.controller.sweep import Sweeper
from corbie.app.controller.tidy import Tidier
from corbie.app.controller.trusted import Trusted
from corbie.app.controller.trusting import TrustBook
from corbie.domain.ports.store import Store
from corbie.entrypoints.wiring.files import FilesContainer


class ControllerContainer(containers.DeclarativeContainer):
    """`name` is the controller's, `store` the store as it may use it."""

    adapters = providers.DependenciesContainer()
    store: providers.Provider[Store] = providers.Dependency()
    name = providers.Dependency(instance_of=str)

    party = providers.Container(
        FilesContainer, adapters=adapters, store=store, name=name, cards=providers.Object(())
    )
    agenda = providers.ThreadSafeSingleton(WakeAgenda)
    runs = providers.ThreadSafeSingleton(
        Runs, files=party.files, controller=name, clock=adapters.clock
    )
    trusted = providers.ThreadSafeSingleton(
        Trusted,
        store=party.pass_store,
        files=party.files,
        cards=party.cardbook,
        own=party.own,
        clock=adapters.clock,
    )
    machines = providers.ThreadSafeSingleton(Machines, blobs=party.blobs, reader=adapters.reader)
    enactor = providers.ThreadSafeSingleton(
        Enactor,
        store=party.pass_store,
        files=party.files,
        runs=runs,
        agenda=agenda,
        controller=name,
    )
    intake = providers.ThreadSafeSingleton(
        Intake,
        store=party.pass_store,
        files=party.files,
        trusted=trusted,
        controller=name,
        clock=adapters.clock,
    )
    advancer = providers.ThreadSafeSingleton(
        Advancer,
        store=party.pass_store,
        files=party.files,
        runs=runs,
        machines=machines,
        trusted=trusted,
        enactor=enactor,
        own=party.own,
        clock=adapters.clock,
        evaluator=adapters.evaluator,
        checker=adapters.checker,
        isolated=adapters.isolated,
        suspects=adapters.suspects,
    )
    tidier = providers.ThreadSafeSingleton(
        Tidier,
        store=party.pass_store,
        files=party.files,
        runs=runs,
        agenda=agenda,
        controller=name,
        clock=adapters.clock,
    )
    sweeper = providers.ThreadSafeSingleton(
        Sweeper,
        store=party.pass_store,
        runs=runs,
        enactor=enactor,
        agenda=agenda,
        controller=name,
        clock=adapters.clock,
    )
    trust_book = providers.ThreadSafeSingleton(
        TrustBook, store=party.pass_store, files=party.files, controller=name
    )
    cycle: providers.Provider[ControllerCycle] = providers.ThreadSafeSingleton(
        ControllerCycle,
        name=name,
        raw=store,
        store=party.pass_store,
        clock=adapters.clock,
        runs=runs,
        intake=intake,
        advancer=advancer,
        enactor=enactor,
        tidier=tidier,
        sweeper=sweeper,
        agenda=agenda,
    )
