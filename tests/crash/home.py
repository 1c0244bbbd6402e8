"""A home that is set up, and real `corbie start` processes on it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from corbie import Corbie
from corbie.entrypoints.settings import read_settings
from corbie.entrypoints.setup import initialise

COMMAND = [str(Path(sys.executable).with_name("corbie"))]
PATIENCE_S = 30.0


def make_home(folder: Path) -> Corbie:
    """Set up in a folder; give a client."""
    flags = {"home": str(folder)}
    initialise(read_settings(flags=flags, environment={}, is_terminal=False).settings, name="crash")
    return Corbie(config=flags)


@contextmanager
def started(home: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run `corbie start` until the block ends; it is ready when the block begins."""
    environment = {**os.environ, "CORBIE_HOME": str(home)}
    process = subprocess.Popen(
        [*COMMAND, "start", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        roles = [word for word in words if word in {"controller", "runner"}] or ["both", "roles"]
        for _ in roles:
            assert "is ready" in process.stdout.readline()
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen[str]) -> None:
    """kill -9 a supervisor and the processes of its session."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    """Wait until something is so, half a minute at most."""
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end, f"it took too long: {what}"
        time.sleep(0.02)


def is_process(number: int) -> bool:
    """Tell whether a process runs, zombies not among them."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}
