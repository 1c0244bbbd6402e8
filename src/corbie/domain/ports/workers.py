"""Work beside the caller's own: a runner's jobs at once."""

from collections.abc import Callable
from typing import Protocol


class Workers(Protocol):
    """A bounded number of tasks at once; one that runs each task at once counts too."""

    def start(self, task: Callable[[], None]) -> None:
        """Begin a task; it must not raise. Callers look at `free` first."""
        ...

    def free(self) -> int:
        """Give how many more tasks can begin now."""
        ...

    def wait(self) -> None:
        """Return when no task is under way."""
        ...
