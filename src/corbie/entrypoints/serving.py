"""The processes of `corbie start`: a controller and a runner of this computer.

Source: Processes; Interfaces (start).
"""

import time
from collections.abc import Sequence
from typing import Literal

from corbie.adapters.suspects import SuspectFolder
from corbie.domain.errors import Unavailable
from corbie.domain.paths import inbox_folder
from corbie.entrypoints.process import Loop, Turn
from corbie.entrypoints.settings import Settings, require_party
from corbie.entrypoints.wiring.local import make_adapters, make_controller, make_runner

ONCE_PAUSE_S = 0.02
ONCE_PASSES_MAX = 1_000_000


class ControllerProcess:
    """A controller until it is stopped."""

    def __init__(self, settings: Settings) -> None:
        """Make the parts.

        Raises:
            SetupRefused: something is not set up, or cannot be used.
        """
        suspects = SuspectFolder(folder=settings.suspects_folder)
        adapters = make_adapters(settings, suspects=suspects)
        self._cycle = make_controller(settings, adapters).cycle()
        self._loop = Loop(
            name="controller",
            turn=self.turn,
            store=adapters.store(),
            folders=[inbox_folder(require_party(settings, "controller"))],
            interval=settings.interval,
            clock=adapters.clock(),
        )

    def turn(self) -> Turn:
        """Do one pass; raises `Unavailable` as the cycle does."""
        done = self._cycle.run_pass()
        is_idle = not done.moved and not done.is_busy
        return Turn(is_busy=done.is_busy, due=done.due, is_idle=is_idle)

    def run(self) -> None:
        """Serve until `stop`."""
        self._loop.run()

    def close(self) -> None:
        """Do nothing: a controller holds nothing open."""

    def stop(self) -> None:
        """End after the pass under way; from any thread."""
        self._loop.stop()

    def abort(self) -> None:
        """End after the pass under way, as `stop` does: a pass is short."""
        self.stop()


class RunnerProcess:
    """A runner until it is stopped and its jobs have ended."""

    def __init__(self, settings: Settings) -> None:
        """Make the parts; raises as `ControllerProcess` does."""
        adapters = make_adapters(settings)
        self._adapters = adapters
        container = make_runner(settings, adapters, ring=self._ring)
        self._cycle = container.cycle()
        self._is_stopping = False
        self._loop = Loop(
            name="runner",
            turn=self.turn,
            store=adapters.store(),
            folders=[inbox_folder(require_party(settings, "runner"))],
            interval=settings.interval,
            clock=adapters.clock(),
        )

    def turn(self) -> Turn:
        """Do one pass; raises `Unavailable` as the cycle does."""
        try:
            done = self._cycle.run_pass(claim=not self._is_stopping)
        except Unavailable:
            if self._is_stopping and not self._cycle.has_jobs:
                # There is nothing left to say that would be worth waiting for the store.
                self._loop.stop()
            raise
        if self._is_stopping and not done.jobs:
            self._cycle.leave()
            self._loop.stop()
        is_idle = not done.moved and not done.is_busy and not done.jobs
        return Turn(is_busy=done.is_busy, due=done.due, is_idle=is_idle)

    def close(self) -> None:
        """End the processes that scripts run in."""
        self._cycle.leave()
        self._adapters.host().close()

    def run(self) -> None:
        """Serve until `stop`, then until the jobs under way have ended."""
        try:
            self._adapters.host().warm()
            self._loop.run()
        finally:
            self._adapters.host().close()

    def stop(self) -> None:
        """Begin no more jobs, and end when none is left."""
        self._is_stopping = True
        self._loop.ring()

    def abort(self) -> None:
        """End the jobs under way now; they are reported as cancelled."""
        self.stop()
        self._cycle.abort()

    def _ring(self) -> None:
        self._loop.ring()


def make_process(
    settings: Settings, role: Literal["controller", "runner"]
) -> ControllerProcess | RunnerProcess:
    """Give the process of a role; raises as its constructor does."""
    return ControllerProcess(settings) if role == "controller" else RunnerProcess(settings)


def serve_once(processes: Sequence[ControllerProcess | RunnerProcess]) -> None:
    """Let each take turns until nothing moves in any and no job is under way.

    Raises:
        Unavailable: the store failed, or there is no end of it.
    """
    try:
        for _ in range(ONCE_PASSES_MAX):
            turns = [process.turn() for process in processes]
            if all(turn.is_idle for turn in turns):
                return
            if not any(turn.is_busy for turn in turns):
                time.sleep(ONCE_PAUSE_S)
    finally:
        for process in processes:
            process.close()
    message = f"something still moved after {ONCE_PASSES_MAX} passes"
    raise Unavailable(message)
