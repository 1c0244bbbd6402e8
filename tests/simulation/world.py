"""A seed's world: the shared store that watches every write, the parties, the clocks."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dependency_injector import providers

from corbie.adapters.crypto.memory_keyring import MemoryKeyring
from corbie.adapters.entropy import SeededEntropy
from corbie.adapters.stores.guarded import GuardedStore
from corbie.adapters.stores.memory import MemoryStore
from corbie.adapters.stores.opening import prepare_store
from corbie.app.client.submit import Sent
from corbie.app.files.blobs import BlobFiles, Home
from corbie.app.files.sealed import SealedFiles
from corbie.app.runner.claim import CANCELLED
from corbie.domain.access import Party
from corbie.domain.cards import Card, Role, TrustEntry
from corbie.domain.definitions.machine import Machine
from corbie.domain.names import JobId, PartyName, RunId
from corbie.domain.paths import StorePath, parse_path
from corbie.domain.ports.scripts import ScriptHost
from corbie.domain.ports.store import Store, Version
from corbie.domain.records import ResultMessage, Status, StepRecord
from corbie.domain.steps.effects import StartJob
from corbie.domain.steps.events import Ended
from corbie.domain.times import SECOND, SKEW, Instant, Span, parse_instant
from corbie.entrypoints.settings import Settings
from corbie.entrypoints.wiring.adapters import AdaptersContainer
from corbie.entrypoints.wiring.client import ClientContainer
from corbie.entrypoints.wiring.controller import ControllerContainer
from tests.simulation.faults import Chances, FaultyStore, Late
from tests.simulation.scheduler import Scheduler

CONTROLLER = PartyName("ctl")
CLIENT = PartyName("cli")
RUNNERS = (PartyName("run1"), PartyName("run2"))
ROLES: dict[PartyName, Role] = {
    CONTROLLER: "controller",
    CLIENT: "client",
    **dict.fromkeys(RUNNERS, "runner"),
}
SECRET = "quetzalcoatlus"
"""Stands in every input, output, log line and script, and may stand in no file of the store."""

KEYRING = MemoryKeyring()
CARDS: dict[PartyName, Card] = {name: KEYRING.create(name, role) for name, role in ROLES.items()}
SETTINGS = Settings(home=Path("/nowhere"), store="memory:", jobs=2, log_format="human")
BEGINNING = parse_instant("2026-11-30T12:00:00.000000000Z")

# What is deterministic, or has no state that matters, is made once for all seeds.
SHARED = AdaptersContainer(settings=SETTINGS)


class Violation(AssertionError):
    """A promise was broken."""


class SkewedClock:
    """One actor's clock: the world's time, some minutes off."""

    def __init__(self, world: "World", skew: Span) -> None:
        """Hold whose time it is."""
        self._world = world
        self._skew = skew

    def now(self) -> Instant:
        """Give the world's time as this actor sees it."""
        return Instant(self._world.now + self._skew)


class WatchedMemory(MemoryStore):
    """The shared store; every write that lands is shown to the world first."""

    def __init__(self) -> None:
        """Begin unwatched."""
        super().__init__()
        self.see: Callable[[StorePath, bytes, bool], None] = lambda *_: None
        self.see_deleted: Callable[[Sequence[StorePath]], None] = lambda *_: None

    def write(self, path: StorePath, data: bytes) -> Version:
        """Write, and show it."""
        version = super().write(path, data)
        self.see(path, data, False)
        return version

    def write_unchanged(self, path: StorePath, data: bytes, version: Version) -> Version:
        """Replace, and show it."""
        written = super().write_unchanged(path, data, version)
        self.see(path, data, False)
        return written

    def write_new(self, path: StorePath, data: bytes) -> Version:
        """Write, and show it."""
        version = super().write_new(path, data)
        self.see(path, data, True)
        return version

    def delete_all(self, paths: Sequence[StorePath]) -> None:
        """Delete, and show it."""
        super().delete_all(paths)
        self.see_deleted(paths)


@dataclass(slots=True)
class World:
    """All that is true at once, and the promises as they are watched."""

    seed: int
    chance: random.Random
    scheduler: Scheduler
    now: Instant = BEGINNING
    store: WatchedMemory = field(default_factory=WatchedMemory)
    chances: Chances = field(default_factory=Chances)
    late: list[Late] = field(default_factory=list)
    skews: dict[str, Span] = field(default_factory=dict)
    ran: Counter[JobId] = field(default_factory=Counter)
    started_by: dict[JobId, StorePath] = field(default_factory=dict)
    steps: dict[RunId, int] = field(default_factory=dict)
    lives: Counter[RunId] = field(default_factory=Counter)
    records: dict[StorePath, StepRecord] = field(default_factory=dict)
    status_steps: dict[RunId, int] = field(default_factory=dict)
    told: dict[str, object] = field(default_factory=dict)
    living: set[tuple[str, int]] = field(default_factory=set)
    log: list[str] = field(default_factory=list)
    serial: int = 0
    reported: set[JobId] = field(default_factory=set)
    never_begun: set[JobId] = field(default_factory=set)
    deleted: set[RunId] = field(default_factory=set)
    sent: list[Sent] = field(default_factory=list)
    machines: dict[str, Machine] = field(default_factory=dict)
    is_settling: bool = False
    files: SealedFiles = field(init=False)
    blobs: BlobFiles = field(init=False)
    box: SealedFiles = field(init=False)

    def say(self, text: str) -> None:
        """Keep a line of what happened, shown when a promise is broken."""
        seconds = (self.now - BEGINNING) / SECOND
        self.log.append(f"{seconds:9.3f} {text}")

    def require(self, condition: bool, promise: str) -> None:
        """Raise `Violation` unless a promise holds."""
        if not condition:
            tail = "\n".join(self.log[-200:])
            message = f"seed {self.seed}: {promise}\n{tail}"
            raise Violation(message)

    def clock(self, actor: str) -> SkewedClock:
        """Give an actor's clock; its error is drawn once."""
        skews = [0, 0, 0, -SKEW // 2, SKEW // 2 - SECOND]
        skew = self.skews.setdefault(actor, Span(self.chance.choice(skews)))
        return SkewedClock(self, skew)

    def store_of(self, party: PartyName) -> Store:
        """Give a party's way to the store: faults under the access table."""
        faulty = FaultyStore(self.store, self.scheduler, self.chances, self.late, lambda: self.now)
        return GuardedStore(faulty, Party(name=party, role=ROLES[party]))

    def adapters(
        self, actor: str, store: Store, host: ScriptHost | None = None
    ) -> AdaptersContainer:
        """Give an actor's adapters: its clock and store, names drawn from the seed."""
        self.serial += 1
        # Objects, not the shared providers: those would remember every container they are given to.
        return AdaptersContainer(
            settings=SETTINGS,
            clock=providers.Object(self.clock(actor)),
            entropy=providers.Object(SeededEntropy(f"{self.seed}/{actor}/{self.serial}")),
            codecs=providers.Object(SHARED.codecs()),
            keyring=providers.Object(KEYRING),
            verifier=providers.Object(SHARED.verifier()),
            sealer=providers.Object(SHARED.sealer()),
            cipher=providers.Object(SHARED.cipher()),
            store=providers.Object(store),
            evaluator=providers.Object(SHARED.evaluator()),
            checker=providers.Object(SHARED.checker()),
            reader=providers.Object(SHARED.reader()),
            host=providers.Object(host),
        )

    def make_controller(self, actor: str, store: Store) -> ControllerContainer:
        """Give a controller on a store."""
        adapters = self.adapters(actor, store)
        return ControllerContainer(adapters=adapters, store=adapters.store, name=CONTROLLER)

    def make_client(self, actor: str, store: Store) -> ClientContainer:
        """Give a client on a store."""
        adapters = self.adapters(actor, store)
        return ClientContainer(
            adapters=adapters, store=adapters.store, name=CLIENT, controller=CARDS[CONTROLLER]
        )

    def set_up(self) -> None:
        """Prepare the store as `init` does, before anything can fail."""
        prepare_store(self.store)
        book = self.make_controller("world", self.store).trust_book()
        for name in RUNNERS:
            book.put(TrustEntry(card=CARDS[name]))
        book.put(TrustEntry(card=CARDS[CLIENT], allow=("all",)))
        party = self.make_client("world", self.store).party
        self.files, self.blobs = party.files(), party.blobs()
        self.box = self.make_controller("world", self.store).party.files()
        self.store.see = self.see
        self.store.see_deleted = self.see_deleted

    def see(self, path: StorePath, data: bytes, is_new: bool) -> None:
        """Check what one write that landed must not break."""
        parts = parse_path(path)
        self.say(f"{self.scheduler.name} {'new' if is_new else 'put'} {path}")
        self.require(SECRET.encode() not in data, f"{path} shows what it should hide")
        if parts.kind == "step":
            self.require(is_new, f"{path} was overwritten")
            self._see_step(path, RunId(f"{parts.client}/{parts.run}"), int(parts.name), data)
        elif parts.kind == "inbox" and parts.sender in RUNNERS:
            result = self.box.open(path, data, card=CARDS[PartyName(parts.sender)]).record
            if isinstance(result, ResultMessage) and result.outcome.status == "done":
                self.reported.add(result.job)
            if isinstance(result, ResultMessage) and result.outcome.error == CANCELLED:
                self.never_begun.add(result.job)
        elif parts.kind in {"running", "finished"}:
            status = self.files.open(path, data, card=CARDS[CONTROLLER]).record
            assert isinstance(status, Status)
            before = self.status_steps.get(status.run, 0)
            # Whoever acts late on an early step; what it brings back is deleted again.
            is_over = self.store.read(_finished(path)) is not None
            is_late_copy = is_over or status.run in self.deleted
            self.require(status.step >= before or is_late_copy, f"{path} went back")
            self.status_steps[status.run] = max(before, status.step)

    def see_deleted(self, paths: Sequence[StorePath]) -> None:
        """Note the runs whose last file went."""
        for path in paths:
            self.say(f"{self.scheduler.name} del {path}")
            parts = parse_path(path)
            run = RunId(f"{parts.client}/{parts.run}")
            if parts.kind == "finished" and run in self.steps:
                self.deleted.add(run)

    def _see_step(self, path: StorePath, run: RunId, number: int, data: bytes) -> None:
        record = self.files.open(path, data, card=CARDS[CONTROLLER]).record
        assert isinstance(record, StepRecord)
        if run in self.deleted:
            # Who was suspended in the midst of this write takes it back: see `check_settled`.
            return
        if number == 1:
            self.lives[run] += 1
            self.require(self.lives[run] == 1, f"{run} began a second time")
        else:
            before = self.records.get(StorePath(f"{path[:-8]}{number - 1:08}"))
            self.require(before is not None, f"{path} has no step before it")
            assert before is not None
            self.require(before.state.ended is None, f"{path} was taken after the end")
        self.records[path] = record
        definition = record.state.definition
        if record.state.status != "refused" and definition.sha256 not in self.machines:
            home = Home(controller=CONTROLLER, run=run)
            text = self.blobs.read(home, definition)
            self.machines[definition.sha256] = SHARED.reader().read_full_form(text)
        self.steps[run] = max(self.steps.get(run, 0), number)
        for effect in record.effects:
            if isinstance(effect, StartJob):
                self.started_by[effect.order.job] = path
        for event in record.events:
            if isinstance(event, Ended) and event.job in self.reported:
                is_kept = event.outcome.status == "done"
                self.require(is_kept, f"the success of {event.job} became a loss")

    def see_job(self, job: JobId) -> None:
        """Check that a job that begins may, and for the first time."""
        self.ran[job] += 1
        self.say(f"{self.scheduler.name} runs {job}")
        self.require(job in self.started_by, f"{job} ran before its step was written")
        self.require(self.ran[job] == 1, f"{job} ran twice")
        self.require(job not in self.never_begun, f"{job} began after it was cancelled")

    def see_told(self, what: str, told: object) -> None:
        """Check that what a client was told once is what it is told now."""
        before = self.told.setdefault(what, told)
        self.require(before == told, f"the client was told of {what} first {before}, then {told}")


def _finished(path: StorePath) -> StorePath:
    return StorePath(path.replace("/running/", "/finished/"))
