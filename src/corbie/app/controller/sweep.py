"""The slow round: every running run is looked at again, and its newest step acted on.

At the start of a process all at once, then a few at a time for ever.
Source: Processes, Controller (at start, and slowly ever after).
"""

import logging

from corbie.app.controller.agenda import WakeAgenda
from corbie.app.controller.enact import Enactor
from corbie.app.controller.runs import Runs
from corbie.domain.errors import Untrusted, ValueRefused
from corbie.domain.names import PartyName, RunId
from corbie.domain.paths import StorePath, parse_path, running_folder, wakes_folder
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.store import Store
from corbie.domain.times import MINUTE, SECOND, Instant, Span, later, parse_path_time

ROUND_EVERY = Span(10 * MINUTE)
BITE_EVERY = Span(10 * SECOND)
BITE_RUNS = 20

_log = logging.getLogger(__name__)


class Sweeper:
    """Goes round the running runs of a controller."""

    def __init__(
        self,
        *,
        store: Store,
        runs: Runs,
        enactor: Enactor,
        agenda: WakeAgenda,
        controller: PartyName,
        clock: Clock,
    ) -> None:
        """Begin before the first round."""
        self._store = store
        self._runs = runs
        self._enactor = enactor
        self._agenda = agenda
        self._controller = controller
        self._clock = clock
        self._left: list[StorePath] = []
        self._listed: Instant | None = None
        self._bitten: Instant | None = None

    def sweep(self) -> None:
        """Look at some runs, if it is time to; at the first call at all of them."""
        now = self._clock.now()
        if self._listed is None:
            self._list(now)
            for path in self._store.list_under(wakes_folder(self._controller)):
                self._agenda.add(parse_path_time(parse_path(path).time))
            self._bite(len(self._left))
        elif self._bitten is None or now >= later(self._bitten, BITE_EVERY):
            if not self._left and now >= later(self._listed, ROUND_EVERY):
                self._list(now)
            self._bite(BITE_RUNS)
            self._bitten = now

    def _list(self, now: Instant) -> None:
        self._left = list(self._store.list_under(running_folder(self._controller)))
        self._listed = now

    def _bite(self, count: int) -> None:
        for path in self._left[:count]:
            parts = parse_path(path)
            run = RunId(f"{parts.client}/{parts.run}")
            try:
                newest = self._runs.load(run, fresh=True)
                if newest is not None:
                    self._enactor.enact_newest(run, newest)
            except (Untrusted, ValueRefused) as error:
                _log.error("the run %s cannot go on: %s", run, error)
                continue
            if newest is None or newest.is_ended:
                self._store.delete_all([path])
        del self._left[:count]
