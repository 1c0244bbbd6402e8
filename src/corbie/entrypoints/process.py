"""A process around a cycle: pass, wait until something may have changed, pass again.

Waking is by the store's word, by a job that ended, by what is due, and at the latest by the
interval. Source: Processes, Waking.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corbie.domain.errors import Unavailable
from corbie.domain.paths import StorePath
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.store import WatchableStore
from corbie.domain.times import MILLISECOND, SECOND, Instant, Span

FAILED_WAIT_S = 1.0
_WATCH_SPAN = Span(3600 * SECOND)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a pass says: whether to begin another at once, and when at the latest.

    `is_idle` when nothing moved in it and nothing is under way.
    """

    is_busy: bool
    due: Instant | None
    is_idle: bool


class Loop:
    """Passes of one cycle, until `stop`."""

    def __init__(
        self,
        *,
        name: str,
        turn: Callable[[], Turn],
        store: WatchableStore,
        folders: Sequence[StorePath],
        interval: Span,
        clock: Clock,
    ) -> None:
        """Hold the cycle's pass and what to watch."""
        self._name = name
        self._turn = turn
        self._store = store
        self._folders = folders
        self._interval = interval
        self._clock = clock
        self._bell = threading.Event()
        self._is_stopped = False
        self._failing = ""

    def ring(self) -> None:
        """Begin a pass soon; from any thread."""
        self._bell.set()

    def stop(self) -> None:
        """Return from `run` after the pass under way; from any thread."""
        self._is_stopped = True
        self._bell.set()

    def run(self) -> None:
        """Pass after pass until `stop`. A failed pass is logged, and tried again."""
        watch = self._store.watch(self._folders)
        watcher = threading.Thread(
            target=self._listen, args=(watch.wait,), name=f"{self._name}-watch", daemon=True
        )
        watcher.start()
        try:
            while not self._is_stopped:
                self._bell.clear()
                wait_s = self._pass()
                if wait_s > 0:
                    self._bell.wait(wait_s)
        finally:
            watch.close()

    def _listen(self, wait: Callable[[Span], bool]) -> None:
        while not self._is_stopped:
            if wait(_WATCH_SPAN):
                self._bell.set()
            elif not self._is_stopped:
                # A watch that only sleeps, or was closed: do not spin.
                time.sleep(FAILED_WAIT_S)

    def _pass(self) -> float:
        """Do one pass; give how many seconds to wait for the next, if nothing rings."""
        try:
            turn = self._turn()
        except Unavailable as error:
            # Said once, and not each second for as long as it lasts.
            if str(error) != self._failing:
                _log.warning("the %s tries again: %s", self._name, error)
            self._failing = str(error)
            return FAILED_WAIT_S
        except Exception:  # noqa: BLE001 - the loop around a cycle, one of the three
            _log.exception("the %s tries again: this is a bug in corbie", self._name)
            return FAILED_WAIT_S
        if self._failing:
            _log.warning("the %s goes on: the store answers again", self._name)
            self._failing = ""
        if turn.is_busy:
            return 0.0
        wait = self._interval
        if turn.due is not None:
            wait = Span(min(wait, max(turn.due - self._clock.now(), MILLISECOND)))
        return wait / SECOND
