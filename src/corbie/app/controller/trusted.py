"""Whom a controller trusts, and which runners are to be had.

Source: The store, Layout (trust, alive); Processes, Runners and places.
"""

import logging

from corbie.app.files.cardbook import CardBook
from corbie.app.files.sealed import SealedFiles
from corbie.domain.cards import Card, TrustEntry
from corbie.domain.errors import Untrusted
from corbie.domain.names import PartyName
from corbie.domain.paths import StorePath, alive_folder, trust_folder, trust_path
from corbie.domain.placing import ALIVE_WITHIN, RunnerSeen
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.store import Store
from corbie.domain.records import Alive
from corbie.domain.times import SECOND, Instant, Span, later

FRESH_FOR = Span(5 * SECOND)
"""How long what was read of trust and alive files serves: a new runner waits no longer."""

PARTIES_MAX = 10_000

_log = logging.getLogger(__name__)


class Trusted:
    """Trust entries by name and runners with what they hold, read again every five seconds."""

    def __init__(
        self, *, store: Store, files: SealedFiles, cards: CardBook, own: Card, clock: Clock
    ) -> None:
        """Trust nobody until the first `refresh`."""
        self._store = store
        self._files = files
        self._cards = cards
        self._own = own
        self._clock = clock
        self._entries: dict[PartyName, TrustEntry] = {}
        self._entries_at: Instant | None = None
        self._runners: tuple[RunnerSeen, ...] = ()
        self._runners_at: Instant | None = None

    def refresh(self, *, now: bool = False) -> None:
        """Read the trust entries again if they are older than five seconds, or `now`."""
        at = self._clock.now()
        if not now and self._entries_at is not None and at < self._entries_at + FRESH_FOR:
            return
        entries: dict[PartyName, TrustEntry] = {}
        for path in self._store.list_under(trust_folder(self._own.name))[:PARTIES_MAX]:
            entry = self._read_entry(path)
            if entry is not None:
                entries[entry.card.name] = entry
        self._entries, self._entries_at = entries, at
        self._runners_at = None
        self._cards.replace_all([self._own, *(entry.card for entry in entries.values())])

    def refresh_entry(self, name: PartyName) -> None:
        """Read one party's entry again: a run begins with what holds now."""
        entry = self._read_entry(trust_path(self._own.name, name))
        if entry is None:
            self._entries.pop(name, None)
        else:
            self._entries[name] = entry

    def entry(self, name: PartyName) -> TrustEntry | None:
        """Give what a party is trusted with, None for a stranger."""
        return self._entries.get(name)

    def runners(self) -> tuple[RunnerSeen, ...]:
        """Give the trusted runners, sorted by name, with what their `alive` files say."""
        at = self._clock.now()
        if self._runners_at is None or at >= self._runners_at + FRESH_FOR:
            self._runners = tuple(
                self._see(entry)
                for _, entry in sorted(self._entries.items())
                if entry.card.role == "runner"
            )
            self._runners_at = at
        return self._runners

    def _read_entry(self, path: StorePath) -> TrustEntry | None:
        try:
            opened = self._files.read(path, TrustEntry)
        except Untrusted as error:
            _log.warning("a trust entry is passed over: %s", error)
            return None
        return None if opened is None else opened.record

    def _see(self, entry: TrustEntry) -> RunnerSeen:
        alive: Instant | None = None
        held = 0
        for path in self._store.list_under(alive_folder(entry.card.name))[:PARTIES_MAX]:
            try:
                opened = self._files.read(path, Alive)
            except Untrusted as error:
                _log.warning("an alive file is passed over: %s", error)
                continue
            if opened is not None:
                alive = max(alive or opened.sent, opened.sent)
                # What a dead copy held it holds no more.
                is_alive = self._clock.now() <= later(opened.sent, ALIVE_WITHIN)
                held += len(opened.record.jobs) if is_alive else 0
        return RunnerSeen(card=entry.card, tags=entry.tags, alive=alive, held=held)
