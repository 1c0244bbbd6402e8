"""What nothing takes is answered and falls away; ended runs are deleted.

Source: Processes, Controller (fresh_drop), Endings (quarantine, keep_msgs, finished_guard).
"""

from collections.abc import Sequence

from corbie.app.controller.advance import Plan
from corbie.app.controller.agenda import WakeAgenda
from corbie.app.controller.intake import Arrived, DueWake
from corbie.app.controller.runs import Newest, Runs
from corbie.app.files.sealed import SealedFiles
from corbie.domain.cards import Card
from corbie.domain.names import PartyName, RunId
from corbie.domain.paths import (
    StorePath,
    finished_path,
    inbox_folder,
    parse_path,
    receipt_path,
    receipts_folder,
    record_folder,
    running_path,
    wake_path,
)
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.store import Store
from corbie.domain.records import (
    Receipt,
    RemoveMessage,
    ResultMessage,
    StartMessage,
)
from corbie.domain.steps.effects import ANSWER_OK, KEEP_WAKE
from corbie.domain.steps.state import RunState
from corbie.domain.steps.timers import next_look
from corbie.domain.times import MINUTE, SECOND, SKEW, Span, later

QUARANTINE = Span(3 * SKEW)
"""Between the two looks before a deletion: past every pass that read a message of the run."""

REMOVE_WAKE = "remove"
LAST_LOOK_WAKE = "delete"
LOOK_AGAIN = Span(30 * SECOND)
DELETE_AGAIN = Span(15 * MINUTE)


class Tidier:
    """Lets go of messages and wakes that no step takes."""

    def __init__(
        self,
        *,
        store: Store,
        files: SealedFiles,
        runs: Runs,
        agenda: WakeAgenda,
        controller: PartyName,
        clock: Clock,
    ) -> None:
        """Hold the ports and the parts."""
        self._store = store
        self._files = files
        self._runs = runs
        self._agenda = agenda
        self._controller = controller
        self._clock = clock

    def drop(self, plans: Sequence[Plan]) -> list[StorePath]:
        """Answer what nothing takes; give the paths that can be deleted now."""
        files: dict[StorePath, bytes] = {}
        gone: list[StorePath] = []
        for plan in plans:
            newest = self._newest_of(plan)
            for arrived in plan.messages:
                self._answer(arrived, newest, files)
                gone.append(arrived.path)
            gone += [wake.path for wake in plan.wakes if self._drop_wake(plan, newest, wake, files)]
        if files:
            self._store.write_all_new(files)
        return gone

    def _newest_of(self, plan: Plan) -> Newest | None:
        if plan.record is None:
            return plan.newest
        return Newest(number=plan.record.number, record=plan.record)

    def _answer(
        self, arrived: Arrived, newest: Newest | None, files: dict[StorePath, bytes]
    ) -> None:
        record = arrived.record
        if isinstance(record, ResultMessage | StartMessage):
            # A start that comes again was answered by the run's first step.
            return
        state = None if newest is None else newest.state
        if state is None:
            # Its client's card went with the record; it finds no run, and knows.
            return
        if arrived.name in state.taken:
            return
        # Of a run that ended the answer depends on nothing but how it did: whoever gives it again,
        # late, after the first was deleted with the run, tells the client the same.
        if isinstance(record, RemoveMessage):
            text = self._begin_removal(record.run, state, files)
        elif state.ended is None:
            text = "expired"
        else:
            text = f"the run has ended: {state.status}"
        self._add_receipt(arrived.name, record.run, state.client, text, files)

    def _begin_removal(self, run: RunId, state: RunState, files: dict[StorePath, bytes]) -> str:
        if state.ended is None:
            return "the run has not ended; cancel it first"
        self._add_wake(run, Span(0), REMOVE_WAKE, files)
        return ANSWER_OK

    def _add_receipt(
        self, message: str, run: RunId, client: Card, text: str, files: dict[StorePath, bytes]
    ) -> None:
        path = receipt_path(self._controller, client.name, message)
        files[path] = self._files.compose(path, Receipt(run=run, answer=text), readers=[client])

    def _add_wake(self, run: RunId, after: Span, name: str, files: dict[StorePath, bytes]) -> None:
        due = later(self._clock.now(), after)
        files[wake_path(self._controller, due, run, name)] = b""
        self._agenda.add(due)

    def _drop_wake(
        self, plan: Plan, newest: Newest | None, wake: DueWake, files: dict[StorePath, bytes]
    ) -> bool:
        """Do what a wake that is no timer of a step is for; give whether it can go."""
        if wake.name in {KEEP_WAKE, REMOVE_WAKE, LAST_LOOK_WAKE}:
            return self._delete(plan, newest, wake, files)
        state = None if newest is None else newest.state
        look = None
        if state is not None and state.ended is None:
            look = next_look(state.jobs.values(), state.timeout)
        if look is not None:
            # One wake a run: the one that just passed was set for the earliest of several.
            after = max(Span(look - self._clock.now()), LOOK_AGAIN if look <= wake.due else Span(0))
            self._add_wake(plan.run, after, wake.name, files)
        return True

    def _delete(
        self, plan: Plan, newest: Newest | None, wake: DueWake, files: dict[StorePath, bytes]
    ) -> bool:
        run = plan.run
        if newest is None:
            self._store.delete_all([finished_path(self._controller, run)])
            return True
        if not newest.is_ended:
            return True
        if not self._is_over(newest.state, wake):
            return False
        if plan.messages or self._has_messages(run):
            self._add_wake(run, DELETE_AGAIN, wake.name, files)
            return True
        if wake.name != LAST_LOOK_WAKE:
            self._add_wake(run, QUARANTINE, LAST_LOOK_WAKE, files)
            return True
        self._delete_files(run)
        return True

    def _is_over(self, state: RunState | None, wake: DueWake) -> bool:
        """Tell whether the record was kept as long as it should be, if its time is what counts.

        A wake is an empty file that anyone with the store's files can make.
        """
        if wake.name != KEEP_WAKE or state is None or state.ended is None:
            return True
        return self._clock.now() >= later(state.ended, state.keep)

    def _has_messages(self, run: RunId) -> bool:
        """Look for a message to the run: by its name, or by its job's, which begins with it."""
        client, name = run.split("/")
        begun = (f"{client}.{name}.", name)
        return any(
            parse_path(path).name.startswith(begun)
            for path in self._store.list_under(inbox_folder(self._controller))
        )

    def _delete_files(self, run: RunId) -> None:
        """Delete a record, steps first to last, and what tells that there was a run last."""
        folder = record_folder(self._controller, run)
        client, name = run.split("/")
        receipts = [
            path
            for path in self._store.list_under(receipts_folder(self._controller, PartyName(client)))
            if parse_path(path).name.startswith(name)
        ]
        self._store.delete_all(
            [
                *sorted(self._store.list_under(folder), key=_steps_first),
                *receipts,
                running_path(self._controller, run),
                finished_path(self._controller, run),
            ]
        )
        self._runs.forget(run)


def _steps_first(path: StorePath) -> tuple[bool, str]:
    """Order the files of a record: a step whose blobs are gone could not be read any more."""
    return parse_path(path).kind != "step", path
