"""One controller, one client and copies of a runner on one memory store, moved by hand."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dependency_injector import providers

from corbie.adapters.stores.guarded import GuardedStore
from corbie.app.client.submit import Sent
from corbie.app.runner.cycle import RunnerCycle
from corbie.app.runner.presence import Instance
from corbie.domain.access import Party
from corbie.domain.names import JobId, PartyName, RunId
from corbie.domain.orders import Emitted, JobOrder, JobOutcome
from corbie.domain.paths import StorePath, trust_path
from corbie.domain.ports.store import Store
from corbie.domain.times import Span
from corbie.domain.values import JsonValue
from corbie.entrypoints.wiring.runner import RunnerContainer
from tests.simulation.actors import DrawnWorkers
from tests.simulation.plan import ONE, bundle_of
from tests.simulation.scheduler import Scheduler
from tests.simulation.world import CARDS, CLIENT, CONTROLLER, ROLES, RUNNERS, World

RUNNER = RUNNERS[0]


class HandHost:
    """A `ScriptHost` whose jobs end at once with their input; it notes what it was told."""

    def __init__(self) -> None:
        """Begin with nothing run."""
        self.ran: list[JobId] = []
        self.cancelled: list[JobId] = []

    def run(
        self,
        order: JobOrder,
        sources: Mapping[str, str],  # noqa: ARG002 - the port's
        emit: Callable[[Emitted], None],  # noqa: ARG002 - the port's
    ) -> JobOutcome:
        """Run a job."""
        self.ran.append(order.job)
        return JobOutcome(status="done", output=order.input)

    def warm(self) -> None:
        """Nothing is started here."""

    def cancel(self, job: JobId) -> None:
        """Note the cancel."""
        self.cancelled.append(job)

    def close(self) -> None:
        """Nothing is warm here."""


class Copy:
    """A copy of a runner with its own workers and host."""

    def __init__(self, world: World, store: Store, name: str, capacity: int) -> None:
        """Wire the product's runner."""
        self.host = HandHost()
        self.workers = DrawnWorkers(capacity)
        self.name = name
        adapters = world.adapters(name, store, self.host)
        instance = Instance(name=name, host=name, process=1, started=name, version="0")
        container = RunnerContainer(
            adapters=adapters,
            store=adapters.store,
            name=RUNNER,
            controllers=(CARDS[CONTROLLER],),
            ceiling=providers.Object(None),
            workers=providers.Object(self.workers),
            capacity=capacity,
            on_said=providers.Object(lambda: None),
            instance=providers.Object(instance),
            alive_process=providers.Object(lambda *_: True),
        )
        self.files = container.party.files()
        self.reporter = container.reporter()
        self.cycle: RunnerCycle = container.cycle()

    def work(self) -> None:
        """Let every job that was begun end."""
        while self.workers.tasks:
            self.workers.tasks.pop(0)()


class Bench:
    """A world without faults but those a test plants."""

    def __init__(self) -> None:
        """Set up a store with the parties of the simulator."""
        chance = random.Random(1)
        self.world = World(seed=1, chance=chance, scheduler=Scheduler(chance))
        self.world.set_up()
        self.world.store.see = self.world.store.see_deleted = lambda *_: None
        self.world.skews = dict.fromkeys(("C1", "C2", "client", "A", "B"), Span(0))
        self.store = self.world.store
        # One runner, so that a test knows where its jobs go.
        self.store.delete_all([trust_path(CONTROLLER, RUNNERS[1])])
        client = self.world.make_client("client", self.store_of(CLIENT))
        self.submitter = client.submitter()
        self.observer = client.observer()
        self.client_files, self.client_blobs = client.party.files(), client.party.blobs()
        self.controller = self.make_controller("C1")
        self.cycle = self.controller.cycle()

    def store_of(self, party: PartyName, inner: Store | None = None) -> Store:
        """Give the store as the access table lets a party use it."""
        return GuardedStore(inner or self.store, Party(name=party, role=ROLES[party]))  # type: ignore[arg-type]  # watched by nobody

    def make_controller(self, name: str, inner: Store | None = None):  # type: ignore[no-untyped-def]
        """Give another controller's container."""
        return self.world.make_controller(name, self.store_of(CONTROLLER, inner))

    def copy(self, name: str = "A", *, capacity: int = 2, inner: Store | None = None) -> Copy:
        """Give a copy of the runner."""
        return Copy(self.world, self.store_of(RUNNER, inner), name, capacity)

    def submit(self, given: JsonValue = None, text: str = ONE, script: str = "") -> Sent:
        """Ask for a run, and let the controller take it."""
        bundle = bundle_of(text)
        if script:
            bundle = replace(bundle, texts={"a.js": script})
        sent = self.submitter.submit(bundle, {"n": 1} if given is None else given)
        self.cycle.run_pass()
        return sent

    def finish(self, sent: Sent, copy: Copy) -> None:
        """Let a run's jobs run, one after another, until it ends."""
        for _ in range(10):
            copy.cycle.run_pass()
            copy.work()
            copy.cycle.run_pass()
            self.cycle.run_pass()
            if self.status(sent.run) != "running":
                return

    def status(self, run: RunId) -> str | None:
        """Give a run's status as its client reads it."""
        status = self.observer.read_status(run)
        return None if status is None else status.status

    def pass_time(self, span: Span) -> None:
        """Let time go by."""
        self.world.now = type(self.world.now)(self.world.now + span)

    def paths(self, folder: str) -> Sequence[StorePath]:
        """List a folder."""
        return self.store.list_under(StorePath(folder))
