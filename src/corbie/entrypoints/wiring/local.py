"""The containers of this computer's parties, from its settings and cards.

Source: Interfaces, Configuration (the configuration directory).
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from dependency_injector import providers

from corbie.adapters.crypto.cards import read_card
from corbie.adapters.crypto.keyfiles import FileKeyring
from corbie.adapters.stores.watching import WatchedStore
from corbie.adapters.suspects import SuspectFolder
from corbie.adapters.workers import ThreadWorkers
from corbie.app.files.cardbook import CardBook
from corbie.app.files.verify import Verifying
from corbie.domain.cards import Card
from corbie.domain.errors import SetupRefused, ValueRefused
from corbie.domain.names import PartyName
from corbie.entrypoints.settings import Settings, require_party
from corbie.entrypoints.wiring.adapters import AdaptersContainer
from corbie.entrypoints.wiring.client import ClientContainer
from corbie.entrypoints.wiring.controller import ControllerContainer
from corbie.entrypoints.wiring.files import FilesContainer
from corbie.entrypoints.wiring.runner import RunnerContainer

CARD_ENDING = ".card"


def make_adapters(
    settings: Settings,
    *,
    store: WatchedStore | None = None,
    suspects: SuspectFolder | None = None,
) -> AdaptersContainer:
    """Give the adapters of a process.

    With `store` it is that one, whatever the settings say. With `suspects` an evaluation that
    cannot be interrupted ends the process, which is to be started again.
    """
    given: dict[str, object] = {"settings": settings}
    if store is not None:
        given["store"] = providers.Object(store)
    if suspects is not None:
        given["suspects"] = providers.Object(suspects)
        given["on_stuck"] = providers.Object(suspects.die)
    return AdaptersContainer(**given)


def make_client(settings: Settings, adapters: AdaptersContainer) -> ClientContainer:
    """Give this computer's client.

    Raises:
        SetupRefused: no client or controller is set up, or a card or key file cannot be used.
    """
    controller = find_card(settings, require_party(settings, "controller"))
    return ClientContainer(
        adapters=adapters,
        store=adapters.store,
        name=require_party(settings, "client"),
        controller=controller,
    )


def make_controller(settings: Settings, adapters: AdaptersContainer) -> ControllerContainer:
    """Give this computer's controller; raises as `make_client` does."""
    return ControllerContainer(
        adapters=adapters, store=adapters.store, name=require_party(settings, "controller")
    )


def make_runner(
    settings: Settings, adapters: AdaptersContainer, *, ring: Callable[[], None]
) -> RunnerContainer:
    """Give this computer's runner, for every controller whose card is here.

    `ring` is called, in a thread of the job's, when it ended or said something. Raises as
    `make_client` does.
    """
    controllers = tuple(card for card in list_cards(settings) if card.role == "controller")
    return RunnerContainer(
        adapters=adapters,
        store=adapters.store,
        name=require_party(settings, "runner"),
        controllers=controllers,
        ceiling=providers.Object(settings.runner_allow),
        workers=providers.ThreadSafeSingleton(
            ThreadWorkers, capacity=settings.jobs, on_end=providers.Object(ring)
        ),
        capacity=settings.jobs,
        on_said=providers.Object(ring),
    )


def make_verifying(settings: Settings, adapters: AdaptersContainer) -> Verifying:
    """Give what checks the whole store, as every party whose keys are here.

    Raises:
        SetupRefused: a key file or a card cannot be used.
    """
    cards = tuple(list_cards(settings))
    own = FileKeyring(folder=settings.keys_folder).names()
    book = providers.Object(CardBook(cards))
    parties = {
        name: FilesContainer(
            adapters=adapters, store=adapters.store, name=name, cards=cards, cardbook=book
        )
        for name in (card.name for card in cards)
        if name in own
    }
    if not parties:
        message = f"no party's keys are in {settings.keys_folder}; run `corbie init` first"
        raise SetupRefused(message)
    return Verifying(
        store=adapters.store(),
        parties={name: party.files() for name, party in parties.items()},
        cards=book(),
        blobs=next(iter(parties.values())).blobs(),
        reader=adapters.reader(),
    )


def find_card(settings: Settings, name: PartyName) -> Card:
    """Give the card of a party that this computer knows.

    Raises:
        SetupRefused: its card is not here, or is none.
    """
    path = settings.cards_folder / f"{name}{CARD_ENDING}"
    if not path.exists():
        message = f"the card of {name} is not here: {path} is missing; run `corbie init` again"
        raise SetupRefused(message)
    card = _read_card(path)
    if card.name != name:
        message = f"{path} is the card of {card.name}, not of {name}"
        raise SetupRefused(message)
    return card


def list_cards(settings: Settings) -> Sequence[Card]:
    """Give the cards that this computer knows, by name; raises as `find_card` does."""
    folder = settings.cards_folder
    paths = sorted(folder.glob(f"*{CARD_ENDING}")) if folder.is_dir() else []
    return [_read_card(path) for path in paths]


def _read_card(path: Path) -> Card:
    try:
        return read_card(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueRefused) as error:
        message = f"the card {path} cannot be used: {error}"
        raise SetupRefused(message) from error
