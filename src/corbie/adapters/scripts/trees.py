"""Trees of processes: finding them in /proc, asking them to end, ending them, seeing them gone.

The caller is a child subreaper, so every orphan below it becomes its child: when it has no child
left, nothing of the tree is left.
"""

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_POLL_S = 0.001

_libc = ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """Make this process the parent of every orphan below it."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_parent(parent: int, by: signal.Signals) -> None:
    """Have the kernel signal this process as soon as its parent ends, or end now if it has."""
    _libc.prctl(_PR_SET_PDEATHSIG, by.value, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def find_descendants(root: int) -> list[int]:
    """Give the processes below one, parents first; those that end meanwhile may be missing."""
    children = _children()
    found = list(children.get(root, ()))
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


def find_children(parent: int) -> list[int]:
    """Give the processes that one is the parent of."""
    return _children().get(parent, [])


def _children() -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            parent = _read_parent(entry.name)
            if parent is not None:
                children.setdefault(parent, []).append(int(entry.name))
    return children


def _read_parent(pid: str) -> int | None:
    try:
        text = Path("/proc", pid, "stat").read_bytes()
    except OSError:
        return None
    # The name in parentheses may hold anything; the state and the parent follow the last one.
    return int(text.rpartition(b")")[2].split()[1])


def signal_all(pids: list[int], by: signal.Signals) -> None:
    """Send a signal to each that is still there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, by)


def reap(ended: Callable[[int, int], None]) -> bool:
    """Take in every child that ended, telling (pid, wait status); give whether any is left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        ended(pid, status)


def kill_all(ended: Callable[[int, int], None]) -> None:
    """End every process below this one; when this returns, none is left.

    They are stopped before they are killed, so that none starts another meanwhile.
    """
    while reap(ended):
        stopped: set[int] = set()
        while new := [pid for pid in find_descendants(os.getpid()) if pid not in stopped]:
            signal_all(new, signal.SIGSTOP)
            stopped.update(new)
        signal_all(list(stopped), signal.SIGKILL)
        time.sleep(_POLL_S)
