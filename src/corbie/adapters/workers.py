"""Workers: threads beside the caller's, or the caller itself."""

import threading
from collections.abc import Callable


class ThreadWorkers:
    """A `Workers` with a thread for each task, at most so many at once."""

    def __init__(self, *, capacity: int, on_end: Callable[[], None]) -> None:
        """Begin with none; `on_end` is called, in the task's thread, after each task."""
        self._capacity = capacity
        self._on_end = on_end
        self._busy = 0
        self._changed = threading.Condition()

    def start(self, task: Callable[[], None]) -> None:
        """Begin a task in a thread of its own."""
        with self._changed:
            self._busy += 1
        threading.Thread(target=self._run, args=(task,), daemon=True).start()

    def free(self) -> int:
        """Give how many more tasks can begin now."""
        with self._changed:
            return max(0, self._capacity - self._busy)

    def wait(self) -> None:
        """Return when no task is under way."""
        with self._changed:
            self._changed.wait_for(lambda: self._busy == 0)

    def _run(self, task: Callable[[], None]) -> None:
        try:
            task()
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()
            self._on_end()


class InlineWorkers:
    """A `Workers` that has ended each task when `start` returns."""

    def start(self, task: Callable[[], None]) -> None:
        """Do the task."""
        task()

    def free(self) -> int:
        """Give 1: there is always room for the next."""
        return 1

    def wait(self) -> None:
        """Return: nothing is ever under way."""
