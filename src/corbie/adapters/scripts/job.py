"""One script job, inside its own process: limits, order, engine, outcome."""

import contextlib
import json
import os
import resource
import socket
from dataclasses import dataclass
from typing import NoReturn

from corbie.adapters.scripts.engine import Engine
from corbie.adapters.scripts.exits import Exits
from corbie.adapters.scripts.frames import WHOLE_BYTES_MAX, receive_frame, send_frame
from corbie.domain.permissions import Layer, Refusal

MEMORY_BYTES_MAX = 4 * 1024**3
"""Addresses a job's process may use; what a script's own values use is limited by the engine."""

PATH_BYTES_MAX = 4096

FILE_BYTES_MAX = 16 * 1024**3

LOG_BYTES_MAX = 64 * 1024 * 1024
"""What a job may log in all; as much as it may hand over whole."""


@dataclass(slots=True)
class Reports:
    """The way from a job's process to its runner."""

    frames: socket.socket
    _logged: int = 0

    def say(self, level: str, value: str, name: str | None = None) -> None:
        """Hand over a log line or an emitted value, as JSON text."""
        if level != "emit":
            self._logged += len(value)
            if self._logged > LOG_BYTES_MAX:
                self.end(
                    status="limit", error=f"the script logged more than {LOG_BYTES_MAX >> 20} MiB"
                )
        head = f'{{"kind":"said","level":{json.dumps(level)},"name":{json.dumps(name)},"value":'
        send_frame(self.frames, head + value + "}")

    def finish(self, output: str) -> NoReturn:
        """Hand over the output, a JSON text, and end the process."""
        if len(output.encode()) > WHOLE_BYTES_MAX:
            limit = WHOLE_BYTES_MAX >> 20
            self.end(status="error", error=f"the output is larger than {limit} MiB as JSON")
        send_frame(self.frames, f'{{"kind":"outcome","status":"done","output":{output}}}')
        os._exit(0)

    def end(self, **outcome: object) -> NoReturn:
        """Hand over another outcome and end the process: no line of the script runs after it."""
        with contextlib.suppress(OSError):
            send_frame(self.frames, json.dumps({"kind": "outcome", **outcome}))
        os._exit(0)

    def deny(self, refusal: Refusal) -> NoReturn:
        """End the job as denied."""
        self.end(
            status="denied",
            error=f"the script may not: {refusal.refused}",
            refused=refusal.refused,
            layer=refusal.layer,
            fix=refusal.fix,
        )


def run_job(line: socket.socket) -> None:
    """Make everything ready, wait for a job, run its script, hand over how it ended.

    The warm parent sends the path of the job's folder, with the descriptor of its frames. The
    supervisor removes the folder.
    """
    _limit()
    engine = Engine()
    folder, descriptors, _, _ = socket.recv_fds(line, PATH_BYTES_MAX, 1)
    line.close()
    if not folder:
        os._exit(0)
    os.mkdir(folder, 0o700)  # noqa: PTH102 - a path of bytes
    os.chdir(folder)
    os.environ["TMPDIR"] = folder.decode()
    frames = socket.socket(fileno=descriptors[0])
    frames.set_inheritable(False)
    order = receive_frame(frames)
    if order is None:
        return
    told = json.loads(order)
    reports = Reports(frames)
    layers = tuple(
        Layer(
            says=layer["says"],
            fix=layer["fix"],
            allow=None if layer["allow"] is None else tuple(layer["allow"]),
            deny=tuple(layer["deny"]),
        )
        for layer in told["layers"]
    )
    exits = Exits(layers=layers, home=told["home"], variables=told["variables"], deny=reports.deny)
    engine.run(told, exits, reports)


def _limit() -> None:
    """Bound what the process may use, and give it nothing to say outside its frames."""
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, MEMORY_BYTES_MAX),
        (resource.RLIMIT_FSIZE, FILE_BYTES_MAX),
    ):
        hard = resource.getrlimit(what)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (bound, bound))
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
