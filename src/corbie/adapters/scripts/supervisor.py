"""The supervisor of one job: the process between the warm parent and the job's own.

It starts the job's process, ends the whole tree when the job is over, is told to, is late, or the
runner or the warm parent is gone, and says on its control line how the job's process ended.
"""

import contextlib
import json
import os
import selectors
import shutil
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from corbie.adapters.scripts import trees

CANCEL = b"c"


REQUEST_BYTES_MAX = 4096


@dataclass(slots=True, kw_only=True)
class Launch:
    """What a supervisor is told of its job.

    `control` is its end of the control line; `lifeline` is readable when the warm parent is gone.
    `folder` is the job's own. Times are in seconds.
    """

    control: socket.socket
    lifeline: int
    folder: str
    due_s: float
    grace_s: float


@dataclass(slots=True)
class _Watch:
    """How things stand: why the tree is being ended, when it is killed, how the job ended."""

    job: int
    why: str = ""
    kill_at: float | None = None
    status: int | None = None

    def note_end(self, pid: int, status: int) -> None:
        if pid == self.job:
            self.status = status


def stand_by(
    line: socket.socket,
    job_line: socket.socket,
    lifeline: int,
    run_job: Callable[[socket.socket], None],
) -> None:
    """Start a job's process, wait for a job, see it to its end, and say how it ended.

    The warm parent tells both at once: this process what to watch for, with the control line;
    the job's where its folder is, with its frames. Untold, both end.
    """
    trees.adopt_orphans()
    wake_in, wake_out = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake_out, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _ignore)
    me = os.getpid()
    job = os.fork()
    if job == 0:
        signal.set_wakeup_fd(-1)
        for end in (wake_in, wake_out, lifeline, line.detach()):
            os.close(end)
        _become_job(job_line, me, run_job)
    job_line.close()
    data, descriptors, _, _ = socket.recv_fds(line, REQUEST_BYTES_MAX, 1)
    line.close()
    if data:
        control = socket.socket(fileno=descriptors[0])
        launch = Launch(control=control, lifeline=lifeline, **json.loads(data))
        _see_to_end(launch, job, wake_in)


def _see_to_end(launch: Launch, job: int, wake: int) -> None:
    due_at = time.monotonic() + launch.due_s
    watch = _Watch(job)
    with selectors.DefaultSelector() as selector:
        for end in (wake, launch.control, launch.lifeline):
            selector.register(end, selectors.EVENT_READ)
        while trees.reap(watch.note_end):
            until = _go_on(watch, launch, due_at)
            if time.monotonic() >= until:
                trees.kill_all(watch.note_end)
                break
            ready = {key.fd for key, _ in selector.select(until - time.monotonic())}
            if wake in ready:
                os.read(wake, 4096)
            if launch.lifeline in ready:
                watch.why, watch.kill_at = "lost", 0.0
            if launch.control.fileno() in ready:
                _obey(watch, launch.control)
    _remove(launch.folder)
    report = json.dumps({"status": watch.status, "why": watch.why})
    with contextlib.suppress(OSError):
        launch.control.sendall(report.encode())


def _ignore(*_: object) -> None:
    """Take SIGCHLD, so that it wakes the selector."""


def _become_job(
    line: socket.socket, parent: int, run_job: Callable[[socket.socket], None]
) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    trees.end_with_parent(parent, signal.SIGKILL)
    os.setsid()
    try:
        run_job(line)
    finally:
        os._exit(70)


def _go_on(watch: _Watch, launch: Launch, due_at: float) -> float:
    """Ask the tree to end as soon as there is a reason; give when it is killed, or when it is due.

    The job's own end is a reason too: what it left behind ends with it.
    """
    if not watch.why and watch.status is not None:
        watch.why = "over"
    if not watch.why and time.monotonic() >= due_at:
        watch.why = "timeout"
    if not watch.why:
        return due_at
    if watch.kill_at is None:
        watch.kill_at = time.monotonic() + launch.grace_s
        below = trees.find_descendants(os.getpid())
        trees.signal_all(below, signal.SIGTERM)
        # A stopped process acts on nothing but SIGKILL until it goes on.
        trees.signal_all(below, signal.SIGCONT)
    return watch.kill_at


def _obey(watch: _Watch, control: socket.socket) -> None:
    """Take an order to cancel; a runner that is gone wants everything gone at once."""
    try:
        order = control.recv(64)
    except OSError:
        order = b""
    if not order:
        watch.why, watch.kill_at = "lost", 0.0
    elif CANCEL in order and not watch.why:
        watch.why = "cancelled"


def _remove(folder: str) -> None:
    """Remove the job's folder, folders in it that nobody may enter included."""
    with contextlib.suppress(OSError):
        Path(folder).rmdir()
        return
    shutil.rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        return
    for path, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            Path(path).chmod(0o700)
            for entry in os.scandir(path):
                if entry.is_dir(follow_symlinks=False):
                    Path(entry.path).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
