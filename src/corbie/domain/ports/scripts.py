"""Running script jobs."""

from collections.abc import Callable, Mapping
from typing import Protocol

from corbie.domain.names import JobId
from corbie.domain.orders import Emitted, JobOrder, JobOutcome


class ScriptHost(Protocol):
    """Runs each script job in a process of its own. May be used from several threads.

    A fence is closed unless every layer of the order opens it.
    """

    def run(
        self, order: JobOrder, sources: Mapping[str, str], emit: Callable[[Emitted], None]
    ) -> JobOutcome:
        """Run a job to its end, which is at the latest when it is due, and give its outcome.

        One that is due already is not begun: a mark that it was taken may be gone by then.

        `sources` maps each path of the order's files to its text. `emit` is called from this
        thread for each thing the script says, in order. When this returns, no process that the
        job started is left: TERM, up to 10 s, KILL, verified.
        """
        ...

    def warm(self) -> None:
        """Return when the first job need not wait for anything to be started.

        Raises:
            SetupRefused: no process for scripts can be started here.
        """
        ...

    def cancel(self, job: JobId) -> None:
        """End a job under way: its `run` returns `cancelled`. One not under way: nothing."""
        ...

    def close(self) -> None:
        """End the warm processes, and every job under way."""
        ...
