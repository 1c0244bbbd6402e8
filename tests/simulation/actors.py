"""What each actor does between its port calls: the product's own cycles, for ever."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from dependency_injector import providers

from corbie.app.client.bundle import Bundle
from corbie.app.client.observe import Observer
from corbie.app.client.submit import Sent, Submitter
from corbie.app.controller.cycle import ControllerCycle
from corbie.app.runner.presence import Instance
from corbie.domain.errors import NotFound, Unavailable
from corbie.domain.names import JobId, PartyName
from corbie.domain.orders import Emitted, JobOrder, JobOutcome
from corbie.domain.times import SECOND
from corbie.domain.values import JsonValue
from corbie.entrypoints.wiring.runner import RunnerContainer
from tests.simulation.world import CARDS, CLIENT, CONTROLLER, SECRET, SkewedClock, World

MakeCycle = Callable[[World, str], ControllerCycle]
PlantRunner = Callable[[RunnerContainer], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A run to ask for."""

    bundle: Bundle
    given: JsonValue


def make_cycle(world: World, actor: str) -> ControllerCycle:
    """Give the product's controller."""
    return world.make_controller(actor, world.store_of(CONTROLLER)).cycle()


def be_controller(world: World, name: str, make: MakeCycle = make_cycle) -> Callable[[], None]:
    """Give the life of a controller, from its start to a crash."""

    def live() -> None:
        cycle = make(world, name)
        while True:
            try:
                cycle.run_pass()
            except Unavailable as error:
                world.say(f"{name} begins again: {error}")
            sleep(world, world.chance.choice([0, 1, 2]))

    return live


class DrawnWorkers:
    """A `Workers` whose tasks run when they are drawn, in their runner's own turn."""

    def __init__(self, capacity: int) -> None:
        """Begin with none."""
        self._capacity = capacity
        self.tasks: list[Callable[[], None]] = []

    def start(self, task: Callable[[], None]) -> None:
        """Keep a task until it is drawn."""
        self.tasks.append(task)

    def free(self) -> int:
        """Give how many more can be kept."""
        return self._capacity - len(self.tasks)

    def wait(self) -> None:
        """Return: nobody waits here."""


class DrawnHost:
    """A `ScriptHost` whose jobs take some turns and end as their input says."""

    def __init__(self, world: World, clock: SkewedClock) -> None:
        """Begin with no job cancelled."""
        self._world = world
        self._clock = clock
        self._cancelled: set[JobId] = set()

    def run(
        self, order: JobOrder, sources: Mapping[str, str], emit: Callable[[Emitted], None]
    ) -> JobOutcome:
        """Run a job, unless it was cancelled before."""
        world = self._world
        if order.job in self._cancelled:
            return JobOutcome(status="cancelled", error="cancelled")
        if self._clock.now() >= order.due:
            return JobOutcome(status="timeout", error="it was due before it began")
        world.require(SECRET in sources[order.script], "the runner has another script")
        world.see_job(order.job)
        world.scheduler.pause()
        emit(Emitted(at=world.now, level="info", value=f"{SECRET} at work"))
        given = order.input if isinstance(order.input, dict) else {}
        if given.get("fail"):
            return JobOutcome(status="error", error=f"{SECRET} went wrong")
        return JobOutcome(status="done", output={"n": given.get("n", 0), "of": SECRET})

    def warm(self) -> None:
        """Nothing is started here."""

    def cancel(self, job: JobId) -> None:
        """Have a job end cancelled, if it is drawn at all."""
        self._cancelled.add(job)

    def close(self) -> None:
        """Nothing is warm here."""


def plant_nothing(container: RunnerContainer) -> None:
    """Leave the product's runner as it is."""


def be_runner(
    world: World, actor: str, runner: PartyName, plant: PlantRunner = plant_nothing
) -> Callable[[], None]:
    """Give the life of a copy of a runner; its jobs die with it."""
    count = 0

    def live() -> None:
        nonlocal count
        world.living.discard((actor, count))
        count += 1
        world.living.add((actor, count))
        workers = DrawnWorkers(capacity=2)
        adapters = world.adapters(
            actor, world.store_of(runner), DrawnHost(world, world.clock(actor))
        )
        container = RunnerContainer(
            adapters=adapters,
            store=adapters.store,
            name=runner,
            controllers=(CARDS[CONTROLLER],),
            ceiling=providers.Object(None),
            workers=providers.Object(workers),
            capacity=2,
            on_said=providers.Object(lambda: None),
            instance=providers.Object(_instance(actor, count)),
            alive_process=providers.Object(lambda number, name: (name, number) in world.living),
        )
        plant(container)
        cycle = container.cycle()
        while True:
            try:
                cycle.run_pass()
            except Unavailable as error:
                world.say(f"{actor} begins again: {error}")
            while workers.tasks and world.chance.random() < 0.6:
                workers.tasks.pop(world.chance.randrange(len(workers.tasks)))()
            sleep(world, world.chance.choice([0, 1, 3]))

    return live


def be_client(world: World, work: list[Work]) -> Callable[[], None]:
    """Give the life of a client that submits, cancels, has runs removed, and reads them."""

    def live() -> None:
        container = world.make_client("client", world.store_of(CLIENT))
        me = ClientActor(world, container.submitter(), container.observer(), work)
        while True:
            # What failed uncertainly is not asked for again: it may have been heard.
            with suppress(Unavailable):
                me.act()
            with suppress(Unavailable):
                me.read()
            sleep(world, world.chance.choice([1, 5, 20]))

    return live


class ClientActor:
    """A client, and what it sent."""

    def __init__(
        self, world: World, submitter: Submitter, observer: Observer, work: list[Work]
    ) -> None:
        """Begin with everything to do."""
        self._world = world
        self._submitter = submitter
        self._observer = observer
        self._work = work
        self._runs: list[Sent] = []

    def act(self) -> None:
        """Submit what is left, or cancel or remove a run now and then."""
        chance = self._world.chance
        if self._work:
            work = self._work.pop()
            sent = self._submitter.submit(work.bundle, work.given)
            self._runs.append(sent)
            self._world.sent.append(sent)
        elif self._runs and not self._world.is_settling and chance.random() < 0.15:
            run = chance.choice(self._runs).run
            act = chance.choice([self._submitter.cancel, self._submitter.remove])
            self._world.sent.append(act(run))

    def read(self) -> None:
        """Read what was answered, and how each run that ended did."""
        for sent in self._world.sent:
            answer = self._submitter.read_receipt(sent)
            if answer is not None:
                self._world.see_told(f"the answer to {sent.message}", answer)
        for sent in self._runs:
            status = self._observer.read_status(sent.run)
            if status is None or status.ended is None:
                continue
            self._world.see_told(f"the end of {sent.run}", status.status)
            with suppress(NotFound):
                output = self._observer.newest_step(sent.run).state.output
                self._world.see_told(f"the output of {sent.run}", output)


def _instance(actor: str, count: int) -> Instance:
    return Instance(name=f"{actor}-{count}", host="sim", process=count, started=actor, version="0")


def sleep(world: World, seconds: int) -> None:
    """Be passed over until so much time went by; longer where nothing is hurried any more."""
    actor = world.scheduler.current
    span = seconds * (8 if world.is_settling else 1)
    actor.asleep_until = world.now + span * SECOND
    world.scheduler.pause()
