"""Watches for an evaluation that the engine cannot interrupt: a built-in under way.

Source: Values and expressions, What it may use (the watching thread).
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STUCK_S = 10.0
_LOOK_S = 1.0


class Watch:
    """Calls `on_stuck` from its own thread, once for each evaluation that is 10 s old."""

    def __init__(self, *, on_stuck: Callable[[], None], stuck_s: float = STUCK_S) -> None:
        """Hold what to call; the thread starts with the first evaluation."""
        self._on_stuck = on_stuck
        self._stuck_s = stuck_s
        self._started: dict[int, float] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Have this thread watched until the block ends."""
        # In a process forked from one that had such a thread, it is there but not alive.
        if self._thread is None or not self._thread.is_alive():
            self._start()
        me = threading.get_ident()
        self._started[me] = time.monotonic()
        try:
            yield
        finally:
            self._started.pop(me, None)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._look, name="corbie-expression-watch", daemon=True
                )
                self._thread.start()

    def _look(self) -> None:
        while True:
            time.sleep(min(_LOOK_S, self._stuck_s / 4))
            now = time.monotonic()
            for thread, started in list(self._started.items()):
                if now - started >= self._stuck_s and self._started.get(thread) == started:
                    self._started.pop(thread, None)
                    self._on_stuck()
