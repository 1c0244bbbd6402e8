"""One pass of a controller: intake, step, act, delete; many runs share each store call.

Source: Processes, Controller.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from corbie.app.controller.advance import Advancer, Plan
from corbie.app.controller.agenda import WakeAgenda
from corbie.app.controller.enact import Enactor
from corbie.app.controller.intake import Collected, Intake
from corbie.app.controller.runs import Runs
from corbie.app.controller.sweep import Sweeper
from corbie.app.controller.tidy import Tidier
from corbie.app.files.standing import PassStore, PassTooLong
from corbie.domain.errors import Unavailable, Untrusted
from corbie.domain.names import PartyName, split_run_id
from corbie.domain.paths import StorePath, finished_path, message_path, running_path, step_path
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.store import Store
from corbie.domain.times import Instant

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassResult:
    """What a pass did and leaves.

    `moved` counts the runs that something came for; `is_busy` when another pass should begin at
    once; `due` when one is due at the latest, as far as this process knows.
    """

    moved: int
    is_busy: bool
    due: Instant | None


class ControllerCycle:
    """A controller, a pass at a time. It keeps no state but caches."""

    def __init__(  # noqa: PLR0913 - its parts, wired by name
        self,
        *,
        name: PartyName,
        raw: Store,
        store: PassStore,
        clock: Clock,
        runs: Runs,
        intake: Intake,
        advancer: Advancer,
        enactor: Enactor,
        tidier: Tidier,
        sweeper: Sweeper,
        agenda: WakeAgenda,
    ) -> None:
        """Hold the parts; `raw` is the store under `store`, whose writes never stop."""
        self._name = name
        self._raw = raw
        self._store = store
        self._clock = clock
        self._runs = runs
        self._intake = intake
        self._advancer = advancer
        self._enactor = enactor
        self._tidier = tidier
        self._sweeper = sweeper
        self._agenda = agenda

    def run_pass(self) -> PassResult:
        """Do one pass.

        Raises:
            Unavailable: the store failed, or the pass took too long; another may begin.
        """
        self._store.begin()
        try:
            collected = self._intake.collect()
            is_busy = self._advance(collected)
            self._sweeper.sweep()
        except Unavailable:
            # What was read, or half written, is read again.
            self._runs.forget_all()
            raise
        finally:
            self._store.end()
        return PassResult(
            moved=len(collected.runs),
            is_busy=is_busy or collected.is_more,
            due=self._agenda.next_after(self._clock.now()),
        )

    def _advance(self, collected: Collected) -> bool:
        """Step every run that something came for; give whether something is left to do."""
        plans: list[Plan] = []
        is_left = False
        for run, items in collected.runs.items():
            try:
                plan = self._advancer.plan(run, items)
            except Unavailable:
                raise
            except Untrusted as error:
                _log.error("the run %s cannot go on: %s", run, error)
                continue
            except Exception:  # noqa: BLE001 - the cycle loop, which must outlive a run
                # One run that breaks an invariant must not hold up the others.
                _log.exception("the run %s cannot go on: this is a bug in corbie", run)
                continue
            if plan is None:
                is_left = True
            else:
                plans.append(plan)
        written = self._write_steps(plans)
        settled = [*(plan for plan in plans if plan.record is None), *written]
        self._act(written)
        self._delete(settled, collected.refused)
        is_cut = any(plan.is_cut for plan in written)
        return is_left or is_cut or len(settled) < len(plans)

    def _write_steps(self, plans: Sequence[Plan]) -> list[Plan]:
        """Write the steps; give the plans whose step is now in the store, by this process."""
        files = {plan.path: plan.data for plan in plans if plan.path is not None}
        if not files:
            return []
        taken = self._store.write_all_new(files)
        written = []
        for plan in plans:
            if plan.record is None:
                continue
            if plan.path in taken:
                self._runs.forget(plan.run)
            else:
                self._runs.remember(plan.run, plan.record, plan.read_at)
                written.append(plan)
        return written

    def _act(self, written: Sequence[Plan]) -> None:
        if not written:
            return
        try:
            self._store.require_time()
        except PassTooLong:
            self._withdraw_orphans(written)
            raise
        files = {path: data for plan in written for path, data in plan.files.items()}
        self._enactor.enact([plan.record for plan in written if plan.record is not None], files)

    def _withdraw_orphans(self, written: Sequence[Plan]) -> None:
        """Take back a late step of a run that was deleted while this process was suspended."""
        for plan in written:
            number = plan.record.number if plan.record is not None else 1
            client, name = split_run_id(plan.run)
            # A first step follows on its start, which another process deletes only once it acted.
            is_first = number == 1
            before = (
                message_path(self._name, client, name)
                if is_first
                else step_path(self._name, plan.run, number - 1)
            )
            signs = [
                before,
                running_path(self._name, plan.run),
                finished_path(self._name, plan.run),
            ]
            if all(self._raw.read(path) is None for path in signs):
                self._raw.delete_all([step_path(self._name, plan.run, number)])

    def _delete(self, settled: Sequence[Plan], refused: list[StorePath]) -> None:
        """Delete what was taken, after acting, and what nothing takes."""
        gone = [path for plan in settled for path in plan.taken]
        gone += self._tidier.drop(settled)
        gone += refused
        if gone:
            self._store.delete_all(gone)
