"""`ProcessScriptHost`: each script job in a process of its own, forked from a warm parent.

A job's process is foreign: what it hands over is bounded, checked, and never believed to be an
outcome before its whole tree is gone.
"""

import contextlib
import json
import os
import selectors
import signal
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, cast

from typing_extensions import override

from corbie.adapters.scripts.frames import FrameReader, send_frame
from corbie.adapters.scripts.pool import WarmParent, Wires, home_of_runner
from corbie.domain.errors import ValueRefused
from corbie.domain.names import JobId
from corbie.domain.orders import Emitted, JobOrder, JobOutcome, OutcomeStatus
from corbie.domain.permissions import NameWanted, decide
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.scripts import ScriptHost
from corbie.domain.times import SECOND, Span, format_instant
from corbie.domain.values import JsonValue

GRACE = Span(10 * SECOND)
"""Between TERM and KILL. Source: Processes, Runner."""

NAME_LENGTH_MAX = 100

_RECEIVE_BYTES = 256 * 1024
_REPORT_BYTES = 4096
_DRAIN_S = 5.0
_STATUSES: tuple[OutcomeStatus, ...] = ("done", "error", "denied", "limit")
_LEVELS = ("info", "warn", "error", "emit")


class ProcessScriptHost(ScriptHost):
    """Runs scripts in processes; the first starts the warm parent."""

    def __init__(
        self, *, clock: Clock, grace: Span = GRACE, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start nothing yet. `environment` is what scripts may read of, this process's if None."""
        self._clock = clock
        self._grace_s = grace / SECOND
        self._environment = environment
        self._home = home_of_runner()
        self._parent = WarmParent()
        self._lock = threading.Lock()
        self._under_way: dict[JobId, Wires] = {}
        self._idle = threading.Condition(self._lock)
        self._is_closed = False

    @property
    def warm_pid(self) -> int | None:
        """The warm parent's process, None before the first job."""
        return self._parent.pid

    @override
    def warm(self) -> None:
        """Return when the first job need not wait for the warm parent.

        Raises:
            SetupRefused: no process for scripts can be started here.
        """
        self._parent.warm()

    @override
    def run(
        self, order: JobOrder, sources: Mapping[str, str], emit: Callable[[Emitted], None]
    ) -> JobOutcome:
        # The clock may be a virtual one, which stands still while a script runs: it only says
        # how long the job may take, and the supervisor counts that on the machine's own.
        due_s = (order.due - self._clock.now()) / SECOND
        if due_s <= 0:
            return _timed_out(order)
        told = json.dumps(self._tell(order, sources))
        wires = self._parent.launch(due_s=due_s, grace_s=self._grace_s)
        with self._lock:
            self._under_way[order.job] = wires
            if self._is_closed:
                wires.cancel()
        try:
            return _Session(order, wires, self._clock, emit).run(told)
        finally:
            with self._lock:
                del self._under_way[order.job]
                wires.close()
                self._idle.notify_all()

    @override
    def cancel(self, job: JobId) -> None:
        with self._lock:
            wires = self._under_way.get(job)
            if wires is not None:
                wires.cancel()

    @override
    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            for wires in self._under_way.values():
                wires.cancel()
            self._idle.wait_for(lambda: not self._under_way, self._grace_s + 10)
        self._parent.close()

    def _tell(self, order: JobOrder, sources: Mapping[str, str]) -> dict[str, JsonValue]:
        """Give what the job's process is told, the variables it may read among it."""
        environment = os.environ if self._environment is None else self._environment
        return {
            "script": order.script,
            "sources": dict(sources),
            "input": order.input,
            "secrets": dict(order.secrets),
            "job": {
                "name": order.name,
                "request": order.request,
                "attempt": order.attempt,
                "run": order.run,
                "machine": order.machine,
                "key": order.key,
                "deadline": format_instant(order.due),
            },
            "layers": [
                {
                    "says": layer.says,
                    "fix": layer.fix,
                    "allow": None if layer.allow is None else list(layer.allow),
                    "deny": list(layer.deny),
                }
                for layer in order.layers
            ],
            "home": self._home,
            "variables": {
                name: value
                for name, value in environment.items()
                if decide(order.layers, NameWanted(kind="env", name=name)) is None
            },
        }


def _timed_out(order: JobOrder) -> JobOutcome:
    error = f"the script was not done when it was due, at {format_instant(order.due)}"
    return JobOutcome(status="timeout", error=error)


class _Session:
    """One job under way: its frames in, and how it ended."""

    def __init__(
        self, order: JobOrder, wires: Wires, clock: Clock, emit: Callable[[Emitted], None]
    ) -> None:
        self._order = order
        self._wires = wires
        self._clock = clock
        self._emit = emit
        self._reader = FrameReader()
        self._emitted = 0
        self._outcome: dict[str, JsonValue] | None = None
        self._fault: str | None = None

    def run(self, told: str) -> JobOutcome:
        """Give the outcome once the supervisor says that nothing of the job is left."""
        # A process that is ended before it read its order breaks the pipe; its end says why.
        with contextlib.suppress(OSError):
            send_frame(self._wires.frames, told)
        try:
            report = self._follow()
        except BaseException:
            self._wires.cancel()
            self._wires.control.recv(_REPORT_BYTES)
            raise
        return self._conclude(report)

    def _follow(self) -> bytes:
        """Take the frames as they come, until the supervisor reports; empty if it was killed."""
        frames, control = self._wires.frames, self._wires.control
        is_open, is_over = True, False
        with selectors.DefaultSelector() as selector:
            selector.register(frames, selectors.EVENT_READ)
            selector.register(control, selectors.EVENT_READ)
            while not is_over:
                ready = {key.fileobj for key, _ in selector.select()}
                if is_open and frames in ready:
                    is_open = self._take_piece()
                    if not is_open:
                        selector.unregister(frames)
                else:
                    is_over = control in ready
        report = _receive(control, _REPORT_BYTES)
        # Everything that could write is gone, or is being killed with its supervisor.
        frames.settimeout(_DRAIN_S)
        while is_open:
            is_open = self._take_piece()
        return report

    def _take_piece(self) -> bool:
        """Take what is there; give whether more may come."""
        piece = _receive(self._wires.frames, _RECEIVE_BYTES)
        if self._fault is None:
            try:
                for frame in self._reader.take(piece):
                    self._take_frame(frame)
            except ValueRefused as error:
                self._fault = str(error)
                self._wires.cancel()
        return bool(piece)

    def _take_frame(self, frame: dict[str, JsonValue]) -> None:
        if self._outcome is not None:
            message = "it went on after its outcome"
            raise ValueRefused(message)
        kind, level, name = frame.get("kind"), frame.get("level"), frame.get("name")
        if kind == "outcome" and frame.get("status") in _STATUSES:
            self._outcome = frame
            return
        is_named = name is None or (isinstance(name, str) and len(name) <= NAME_LENGTH_MAX)
        if kind != "said" or level not in _LEVELS or not is_named or "value" not in frame:
            message = "it handed over an object of no known form"
            raise ValueRefused(message)
        self._emitted += level == "emit"
        self._emit(
            Emitted(
                at=self._clock.now(),
                level=cast("Literal['info', 'warn', 'error', 'emit']", level),
                value=frame["value"],
                name=cast("str | None", name),
            )
        )

    def _conclude(self, report: bytes) -> JobOutcome:
        if self._fault is not None:
            error = f"what the script's process handed over cannot be read: {self._fault}"
            return self._failed("error", error)
        if self._outcome is not None:
            return _read_outcome(self._outcome, self._emitted)
        if not report:
            return self._failed("error", "the supervisor of the script's process was killed")
        told: dict[str, JsonValue] = json.loads(report)
        status = told["status"]
        match told["why"]:
            case "cancelled":
                return self._failed("cancelled", "the job was cancelled")
            case "timeout":
                return replace(_timed_out(self._order), emitted=self._emitted)
            case "lost":
                return self._failed("error", "the warm parent of the script's process was killed")
            case _:
                number = status if isinstance(status, int) else None
                return self._failed("error", _describe_end(number))

    def _failed(self, status: OutcomeStatus, error: str) -> JobOutcome:
        return JobOutcome(status=status, error=error, emitted=self._emitted)


def _receive(end: socket.socket, size: int) -> bytes:
    """Give what is there; nothing if the other side is gone."""
    try:
        return end.recv(size)
    except OSError:
        return b""


def _describe_end(status: int | None) -> str:
    """Say how a process ended that left no outcome."""
    if status is None:
        return "the script's process was lost"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        more = ", perhaps for want of memory" if number == signal.SIGKILL else ""
        return f"the script's process was ended by signal {number}{more}"
    return f"the script's process ended with status {os.WEXITSTATUS(status)} and no outcome"


def _read_outcome(told: Mapping[str, JsonValue], emitted: int) -> JobOutcome:
    """Give the outcome a job's process handed over; texts that are none are left out."""

    def text(name: str) -> str | None:
        value = told.get(name)
        return value if isinstance(value, str) else None

    return JobOutcome(
        status=cast("OutcomeStatus", told["status"]),
        output=told.get("output"),
        error=text("error"),
        data=told.get("data"),
        place=text("place"),
        stack=text("stack"),
        refused=text("refused"),
        layer=text("layer"),
        fix=text("fix"),
        emitted=emitted,
    )
