"""Start a run, cancel it, have it deleted: messages to the controller, and their receipts.

Everything is idempotent by the message's name. Source: Processes, Client.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from corbie.app.client.bundle import Bundle
from corbie.app.files.blobs import BlobFiles, Home
from corbie.app.files.sealed import SealedFiles
from corbie.domain.blobs import BlobRef
from corbie.domain.cards import Card
from corbie.domain.definitions.full_form import format_full_form
from corbie.domain.names import MessageName, PartyName, RunId, make_run_id, make_run_name
from corbie.domain.paths import StorePath, message_path, receipt_path
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.entropy import Entropy
from corbie.domain.ports.store import Store
from corbie.domain.records import (
    CancelMessage,
    Receipt,
    RemoveMessage,
    StartMessage,
    require_start_fits,
)
from corbie.domain.times import MINUTE, Instant, Span, later
from corbie.domain.values import JsonValue

UNTIL_DEFAULT = Span(5 * MINUTE)
RUN_DIGITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A message that was written: its name, the run it is about, and when it expires."""

    run: RunId
    message: MessageName
    until: Instant


class Submitter:
    """Sends messages as one client."""

    def __init__(  # noqa: PLR0913 - each is one port or one part, wired by name
        self,
        *,
        store: Store,
        files: SealedFiles,
        blobs: BlobFiles,
        own: Card,
        controller: Card,
        clock: Clock,
        entropy: Entropy,
    ) -> None:
        """Hold the ports, who sends, and to whom."""
        self._store = store
        self._files = files
        self._blobs = blobs
        self._own = own
        self._controller = controller
        self._clock = clock
        self._entropy = entropy

    def submit(
        self,
        bundle: Bundle,
        given: JsonValue,
        *,
        labels: Mapping[str, str] | None = None,
        until: Span = UNTIL_DEFAULT,
    ) -> Sent:
        """Ask for a run of a definition: its blobs first, then the start message.

        Raises:
            ValueRefused: the definition or the labels are too large.
        """
        require_start_fits(bundle.machine.type, bundle.machine.name, labels or {})
        name = make_run_name(self._clock.now(), self._entropy.digits(RUN_DIGITS))
        run = make_run_id(self._own.name, name)
        definition = self._store_definition(run, bundle)
        message = StartMessage(
            run=run,
            type=bundle.machine.type,
            machine=bundle.machine.name,
            definition=definition,
            input=given,
            context=bundle.context,
            labels=labels or {},
        )
        return self._send(message, MessageName(name), until)

    def cancel(self, run: RunId, job: str | None = None, *, until: Span = UNTIL_DEFAULT) -> Sent:
        """Ask that a run, or one job of it, be cancelled."""
        return self._send(CancelMessage(run=run, job=job), self._name(run, "cancel"), until)

    def remove(self, run: RunId, *, until: Span = UNTIL_DEFAULT) -> Sent:
        """Ask that an ended run be deleted."""
        return self._send(RemoveMessage(run=run), self._name(run, "remove"), until)

    def read_receipt(self, sent: Sent) -> str | None:
        """Give the controller's answer, None where there is none yet.

        Raises:
            Untrusted: the receipt fails a check.
        """
        path = receipt_path(self._controller.name, self._own.name, sent.message)
        opened = self._files.read(path, Receipt)
        return None if opened is None else opened.record.answer

    def _store_definition(self, run: RunId, bundle: Bundle) -> BlobRef:
        home = Home(controller=self._controller.name, run=run)
        blobs: dict[StorePath, bytes] = {}
        files: dict[str, BlobRef] = {}
        for path, text in bundle.texts.items():
            files[path], at, stored = self._blobs.prepare(home, text.encode())
            blobs[at] = stored
        full = format_full_form(replace(bundle.machine, files=files))
        definition, at, stored = self._blobs.prepare(home, full)
        blobs[at] = stored
        self._store.write_all_new(blobs)
        return definition

    def _name(self, run: RunId, what: str) -> MessageName:
        _, _, name = run.partition("/")
        return MessageName(f"{name}~{what}-{self._entropy.digits(RUN_DIGITS)}")

    def _send(
        self,
        message: StartMessage | CancelMessage | RemoveMessage,
        name: MessageName,
        until: Span,
    ) -> Sent:
        path = message_path(PartyName(self._controller.name), self._own.name, name)
        expires = later(self._clock.now(), until)
        data = self._files.compose(path, message, readers=[self._controller], until=expires)
        self._store.write_new(path, data)
        return Sent(run=message.run, message=name, until=expires)
