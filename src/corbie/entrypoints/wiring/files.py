"""One party's view of a store: its signed files, its blobs, the cards it knows."""

from collections.abc import Sequence

from dependency_injector import containers, providers

from corbie.app.files.blobs import BlobFiles
from corbie.app.files.cardbook import CardBook
from corbie.app.files.large import LargeValues
from corbie.app.files.sealed import SealedFiles
from corbie.app.files.standing import PassStore
from corbie.domain.cards import Card
from corbie.domain.names import PartyName
from corbie.domain.ports.crypto import Opener, Signer
from corbie.domain.ports.keyring import Keyring
from corbie.domain.ports.store import Store


def _signer(keyring: Keyring, name: PartyName) -> Signer:
    return keyring.signer(name)


def _opener(keyring: Keyring, name: PartyName) -> Opener:
    return keyring.opener(name)


def _cardbook(signer: Signer, cards: Sequence[Card]) -> CardBook:
    return CardBook([signer.card, *cards])


class FilesContainer(containers.DeclarativeContainer):
    """`store` is the party's own; `cards` are those it was set up with, besides its own."""

    adapters = providers.DependenciesContainer()
    store: providers.Provider[Store] = providers.Dependency()
    name = providers.Dependency(instance_of=str)
    cards = providers.Dependency(instance_of=tuple)

    pass_store = providers.ThreadSafeSingleton(PassStore, store=store, clock=adapters.clock)
    signer: providers.Provider[Signer] = providers.ThreadSafeSingleton(
        _signer, adapters.keyring, name
    )
    opener: providers.Provider[Opener] = providers.ThreadSafeSingleton(
        _opener, adapters.keyring, name
    )
    own = signer.provided.card
    cardbook = providers.ThreadSafeSingleton(_cardbook, signer, cards)
    blobs = providers.ThreadSafeSingleton(
        BlobFiles, store=pass_store, cipher=adapters.cipher, entropy=adapters.entropy
    )
    large = providers.ThreadSafeSingleton(LargeValues, blobs=blobs)
    files = providers.ThreadSafeSingleton(
        SealedFiles,
        store=pass_store,
        signer=signer,
        opener=opener,
        verifier=adapters.verifier,
        sealer=adapters.sealer,
        codecs=adapters.codecs,
        cards=cardbook,
        clock=adapters.clock,
        large=large,
    )
