"""Actors that take turns in a drawn order: one moves at a time, from one port call to the next.

Each actor is a thread that runs only while it holds the turn, so that a seed decides all.
"""

import random
import threading
from collections.abc import Callable


class Crash(BaseException):
    """The process dies here; no `except Exception` of the product catches it."""


class Actor:
    """One process of the world: it runs `main`, and again from the start after a crash."""

    def __init__(self, name: str, main: Callable[[], None]) -> None:
        """Hold what it does; the thread starts with its first turn."""
        self.name = name
        self.main = main
        self.go = threading.Semaphore(0)
        self.thread: threading.Thread | None = None
        self.is_doomed = False
        self.is_over = False
        self.asleep_until = 0
        self.crashes = 0
        self.fault: BaseException | None = None


class Scheduler:
    """Draws who moves next."""

    def __init__(self, chance: random.Random) -> None:
        """Begin with no actor."""
        self.chance = chance
        self.actors: list[Actor] = []
        self._done = threading.Semaphore(0)
        self._current: Actor | None = None

    def add(self, name: str, main: Callable[[], None]) -> Actor:
        """Add an actor."""
        actor = Actor(name, main)
        self.actors.append(actor)
        return actor

    @property
    def current(self) -> Actor:
        """The actor whose turn it is."""
        assert self._current is not None
        return self._current

    @property
    def name(self) -> str:
        """The name of the actor whose turn it is."""
        return self._current.name if self._current is not None else "world"

    def move(self, actor: Actor) -> None:
        """Let an actor go on to its next port call, or to its end."""
        self._current = actor
        if actor.thread is None:
            actor.thread = threading.Thread(target=self._live, args=(actor,), daemon=True)
            actor.thread.start()
        actor.go.release()
        self._done.acquire()
        if actor.fault is not None:
            raise actor.fault

    def pause(self) -> None:
        """End the turn of the actor that calls; return when it gets the next one."""
        actor = self.current
        self._done.release()
        actor.go.acquire()
        if actor.is_doomed:
            raise Crash

    def end(self) -> None:
        """Let every thread end."""
        for actor in self.actors:
            if actor.thread is not None and actor.thread.is_alive():
                actor.is_over = actor.is_doomed = True
                self.move(actor)
                actor.thread.join()

    def _live(self, actor: Actor) -> None:
        actor.go.acquire()
        while not actor.is_over:
            try:
                actor.main()
                actor.is_over = True
            except Crash:
                actor.is_doomed = False
                actor.crashes += 1
                if not actor.is_over:
                    self._done.release()
                    actor.go.acquire()
            except BaseException as fault:  # noqa: BLE001 - handed to the test
                actor.fault = fault
                actor.is_over = True
        self._done.release()
