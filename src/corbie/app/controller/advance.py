"""Decide the next step of a run from what came for it. Nothing is written here but act_first.

Source: Processes, Controller (step; act_first, cache_age, fresh_drop, relist, contiguous,
taken_in_state, tombstone).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from corbie.app.controller.enact import Enactor
from corbie.app.controller.intake import Arrived, DueWake, Items
from corbie.app.controller.machines import Machines
from corbie.app.controller.runs import Newest, Runs
from corbie.app.controller.trusted import Trusted
from corbie.app.files.blobs import Home
from corbie.app.files.sealed import SealedFiles
from corbie.domain.cards import Card
from corbie.domain.errors import EvaluatorLost, Refusal, Untrusted, ValueRefused
from corbie.domain.names import MessageName, PartyName, RunId
from corbie.domain.paths import StorePath, message_path, step_path
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.evaluator import Evaluator
from corbie.domain.ports.schemas import SchemaChecker
from corbie.domain.ports.store import Store
from corbie.domain.ports.suspects import Suspects
from corbie.domain.records import (
    CancelMessage,
    RemoveMessage,
    ResultMessage,
    StartMessage,
    StepRecord,
)
from corbie.domain.steps import step
from corbie.domain.steps.context import StepContext
from corbie.domain.steps.effects import StartJob
from corbie.domain.steps.events import (
    EVENTS_PER_STEP_MAX,
    Cancel,
    Ended,
    Event,
    Start,
    Timer,
    order_events,
    require_start,
)
from corbie.domain.steps.isolation import StepTaker
from corbie.domain.steps.state import FlowBody, RunState
from corbie.domain.steps.step import Step, failed_step, refused_step
from corbie.domain.steps.timers import job_deadline, timer_matters
from corbie.domain.times import Instant


@dataclass(slots=True, kw_only=True)
class Sorted:
    """What came for a run, told apart: events of the next step, and what nothing takes.

    `along` are wakes that say what one of the events says; `is_cut` when events are left for the
    step after.
    """

    events: list[tuple[Event, StorePath]] = field(default_factory=list)
    is_cut: bool = False
    along: list[StorePath] = field(default_factory=list)
    messages: list[Arrived] = field(default_factory=list)
    wakes: list[DueWake] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done for one run: a step to write, if any, and what falls away.

    `files` are what the step asks for; `taken` are the paths the step takes, deleted once it was
    acted on; `messages` and `wakes` are those it does not take; `is_cut` when more came for it.
    """

    run: RunId
    newest: Newest | None
    read_at: Instant
    record: StepRecord | None = None
    path: StorePath | None = None
    data: bytes = b""
    files: Mapping[StorePath, bytes] = field(default_factory=dict)
    is_cut: bool = False
    taken: tuple[StorePath, ...] = ()
    messages: tuple[Arrived, ...] = ()
    wakes: tuple[DueWake, ...] = ()


class Advancer:
    """Plans steps."""

    def __init__(  # noqa: PLR0913 - each is one port or one part, wired by name
        self,
        *,
        store: Store,
        files: SealedFiles,
        runs: Runs,
        machines: Machines,
        trusted: Trusted,
        enactor: Enactor,
        own: Card,
        clock: Clock,
        evaluator: Evaluator,
        checker: SchemaChecker,
        isolated: StepTaker,
        suspects: Suspects,
    ) -> None:
        """Hold the ports and the parts."""
        self._store = store
        self._files = files
        self._runs = runs
        self._machines = machines
        self._trusted = trusted
        self._enactor = enactor
        self._own = own
        self._clock = clock
        self._evaluator = evaluator
        self._checker = checker
        self._isolated = isolated
        self._suspects = suspects

    def plan(self, run: RunId, items: Items) -> Plan | None:
        """Give what to do for a run, None to leave everything for the next pass.

        Raises:
            Untrusted: a file of the run fails a check, so that it cannot go on.
        """
        read_at = self._clock.now()
        newest = self._load(run, fresh=False)
        found = self._sort(run, newest, items)
        if found.messages or found.wakes or newest is None:
            # Nothing is dropped on what was read before, and nothing begins on it.
            read_at = self._clock.now()
            newest = self._load(run, fresh=True)
            found = self._sort(run, newest, items)
        is_begun = bool(found.events)
        if newest is None and found.messages and not is_begun and self._is_starting(run):
            return None
        plan = Plan(
            run=run,
            newest=newest,
            read_at=read_at,
            messages=tuple(found.messages),
            wakes=tuple(found.wakes),
        )
        return self._with_step(plan, found) if is_begun else plan

    def _load(self, run: RunId, *, fresh: bool) -> Newest | None:
        newest = self._runs.load(run, fresh=fresh)
        if newest is not None:
            self._enactor.enact_newest(run, newest)
        return newest

    def _is_starting(self, run: RunId) -> bool:
        """Look again for a start that came after the listing, or a first step."""
        client, name = run.split("/")
        start = message_path(self._own.name, PartyName(client), name)
        return self._store.read(start) is not None or self._load(run, fresh=True) is not None

    def _sort(self, run: RunId, newest: Newest | None, items: Items) -> Sorted:
        found = Sorted()
        state = None if newest is None else newest.state
        is_open = newest is not None and not newest.is_ended
        started = self._find_start(items) if newest is None else None
        if started is not None:
            start = self._start_of(run, started)
            found.events.append((start, started.path))
            is_open = start.refuse is None
        for arrived in items.messages:
            if arrived is started:
                continue
            event = self._event_of(state, arrived) if is_open else None
            if event is None:
                found.messages.append(arrived)
            else:
                found.events.append((event, arrived.path))
        self._sort_wakes(run, state, items, found)
        # `order_events` puts a start first; what is past the hundredth waits for the next step.
        ordered = order_events([(event, str(path)) for event, path in found.events])
        found.events = [(event, StorePath(path)) for event, path in ordered[:EVENTS_PER_STEP_MAX]]
        found.is_cut = len(ordered) > EVENTS_PER_STEP_MAX
        return found

    def _find_start(self, items: Items) -> Arrived | None:
        starts = (one for one in items.messages if isinstance(one.record, StartMessage))
        return next(starts, None)

    def _sort_wakes(self, run: RunId, state: RunState | None, items: Items, found: Sorted) -> None:
        due = [wake for wake in items.wakes if wake.name[:1].isdigit()]
        found.wakes.extend(wake for wake in items.wakes if wake not in due)
        if not due:
            return
        if state is not None and state.ended is None and self._timer_matters(run, state):
            if not self._is_heard(state, items):
                return
            found.events.append((Timer(at=due[0].due), due[0].path))
            # The others say the same, and go with it.
            found.along.extend(wake.path for wake in due[1:])
        else:
            found.wakes.extend(due)

    def _is_heard(self, state: RunState, items: Items) -> bool:
        """Tell whether no job that is over its time has a result that this pass left unread."""
        read = {one.path for one in items.messages}
        overdue = (
            message_path(self._own.name, held.runner.name, job)
            for job, held in state.jobs.items()
            if held.runner is not None and job_deadline(held) <= self._clock.now()
        )
        return all(path in read or self._store.read(path) is None for path in overdue)

    def _timer_matters(self, run: RunId, state: RunState) -> bool:
        machine = self._machines.load(self._home(run), state.definition)
        at = max(self._clock.now(), state.time)
        return timer_matters(state, machine, self._trusted.runners(), at)

    def _start_of(self, run: RunId, arrived: Arrived) -> Start:
        message = arrived.record
        self._trusted.refresh_entry(arrived.by)
        entry = self._trusted.entry(arrived.by)
        if not isinstance(message, StartMessage) or entry is None:
            raise Untrusted(path=arrived.path, check="writer", what="its sender is not trusted")
        start = Start(
            at=arrived.sent,
            message=MessageName(arrived.name),
            until=arrived.until,
            client=entry.card,
            type=message.type,
            machine=message.machine,
            definition=message.definition,
            input=message.input,
            context=message.context,
            key=message.key,
            labels=message.labels,
            ceiling=entry.allow,
        )
        return replace(start, refuse=self._refusal(run, start, is_expired=arrived.is_expired))

    def _refusal(self, run: RunId, start: Start, *, is_expired: bool) -> str | None:
        if is_expired:
            return "expired"
        if start.key is not None:
            return "keys are not supported by this version of corbie yet"
        try:
            self._machines.load(self._home(run), start.definition)
        except (Untrusted, Refusal) as error:
            return f"the definition cannot be read: {error}"
        return None

    def _event_of(self, state: RunState | None, arrived: Arrived) -> Event | None:
        """Give the event a message is to a run in this state, None for one nothing takes."""
        match arrived.record:
            case ResultMessage(job=job, outcome=outcome):
                held = None if state is None else state.jobs.get(job)
                if held is None or held.runner is None or held.runner.name != arrived.by:
                    return None
                return Ended(at=arrived.sent, job=job, outcome=outcome)
            case CancelMessage(job=name):
                message = MessageName(arrived.name)
                if arrived.is_expired or (state is not None and message in state.taken):
                    return None
                return Cancel(at=arrived.sent, message=message, until=arrived.until, job=name)
            case StartMessage() | RemoveMessage():
                return None

    def _with_step(self, plan: Plan, found: Sorted) -> Plan:
        state = None if plan.newest is None else plan.newest.state
        number = 1 if plan.newest is None else plan.newest.number + 1
        events = [event for event, _ in found.events]
        context = StepContext(
            run=plan.run,
            number=number,
            at=self._clock.now(),
            runners=self._trusted.runners(),
            evaluator=self._evaluator,
            checker=self._checker,
        )
        record = self._record(context, events, self._decide(state, events, context))
        path = step_path(self._own.name, plan.run, number)
        try:
            data, files = self._compose(path, record), self._enactor.compose(record)
        except ValueRefused as error:
            if len(events) > 1:
                half = found.events[: len(events) // 2]
                return self._with_step(plan, replace(found, events=half, is_cut=True))
            why = f"what the next step asks for does not fit: {error}"
            failed = failed_step(_without_outputs(state), events, context, why)
            record = self._record(context, events, failed)
            data, files = self._compose(path, record), self._enactor.compose(record)
        taken = (*(path for _, path in found.events), *found.along)
        return replace(
            plan,
            record=record,
            path=path,
            data=data,
            files=files,
            taken=taken,
            is_cut=found.is_cut,
        )

    def _decide(self, state: RunState | None, events: list[Event], context: StepContext) -> Step:
        if state is None and (start := require_start(events)).refuse is not None:
            return refused_step(context.run, start, context.at)
        definition = require_start(events).definition if state is None else state.definition
        machine = self._machines.load(self._home(context.run), definition)
        is_suspect = self._suspects.begin(context.run)
        try:
            if not is_suspect:
                return step(machine, state, events, context)
        finally:
            self._suspects.end()
        try:
            decided = self._isolated.take(machine, state, events, context)
        except EvaluatorLost as error:
            decided = failed_step(state, events, context, str(error))
        self._suspects.clear(context.run)
        return decided

    def _record(self, context: StepContext, events: list[Event], decided: Step) -> StepRecord:
        state = decided.state
        is_placed = any(isinstance(effect, StartJob) for effect in decided.effects)
        is_waiting = any(job.status == "waiting" for job in state.jobs.values())
        return StepRecord(
            run=context.run,
            number=context.number,
            at=context.at,
            events=tuple(events),
            state=state,
            effects=decided.effects,
            runners=context.runners if is_placed or is_waiting else (),
        )

    def _compose(self, path: StorePath, record: StepRecord) -> bytes:
        return self._files.compose(path, record, readers=[self._own, record.state.client])

    def _home(self, run: RunId) -> Home:
        return Home(controller=self._own.name, run=run)


def _without_outputs(state: RunState | None) -> RunState | None:
    """Give a state that fits: the steps before hold what its stages gave."""
    if state is None:
        return None
    stages = {name: replace(stage, output=None) for name, stage in state.body.stages.items()}
    return replace(state, body=FlowBody(stages=stages))
