"""Three parties with real keys on one memory store."""

from dependency_injector import providers

from corbie.adapters.crypto.memory_keyring import MemoryKeyring
from corbie.adapters.stores.memory import MemoryStore
from corbie.app.files.sealed import SealedFiles
from corbie.domain.cards import Role
from corbie.domain.names import PartyName
from corbie.domain.times import Instant, Span, parse_instant
from corbie.entrypoints.wiring.adapters import AdaptersContainer
from corbie.entrypoints.wiring.files import FilesContainer

CONTROLLER = PartyName("ctl")
RUNNER = PartyName("run")
CLIENT = PartyName("cli")
ROLES: dict[PartyName, Role] = {CONTROLLER: "controller", RUNNER: "runner", CLIENT: "client"}


class SetClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        """Begin at an afternoon in October."""
        self._now = parse_instant("2026-10-12T21:01:53.624000000Z")

    def now(self) -> Instant:
        """Give the instant it was set to."""
        return self._now

    def set(self, instant: Instant) -> None:
        """Set it."""
        self._now = instant

    def advance(self, span: Span) -> None:
        """Set it forward."""
        self._now = Instant(self._now + span)


class Parties:
    """A controller, a runner and a client that know one another's cards."""

    def __init__(self, *, knowing: tuple[PartyName, ...] = tuple(ROLES)) -> None:
        """Make keys, and files for each; `knowing` are those whose cards are known."""
        self.clock = SetClock()
        self.store = MemoryStore()
        keyring = MemoryKeyring()
        self.cards = {name: keyring.create(name, role) for name, role in ROLES.items()}
        adapters = AdaptersContainer(
            clock=providers.Object(self.clock),
            keyring=providers.Object(keyring),
            store=providers.Object(self.store),
        )
        containers = {
            name: FilesContainer(
                adapters=adapters,
                store=adapters.store,
                name=name,
                cards=tuple(self.cards[known] for known in knowing),
            )
            for name in ROLES
        }
        self.files: dict[PartyName | str, SealedFiles] = {
            name: container.files() for name, container in containers.items()
        }
        self.blobs = {name: container.blobs() for name, container in containers.items()}
