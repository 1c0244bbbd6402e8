"""A seed to a plan: which runs, which faults and how often, and the turns one by one."""

import random
from collections.abc import Callable
from functools import cache

from corbie.adapters.documents.yaml_text import read_yaml
from corbie.app.client.bundle import Bundle
from corbie.domain.times import SECOND, Instant, parse_instant
from tests.simulation.actors import (
    MakeCycle,
    PlantRunner,
    Work,
    be_client,
    be_controller,
    be_runner,
    make_cycle,
    plant_nothing,
)
from tests.simulation.checkers import check_settled, is_settled
from tests.simulation.faults import land
from tests.simulation.scheduler import Actor, Scheduler
from tests.simulation.world import RUNNERS, SECRET, SHARED, World

TURNS_FAULTY = 900
TURNS_MAX = 60_000
FOREVER = parse_instant("2100-01-01T00:00:00.000000000Z")

ONE = """
flow: one
keep: 10m
stages:
  a: { job: { script: a.js, input: "${input}" } }
output: ${stages.a.output}
"""
CHAIN = """
flow: chain
keep: 7d
stages:
  a: { job: { script: a.js, input: "${input}" } }
  b: { job: { script: a.js, input: { n: "${stages.a.output.n + 1}" } } }
  c: { when: "${stages.b.output.n > 5}", job: { script: a.js, input: { n: 9 } } }
output: { n: "${stages.b.output.n}", c: "${stages.c.status}" }
"""
FORK = """
flow: fork
keep: 10m
limits: { timeout: 40m }
stages:
  a: { job: { script: a.js, timeout: 2m, input: "${input}" } }
  b: { job: { script: a.js, timeout: 2m, input: { n: 2 } } }
  c: { follows: [a, b], job: { script: a.js, input: { n: 3 } } }
output: ${stages.c.output.n + stages.a.output.n}
"""


@cache
def bundle_of(text: str) -> Bundle:
    """Give a definition as a client reads it; its only script is `a.js`."""
    machine = SHARED.reader().read(read_yaml(text.encode(), "sim.yaml"))
    return Bundle(machine=machine, texts={"a.js": f"return '{SECRET}'"}, context="/sim")


def draw_work(chance: random.Random) -> list[Work]:
    """Draw one to four runs."""
    work = []
    for _ in range(chance.choice([1, 2, 2, 3, 4])):
        text = chance.choice([ONE, CHAIN, FORK])
        given = {"n": chance.randrange(10), "of": SECRET, "fail": chance.random() < 0.15}
        work.append(Work(bundle=bundle_of(text), given={**given}))
    return work


def run_seed(seed: int, make: MakeCycle = make_cycle, plant: PlantRunner = plant_nothing) -> World:
    """Play a seed to its end.

    Raises:
        Violation: a promise was broken; it names the seed and shows what came before.
    """
    chance = random.Random(seed)
    scheduler = Scheduler(chance)
    world = World(seed=seed, chance=chance, scheduler=scheduler)
    world.set_up()
    actors = [
        scheduler.add("C1", be_controller(world, "C1", make)),
        scheduler.add("C2", be_controller(world, "C2", make)),
        scheduler.add("R1", be_runner(world, "R1", RUNNERS[0], plant)),
        scheduler.add("R1b", be_runner(world, "R1b", RUNNERS[0], plant)),
        scheduler.add("R2", be_runner(world, "R2", RUNNERS[1], plant)),
    ]
    scheduler.add("client", be_client(world, draw_work(chance)))
    play = _Play(world, actors)
    try:
        for _ in range(TURNS_FAULTY):
            play.faulty_turn()
        play.settle()
    finally:
        scheduler.end()
    return world


class _Play:
    """The turns of one seed."""

    def __init__(self, world: World, mortals: list[Actor]) -> None:
        """Draw how hard the seed is: some have no fault at all."""
        self._world = world
        self._mortals = mortals
        chance = world.chance
        is_hard = chance.random() < 0.75
        world.chances.uncertain = chance.choice([0, 0.01, 0.05]) if is_hard else 0.0
        world.chances.listing = chance.choice([0, 0.05]) if is_hard else 0.0
        self._crash = chance.choice([0, 0.004, 0.02]) if is_hard else 0.0
        self._freeze = chance.choice([0, 0.004, 0.01]) if is_hard else 0.0
        self._jump = chance.choice([0, 0.002, 0.01]) if is_hard else 0.0
        self._frozen: dict[str, Instant] = {}
        self._favoured: Actor | None = None

    def faulty_turn(self) -> None:
        """Let something go wrong, perhaps, and someone move."""
        world, chance = self._world, self._world.chance
        if world.late and chance.random() < 0.05:
            land(world.late.pop(chance.randrange(len(world.late))), world.now)
        if chance.random() < self._crash:
            doomed = chance.choice(self._mortals)
            if doomed.thread is not None:
                world.say(f"{doomed.name} is killed")
                doomed.is_doomed = True
                self._move(doomed)
        if chance.random() < self._freeze:
            frozen = chance.choice(self._mortals)
            self._frozen[frozen.name] = Instant(
                world.now + chance.choice([5, 60, 400, 2000]) * SECOND
            )
            world.say(f"{frozen.name} stands still")
        if chance.random() < self._jump:
            world.now = Instant(world.now + chance.choice([5, 30, 150, 400, 1300]) * SECOND)
        self._someone(self._draw)

    def settle(self) -> None:
        """Without further faults, go on until all that can end has ended."""
        world = self._world
        world.chances.uncertain = world.chances.listing = 0.0
        world.is_settling = True
        while world.late:
            land(world.late.pop(), world.now)
        still = [name for name in ("C1", "C2") if self._frozen.get(name, 0) > world.now]
        self._frozen.clear()
        if still:
            # It stands in the middle of a pass until all others are done, and runs are deleted.
            self._frozen[still[0]] = FOREVER
            self._go_on()
            for _ in range(4):
                world.now = Instant(world.now + 1000 * SECOND)
                for turn in range(120):
                    self._someone(lambda able, turn=turn: able[turn % len(able)])
            world.say(f"{still[0]} wakes up")
            self._frozen.clear()
            for turn in range(120):
                self._someone(lambda able, turn=turn: able[turn % len(able)])
        self._go_on()
        check_settled(world)

    def _go_on(self) -> None:
        """Take turns until everything has settled."""
        for turn in range(TURNS_MAX):
            if turn % 200 == 0 and is_settled(self._world):
                return
            self._someone(lambda able, turn=turn: able[turn % len(able)])

    def _draw(self, able: list[Actor]) -> Actor:
        """Draw who moves: mostly the one that moved last, so that some get far alone."""
        if self._favoured not in able or self._world.chance.random() < 0.25:
            self._favoured = self._world.chance.choice(able)
        assert self._favoured is not None
        return self._favoured

    def _someone(self, choose: Callable[[list[Actor]], Actor]) -> None:
        world = self._world
        able = [actor for actor in world.scheduler.actors if self._wakes(actor) <= world.now]
        if not able:
            world.now = Instant(min(self._wakes(actor) for actor in world.scheduler.actors))
            return
        self._move(choose(able))
        if world.chance.random() < 0.2:
            world.now = Instant(world.now + SECOND)

    def _wakes(self, actor: Actor) -> Instant:
        return Instant(max(actor.asleep_until, self._frozen.get(actor.name, 0)))

    def _move(self, actor: Actor) -> None:
        self._world.scheduler.move(actor)
