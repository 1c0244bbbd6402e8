"""A client: `ClientContainer.submitter` and `.observer`."""

from dependency_injector import containers, providers

from corbie.app.client.observe import Observer
from corbie.app.client.submit import Submitter
from corbie.domain.cards import Card
from corbie.domain.ports.store import Store
from corbie.entrypoints.wiring.files import FilesContainer


def _only(card: Card) -> tuple[Card, ...]:
    return (card,)


class ClientContainer(containers.DeclarativeContainer):
    """`controller` is the card of the controller that its runs are sent to."""

    adapters = providers.DependenciesContainer()
    store: providers.Provider[Store] = providers.Dependency()
    name = providers.Dependency(instance_of=str)
    controller = providers.Dependency(instance_of=Card)

    party = providers.Container(
        FilesContainer,
        adapters=adapters,
        store=store,
        name=name,
        cards=providers.ThreadSafeSingleton(_only, controller),
    )
    submitter: providers.Provider[Submitter] = providers.ThreadSafeSingleton(
        Submitter,
        store=party.pass_store,
        files=party.files,
        blobs=party.blobs,
        own=party.own,
        controller=controller,
        clock=adapters.clock,
        entropy=adapters.entropy,
    )
    observer: providers.Provider[Observer] = providers.ThreadSafeSingleton(
        Observer,
        store=party.pass_store,
        files=party.files,
        client=name,
        controller=controller.provided.name,
    )
