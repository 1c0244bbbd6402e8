"""`corbie test`: `TestbedContainer.trial`, on a memory store that enforces the access table.

Each party has keys of its own, made for the trial, and its own column of the table.
"""

from dependency_injector import containers, providers

from corbie.adapters.crypto.memory_keyring import MemoryKeyring
from corbie.adapters.entropy import SeededEntropy, SystemEntropy
from corbie.adapters.scripts.host import ProcessScriptHost
from corbie.adapters.stores.guarded import GuardedStore
from corbie.adapters.stores.memory import MemoryStore
from corbie.adapters.stores.opening import prepare_store
from corbie.adapters.suspects import NoSuspects
from corbie.adapters.workers import InlineWorkers
from corbie.app.controller.trusting import TrustBook
from corbie.app.testbed.agenda import TrialClock, VirtualClock
from corbie.app.testbed.trial import Trial
from corbie.app.testbed.world import World
from corbie.domain.access import Party
from corbie.domain.cards import Role, TrustEntry
from corbie.domain.names import PartyName
from corbie.domain.ports.entropy import Entropy
from corbie.domain.ports.scripts import ScriptHost
from corbie.entrypoints.settings import Settings
from corbie.entrypoints.wiring.adapters import AdaptersContainer
from corbie.entrypoints.wiring.client import ClientContainer
from corbie.entrypoints.wiring.controller import ControllerContainer
from corbie.entrypoints.wiring.runner import RunnerContainer

CONTROLLER = PartyName("controller")
RUNNER = PartyName("runner")
CLIENT = PartyName("client")
_ROLES: dict[PartyName, Role] = {CONTROLLER: "controller", RUNNER: "runner", CLIENT: "client"}


class Parties:
    """The parties of one trial, with keys that end with it."""

    def __init__(self) -> None:
        """Make the keys."""
        self.keyring = MemoryKeyring()
        self.cards = {name: self.keyring.create(name, role) for name, role in _ROLES.items()}
        self.controllers = (self.cards[CONTROLLER],)
        self.controller = self.cards[CONTROLLER]


def _guard(store: MemoryStore, name: PartyName) -> GuardedStore:
    return GuardedStore(store, Party(name=name, role=_ROLES[name]))


def _make_trial(store: MemoryStore, trust_book: TrustBook, parties: Parties, world: World) -> Trial:
    prepare_store(store)
    trust_book.put(TrustEntry(card=parties.cards[CLIENT], allow=("all",), secrets=("*",)))

    def tag_runner(tags: tuple[str, ...]) -> None:
        trust_book.put(TrustEntry(card=parties.cards[RUNNER], tags=tags))

    return Trial(world=world, tag_runner=tag_runner)


class TestbedContainer(containers.DeclarativeContainer):
    """`clock` is the trial's time: virtual, unless the computer's own is handed in."""

    settings = providers.Dependency(instance_of=Settings)
    start = providers.Dependency(instance_of=int)

    clock: providers.Provider[TrialClock] = providers.ThreadSafeSingleton(VirtualClock, start)
    entropy: providers.Provider[Entropy] = providers.ThreadSafeSingleton(SystemEntropy)
    host: providers.Provider[ScriptHost] = providers.ThreadSafeSingleton(
        ProcessScriptHost, clock=clock
    )
    parties = providers.ThreadSafeSingleton(Parties)
    memory = providers.ThreadSafeSingleton(MemoryStore)
    adapters = providers.Container(
        AdaptersContainer,
        settings=settings,
        clock=clock,
        entropy=entropy,
        keyring=parties.provided.keyring,
        store=memory,
        host=host,
        suspects=providers.ThreadSafeSingleton(NoSuspects),
    )
    controller = providers.Container(
        ControllerContainer,
        adapters=adapters,
        store=providers.ThreadSafeSingleton(_guard, memory, CONTROLLER),
        name=providers.Object(CONTROLLER),
    )
    runner = providers.Container(
        RunnerContainer,
        adapters=adapters,
        store=providers.ThreadSafeSingleton(_guard, memory, RUNNER),
        name=providers.Object(RUNNER),
        controllers=parties.provided.controllers,
        ceiling=providers.Object(None),
        workers=providers.ThreadSafeSingleton(InlineWorkers),
        capacity=providers.Object(1),
        on_said=providers.Object(lambda: None),
    )
    client = providers.Container(
        ClientContainer,
        adapters=adapters,
        store=providers.ThreadSafeSingleton(_guard, memory, CLIENT),
        name=providers.Object(CLIENT),
        controller=parties.provided.controller,
    )
    world = providers.ThreadSafeSingleton(
        World,
        clock=clock,
        controller=controller.cycle,
        runner=runner.cycle,
        submitter=client.submitter,
        observer=client.observer,
    )
    trial: providers.Provider[Trial] = providers.ThreadSafeSingleton(
        _make_trial, memory, controller.trust_book, parties, world
    )


def make_testbed(
    settings: Settings, *, clock: TrialClock, host: ScriptHost, seed: int | None = None
) -> TestbedContainer:
    """Give the parts of a trial; with a seed its names and chance are the same each time."""
    entropy: Entropy = SystemEntropy() if seed is None else SeededEntropy(seed)
    return TestbedContainer(
        settings=settings,
        start=clock.now(),
        clock=providers.Object(clock),
        entropy=providers.Object(entropy),
        host=providers.Object(host),
    )
