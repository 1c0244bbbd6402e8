"""Corbie as a library: submit a definition, wait for its run, read it.

Source: Interfaces, Library.
"""

import os
import time
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from corbie.adapters.documents.files import DirectoryDocuments
from corbie.adapters.stores.watching import WatchedStore
from corbie.app.client.bundle import Bundle, check_input, read_bundle
from corbie.app.client.observe import Observer, Said, SaidReader
from corbie.app.client.submit import UNTIL_DEFAULT, Sent, Submitter
from corbie.app.files.blobs import BlobFiles, Home
from corbie.domain.definitions.machine import Machine
from corbie.domain.errors import NotFound, Refusal, Unavailable
from corbie.domain.names import RunId
from corbie.domain.paths import (
    StorePath,
    emits_folder,
    finished_folder,
    receipts_folder,
    running_folder,
    steps_folder,
)
from corbie.domain.places import DefinitionRefused
from corbie.domain.ports.store import StoreWatch
from corbie.domain.records import Status, StepRecord
from corbie.domain.steps.state import Failure, RunState
from corbie.domain.times import SECOND, Span
from corbie.domain.values import JsonValue, read_json
from corbie.entrypoints.settings import Settings, read_settings, require_party
from corbie.entrypoints.wiring.adapters import AdaptersContainer
from corbie.entrypoints.wiring.local import make_adapters, make_client

RECEIPT_WAIT_S = 5.0
WATCHES_KEPT = 2
POLL = Span(SECOND)
"""How long a wait goes without looking, where a store does not tell of changes."""


class NoAnswer(Unavailable):
    """Time is up, and what was waited for has not come; it may still."""

    code = "no_answer"


class StartRefused(Refusal):
    """The controller did not want the run; the text is its receipt."""

    code = "start_refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended: `done`, `failed` or `cancelled`; its output, or its failure."""

    status: str
    output: JsonValue
    failure: Failure | None


class Corbie:
    """A client of a controller, on this computer's configuration or a store handed in."""

    def __init__(
        self,
        *,
        store: WatchedStore | None = None,
        config: Settings | Mapping[str, str | int] | None = None,
    ) -> None:
        """Read the settings, unless `config` is settings: it, the environment, the file.

        With `store` runs go there, whatever the settings say.

        Raises:
            SetupRefused: a setting is wrong, or nothing is set up.
        """
        if isinstance(config, Settings):
            settings = config
        else:
            flags = dict(config or {})
            read = read_settings(flags=flags, environment=os.environ, is_terminal=False)
            settings = read.settings
        self._adapters = make_adapters(settings, store=store)
        container = make_client(settings, self._adapters)
        self._submitter: Submitter = container.submitter()
        self.observer: Observer = container.observer()
        self._blobs: BlobFiles = container.party.blobs()
        self._client = require_party(settings, "client")
        self._controller = require_party(settings, "controller")
        self._store = self._adapters.store()
        self._watches: dict[tuple[StorePath, ...], StoreWatch] = {}
        weakref.finalize(self, _close_all, self._watches)

    @classmethod
    def open(cls) -> "Corbie":
        """Give a client on this computer's configuration; raises as the constructor does."""
        return cls()

    def read(self, definition: str | Path, *, context: str | Path | None = None) -> Bundle:
        """Read and check a definition or a script; raises `DefinitionRefused`."""
        return read_definition(self._adapters, definition, context=context)

    def submit(
        self,
        definition: str | Path | Bundle,
        input: JsonValue = None,  # noqa: A002 - the word the whole product uses
        *,
        labels: Mapping[str, str] | None = None,
        until: Span = UNTIL_DEFAULT,
    ) -> "Run":
        """Ask for a run; it is named here, and begins once a controller takes its message.

        Raises:
            DefinitionRefused: the definition has problems. InputRefused: the input does not fit.
        """
        bundle = definition if isinstance(definition, Bundle) else self.read(definition)
        check_input(bundle.machine, input, self._adapters.checker())
        sent = self._submitter.submit(bundle, input, labels=labels, until=until)
        return Run(self, sent.run, sent)

    def find(self, text: str) -> "Run":
        """Give the run that an ID, the end of one, or `last` means; raises `NotFound`."""
        return Run(self, self.observer.find_run(text))

    def cancel(self, run: RunId, job: str | None = None) -> str:
        """Cancel a run, or one job of it; give the controller's answer, `ok` or why not.

        Raises:
            NoAnswer: none came within 5 s.
        """
        return self.answer(self._submitter.cancel(run, job))

    def remove(self, run: RunId) -> str:
        """Have an ended run deleted; as `cancel`."""
        return self.answer(self._submitter.remove(run))

    def answer(self, sent: Sent, timeout: float = RECEIPT_WAIT_S) -> str:
        """Wait for the answer to a message, so many seconds.

        Raises:
            NoAnswer: none came.
        """
        folders = [receipts_folder(self._controller, self._client)]
        for _ in self.watch(folders, timeout):
            answer = self._submitter.read_receipt(sent)
            if answer is not None:
                return answer
        message = "no controller has answered yet"
        raise NoAnswer(message)

    def watch(self, folders: list[StorePath], timeout: float | None) -> Iterator[None]:
        """Yield at once, and whenever something below the folders may have changed.

        Ends when so many seconds have passed, None for never, after one last yield.
        """
        until = None if timeout is None else time.monotonic() + timeout
        key = tuple(folders)
        # Ending a watch takes the kernel milliseconds, so the last one of the same folders goes
        # on; what it saw meanwhile costs one look too many.
        watch = self._watches.pop(key, None) or self._store.watch(folders)
        try:
            while True:
                yield
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    return
                watch.wait(Span(POLL if left is None else min(POLL, int(left * SECOND) + 1)))
        finally:
            self._keep_watch(key, watch)

    def _keep_watch(self, key: tuple[StorePath, ...], watch: StoreWatch) -> None:
        for old in [self._watches.pop(one) for one in list(self._watches)[WATCHES_KEPT - 1 :]]:
            old.close()
        other = self._watches.pop(key, None)
        self._watches[key] = watch
        if other is not None:
            other.close()

    def machine_of(self, state: RunState) -> Machine:
        """Give the machine that a run runs; raises `Untrusted` if its blob fails a check."""
        home = Home(controller=self._controller, run=state.run)
        return self._adapters.reader().read_full_form(self._blobs.read(home, state.definition))

    def plain_step(self, record: StepRecord) -> JsonValue:
        """Give a step as the plain value that its file holds."""
        return read_json(self._adapters.codecs()["step"].encode(record))

    def emits_folder(self, run: RunId) -> StorePath:
        """Give the folder where what a run's jobs say appears."""
        return emits_folder(self._controller, run)

    def run_folders(self, run: RunId) -> list[StorePath]:
        """Give the folders where the news of a run appear."""
        return [
            finished_folder(self._controller, self._client),
            running_folder(self._controller, self._client),
            steps_folder(self._controller, run),
        ]


class Run:
    """One run, as its client sees it."""

    def __init__(self, corbie: Corbie, run: RunId, sent: Sent | None = None) -> None:
        """Hold the run's ID, and the message that asked for it, if that was now."""
        self._corbie = corbie
        self.id = run
        self.sent = sent

    def status(self) -> Status | None:
        """Give what the controller last said of the run, None before it began."""
        return self._corbie.observer.read_status(self.id)

    def state(self) -> RunState:
        """Give the state after the newest step; raises `NotFound` before the first."""
        return self._corbie.observer.newest_step(self.id).state

    def machine(self) -> Machine:
        """Give the machine it runs; raises as `state` does."""
        return self._corbie.machine_of(self.state())

    def said(self, job: str | None = None) -> list[Said]:
        """Give what the run's jobs logged and emitted."""
        return self._corbie.observer.list_said(self.id, job)

    def follow_said(self, job: str | None = None) -> Iterator[Said]:
        """Yield what the run's jobs say as they say it, until the run has ended."""
        corbie = self._corbie
        reader = SaidReader(corbie.observer, self.id, job)
        folders = [*corbie.run_folders(self.id), corbie.emits_folder(self.id)]
        for _ in corbie.watch(folders, None):
            # Asked before the reading: what was said before the end is then read for certain.
            status = self.status()
            yield from reader.read_new(status)
            if status is not None and status.ended is not None:
                return
            corbie.observer.require_next(self.id, reader.step)

    def steps(self, *, after: int = 0, timeout: float | None = None) -> Iterator[StepRecord]:
        """Yield each step as it is taken, to the run's last.

        Raises:
            NoAnswer: the run has not ended within so many seconds. StartRefused: it was refused.
            NotFound: the next step was deleted, or all of them were.
        """
        number = after
        for _ in self._corbie.watch(self._corbie.run_folders(self.id), timeout):
            record = self._corbie.observer.read_step(self.id, number + 1)
            while record is not None:
                number = record.number
                yield record
                if record.state.ended is not None:
                    return
                record = self._corbie.observer.read_step(self.id, number + 1)
            self._corbie.observer.require_next(self.id, number)
        message = f"the run {self.id} has not ended yet"
        raise NoAnswer(message)

    def wait(self, timeout: float | None = None) -> Outcome:
        """Wait for the end, so many seconds, None for ever.

        Raises:
            NoAnswer: it has not come. StartRefused: the controller did not want the run.
        """
        for _ in self._corbie.watch(self._corbie.run_folders(self.id)[:1], timeout):
            status = self.status()
            if status is not None and status.ended is not None:
                return self._outcome()
        message = f"the run {self.id} has not ended yet"
        raise NoAnswer(message)

    def _outcome(self) -> Outcome:
        state = self.state()
        if state.status == "refused":
            raise StartRefused(self._refusal())
        return Outcome(status=state.status, output=state.output, failure=state.failure)

    def _refusal(self) -> str:
        if self.sent is None:
            return "the controller refused the run"
        return self._corbie.answer(self.sent)


def _close_all(watches: dict[tuple[StorePath, ...], StoreWatch]) -> None:
    while watches:
        watches.popitem()[1].close()


def read_definition(
    adapters: AdaptersContainer, definition: str | Path, *, context: str | Path | None = None
) -> Bundle:
    """Read a definition or a script with what it needs.

    The context is the directory `context`, by default the current one; a file outside it is
    read in its own directory.

    Raises:
        DefinitionRefused: it has problems. NotFound: there is no such file.
    """
    path = Path(definition).absolute()
    if not path.exists():
        message = f"there is no file {definition}"
        raise NotFound(message)
    root = Path(context or ".").resolve()
    resolved = path.parent.resolve() / path.name
    if not resolved.is_relative_to(root):
        root = resolved.parent
    documents = DirectoryDocuments(root)
    try:
        return read_bundle(documents, adapters.reader(), resolved.relative_to(root).as_posix())
    except DefinitionRefused as error:
        if root == resolved.parent and Path(definition).parent != Path():
            raise _seen_from_here(error, Path(definition).parent) from error
        raise


def _seen_from_here(error: DefinitionRefused, folder: Path) -> DefinitionRefused:
    """Give the problems of a definition with its files as the caller would name them."""
    return DefinitionRefused(
        replace(one, place=replace(one.place, file=str(folder / one.place.file)))
        for one in error.problems
    )
