"""The warm parent as its runner sees it: started when first needed, and again if it died."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from corbie.adapters.scripts.supervisor import CANCEL
from corbie.domain.errors import SetupRefused, Unavailable

_START_S = 60.0
_END_S = 30.0

# All that programs see of the runner's environment. Certificates are where a system keeps them.
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "USER", "SSL_CERT_FILE", "SSL_CERT_DIR")

_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[3])
from corbie.adapters.scripts.zygote import main
main(int(sys.argv[1]), sys.argv[2])
"""


@dataclass(slots=True, kw_only=True)
class Wires:
    """A runner's ends of one job: its frames, and its supervisor's control line."""

    frames: socket.socket
    control: socket.socket

    def cancel(self) -> None:
        """Ask the supervisor to end the job's tree."""
        with contextlib.suppress(OSError):
            self.control.send(CANCEL)

    def close(self) -> None:
        """Let go; a supervisor that is still there kills its tree at once."""
        self.frames.close()
        self.control.close()


class WarmParent:
    """One warm parent at a time. May be used from several threads."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._folder = ""
        self._count = 0

    @property
    def pid(self) -> int | None:
        """The warm parent's process, None before the first job."""
        return self._process.pid if self._process else None

    def warm(self) -> None:
        """Start the warm parent before the first job asks for it.

        Raises:
            SetupRefused: it cannot be started.
        """
        with self._lock:
            if self._line is None:
                self._start()

    def launch(self, *, due_s: float, grace_s: float) -> Wires:
        """Have a supervisor and a job's process started.

        Raises:
            Unavailable: no process can be started here now.
        """
        with self._lock:
            for _ in range(2):
                try:
                    return self._request(due_s, grace_s)
                except OSError:
                    self._stop()
        message = "no process for a script can be started"
        raise Unavailable(message)

    def _request(self, due_s: float, grace_s: float) -> Wires:
        line = self._line or self._start()
        self._count += 1
        request = {"folder": f"job-{self._count}", "due_s": due_s, "grace_s": grace_s}
        frames, job_frames = socket.socketpair()
        control, job_control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with job_frames, job_control:
            try:
                ends = [job_frames.fileno(), job_control.fileno()]
                socket.send_fds(line, [json.dumps(request).encode()], ends)
            except OSError:
                frames.close()
                control.close()
                raise
        return Wires(frames=frames, control=control)

    def _start(self) -> socket.socket:
        mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._folder = tempfile.mkdtemp(prefix="corbie-scripts-")
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        with its:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [
                    *(sys.executable, "-I", "-c", _PROGRAM),
                    *(str(its.fileno()), self._folder, json.dumps(sys.path)),
                ],
                env={"PATH": os.defpath, "LANG": "C.UTF-8", **kept},
                pass_fds=[its.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        mine.settimeout(_START_S)
        if not mine.recv(16):
            mine.close()
            self._stop()
            message = "the process that runs scripts could not be started; its error is above"
            raise SetupRefused(message)
        mine.settimeout(None)
        self._line = mine
        return mine

    def close(self) -> None:
        """End the warm parent; jobs that are still under way are killed."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._process is not None:
            try:
                self._process.wait(_END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        if self._folder:
            # Only what a warm parent that was killed left behind.
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""


def home_of_runner() -> str:
    """Give what `~` stands for: the home of this process's user, links resolved."""
    return os.path.realpath(Path.home())
