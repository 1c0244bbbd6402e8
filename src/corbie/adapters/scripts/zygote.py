"""The warm parent: one thread, everything imported, forking a supervisor for each job.

It is a program of its own, started by `pool.py`. It reads requests from one socket, each with two
descriptors: the job's end of its frames, and the supervisor's end of the control line.
"""

import contextlib
import gc
import importlib
import json
import os
import posixpath
import selectors
import shutil
import signal
import socket
from dataclasses import dataclass
from pathlib import Path

from corbie.adapters.scripts import trees
from corbie.adapters.scripts.engine import preload_shapes
from corbie.adapters.scripts.job import run_job
from corbie.adapters.scripts.supervisor import REQUEST_BYTES_MAX, stand_by

READY = b"ready"

# A fork copies page tables while it holds them: not while the job just begun starts.
_SPARE_S = 0.004

# Imported one by one while no job waits, so that the first jobs need not wait for all of them.
_WARM = ("selectolax.lexbor", "httpx", "corbie.adapters.scripts.modules.http")


def main(line: int, folder: str) -> None:
    """Serve until the runner closes the line, which it also does by dying; then leave nothing."""
    Path(folder).mkdir(0o700, parents=True, exist_ok=True)
    preload_shapes()
    parent = _WarmParent(socket.socket(fileno=line), folder)
    warm = list(_WARM)
    gc.freeze()
    parent.runner.send(READY)
    with selectors.DefaultSelector() as selector:
        selector.register(parent.runner, selectors.EVENT_READ)
        selector.register(parent.wake_in, selectors.EVENT_READ)
        while True:
            timeout_s = 0 if warm else (_SPARE_S if parent.spare is None else None)
            ready = {key.fd for key, _ in selector.select(timeout_s)}
            if not ready and warm:
                importlib.import_module(warm.pop(0))
                gc.freeze()
            elif not ready:
                parent.spare = parent.fork_supervisor()
            if parent.wake_in in ready:
                parent.tidy()
            if parent.runner.fileno() in ready and not parent.serve():
                break
    parent.end()
    shutil.rmtree(folder, ignore_errors=True)


@dataclass(slots=True)
class _Spare:
    """A supervisor whose job's process waits for a job, and the lines to send both of them one."""

    pid: int
    line: socket.socket
    job_line: socket.socket

    def close(self) -> None:
        """Send them nothing more."""
        self.line.close()
        self.job_line.close()


class _WarmParent:
    """The supervisors under way, and the spare one."""

    def __init__(self, runner: socket.socket, folder: str) -> None:
        runner.set_inheritable(False)
        trees.adopt_orphans()
        self.runner = runner
        self.spare: _Spare | None = None
        self._folder = folder
        self._supervisors: set[int] = set()
        self._lifeline, self._alive = os.pipe2(os.O_CLOEXEC)
        self.wake_in, self._wake_out = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(self._wake_out, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _ignore)

    def fork_supervisor(self) -> _Spare:
        """Start a supervisor; at this moment there is no other spare whose line it could keep."""
        mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        job_mine, job_its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pid = os.fork()
        if pid:
            its.close()
            job_its.close()
            self._supervisors.add(pid)
            return _Spare(pid, mine, job_mine)
        try:
            signal.set_wakeup_fd(-1)
            mine.close()
            job_mine.close()
            self.runner.close()
            for descriptor in (self._alive, self.wake_in, self._wake_out):
                os.close(descriptor)
            stand_by(its, job_its, self._lifeline, run_job)
        finally:
            os._exit(0)

    def serve(self) -> bool:
        """Hand one request on to a supervisor; give whether the runner may have more."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.runner, REQUEST_BYTES_MAX, 2)
        except OSError:
            return False
        if not data:
            return False
        request = json.loads(data)
        request["folder"] = posixpath.join(self._folder, request["folder"])
        spare = self.spare or self.fork_supervisor()
        self.spare = None
        frames, control = descriptors
        # One that was killed cannot take it; the closed descriptors tell the runner.
        with contextlib.suppress(OSError):
            socket.send_fds(spare.line, [json.dumps(request).encode()], [control])
            socket.send_fds(spare.job_line, [request["folder"].encode()], [frames])
        spare.close()
        for descriptor in descriptors:
            os.close(descriptor)
        return True

    def tidy(self) -> None:
        """Take in supervisors that ended; what one that was killed left behind is killed too."""
        os.read(self.wake_in, 4096)
        strange: list[int] = []

        def note_end(pid: int, status: int) -> None:
            if status or pid not in self._supervisors:
                strange.append(pid)
            self._supervisors.discard(pid)

        trees.reap(note_end)
        if self.spare is not None and self.spare.pid not in self._supervisors:
            self.spare.close()
            self.spare = None
        if strange:
            for orphan in set(trees.find_children(os.getpid())) - self._supervisors:
                trees.signal_all([orphan, *trees.find_descendants(orphan)], signal.SIGKILL)

    def end(self) -> None:
        """Have every supervisor kill its tree, and wait for that."""
        if self.spare is not None:
            self.spare.close()
        os.close(self._alive)
        for pid in self._supervisors:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _ignore(*_: object) -> None:
    """Take SIGCHLD, so that it wakes the selector."""
