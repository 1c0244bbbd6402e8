"""Roles as processes of their own below one parent, which starts again what dies.

The parent holds no threads and no store, so that it may fork at any time; the roles do not
share an interpreter's lock. Source: Interfaces (start); Processes, Runner (SIGTERM).
"""

import ctypes
import logging
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from corbie.domain.errors import Refusal, Unavailable
from corbie.domain.times import SECOND, Span

REFUSED_STATUS = 78
"""A role's exit status when its set-up is refused, as EX_CONFIG: it is not started again."""

BACKOFF_FIRST_S = 1.0
BACKOFF_MAX_S = 60.0
ABORT_S = 30.0
"""How long a role may take to end its jobs after a second signal."""

_PR_SET_PDEATHSIG = 1
_STOPPING = (signal.SIGTERM, signal.SIGINT)
_WAITED = (*_STOPPING, signal.SIGCHLD)

_log = logging.getLogger(__name__)


class RoleProcess(Protocol):
    """What runs in a role's process."""

    def run(self) -> None:
        """Serve until stopped."""
        ...

    def stop(self) -> None:
        """Begin nothing new, and end when nothing is left; from any thread."""
        ...

    def abort(self) -> None:
        """End at once; from any thread."""
        ...


@dataclass(slots=True, kw_only=True)
class _Child:
    """One role: how it is made, and its process while there is one."""

    name: str
    make: Callable[[], RoleProcess]
    pid: int | None = None
    born_s: float = 0.0
    due_s: float | None = field(default=0.0)
    delay_s: float = BACKOFF_FIRST_S


class Supervisor:
    """Keeps each role's process running until a signal."""

    def __init__(
        self,
        roles: Mapping[str, Callable[[], RoleProcess]],
        *,
        grace: Span,
        on_ready: Callable[[str], None],
        on_refused: Callable[[Refusal], None],
    ) -> None:
        """Hold the roles by name; `on_ready` and `on_refused` are called in a role's process."""
        self._children = [_Child(name=name, make=make) for name, make in roles.items()]
        self._grace_s = grace / SECOND
        self._on_ready = on_ready
        self._on_refused = on_refused
        self._signals = 0
        self._is_refused = False
        self._kill_s: float | None = None

    def run(self) -> bool:
        """Run until a signal has ended every role; False if one was refused."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _WAITED)
        try:
            while True:
                self._start_due(before)
                if all(child.pid is None for child in self._children) and self._is_ending():
                    return not self._is_refused
                self._wait()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _is_ending(self) -> bool:
        return self._signals > 0 or self._is_refused

    def _start_due(self, mask: set[int | signal.Signals]) -> None:
        for child in self._children:
            is_due = child.due_s is not None and time.monotonic() >= child.due_s
            if child.pid is None and is_due and not self._is_ending():
                self._start(child, mask)

    def _start(self, child: _Child, mask: set[int | signal.Signals]) -> None:
        sys.stdout.flush()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            # Nothing of the parent's may run in the child, not even its way out.
            os._exit(self._be(child, parent, mask))
        child.pid, child.born_s, child.due_s = pid, time.monotonic(), None

    def _be(self, child: _Child, parent: int, mask: set[int | signal.Signals]) -> int:
        """Be the role's process; give its exit status."""
        # Ctrl-C goes to the terminal's whole group; only the parent is to hear of it.
        os.setpgid(0, 0)
        _die_with(parent)
        try:
            process = child.make()
            _stop_on_signals(process, self._grace_s)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            self._on_ready(child.name)
            process.run()
        except Refusal as error:
            self._on_refused(error)
            return REFUSED_STATUS
        except Unavailable as error:
            _log.warning("the %s cannot begin: %s", child.name, error)
            return 1
        except Exception:  # noqa: BLE001 - the end of the process: nothing else would write it
            _log.exception("the %s ended: this is a bug in corbie", child.name)
            return 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
        return 0

    def _wait(self) -> None:
        """Wait for a signal or the next thing that is due."""
        got = signal.sigtimedwait(_WAITED, self._patience())
        if got is not None and got.si_signo in _STOPPING:
            self._signals += 1
            self._tell()
        if self._kill_s is not None and time.monotonic() >= self._kill_s:
            self._send(signal.SIGKILL)
        self._reap()

    def _patience(self) -> float:
        due = [child.due_s for child in self._children if child.due_s is not None]
        if self._kill_s is not None:
            due.append(self._kill_s)
        left = min(due, default=time.monotonic() + BACKOFF_MAX_S) - time.monotonic()
        # Not 0: a kill that was sent takes a moment.
        return max(left, 0.01)

    def _tell(self) -> None:
        """Hand on a signal: stop, then abort, then die."""
        if self._signals > 1:
            self._kill_s = time.monotonic() + (ABORT_S if self._signals == 2 else 0.0)
        self._send(signal.SIGTERM)

    def _send(self, number: signal.Signals) -> None:
        for child in self._children:
            if child.pid is not None:
                os.kill(child.pid, number)

    def _reap(self) -> None:
        for child in self._children:
            if child.pid is None:
                continue
            pid, status = os.waitpid(child.pid, os.WNOHANG)
            if pid:
                self._bury(child, os.waitstatus_to_exitcode(status))

    def _bury(self, child: _Child, status: int) -> None:
        """Note the end of a role's process, and when it is started again."""
        lived_s = time.monotonic() - child.born_s
        child.pid = None
        if status == REFUSED_STATUS:
            self._is_refused = True
            self._tell()
            return
        if self._is_ending():
            return
        child.delay_s = BACKOFF_FIRST_S if lived_s > BACKOFF_MAX_S else child.delay_s
        child.due_s = time.monotonic() + child.delay_s
        _log.warning(
            "the %s ended with status %s; it is started again in %.0f s",
            child.name,
            status,
            child.delay_s,
        )
        child.delay_s = min(child.delay_s * 2, BACKOFF_MAX_S)


def _die_with(parent: int) -> None:
    """Have this process killed when its parent is, however that ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        # It ended before it was asked.
        os._exit(1)


def _stop_on_signals(process: RoleProcess, grace_s: float) -> None:
    """Stop at the first signal, abort at the second or when the grace is over."""
    reader, writer = os.pipe()

    def note(number: int, frame: object) -> None:
        # A handler interrupts its own thread anywhere, also where that holds a lock: only
        # another thread may act.
        del number, frame
        os.write(writer, b"!")

    for number in _STOPPING:
        signal.signal(number, note)

    def obey() -> None:
        os.read(reader, 1)
        process.stop()
        select.select([reader], [], [], grace_s)
        process.abort()

    threading.Thread(target=obey, name="signals", daemon=True).start()
