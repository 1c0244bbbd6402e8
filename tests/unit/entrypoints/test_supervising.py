"""What a supervisor promises, on roles that are nothing but a wait."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from corbie.domain.errors import Refusal, SetupRefused
from corbie.domain.times import SECOND, Span
from corbie.entrypoints.supervising import RoleProcess, Supervisor

pytestmark = pytest.mark.slow


class Waiting:
    """A role that serves until stopped, and leaves a file that says how it ended."""

    def __init__(self, folder: Path, *, is_patient: bool) -> None:
        self._folder = folder
        self._is_patient = is_patient
        self._ended = threading.Event()

    def run(self) -> None:
        self._ended.wait(30)
        (self._folder / "ended").write_text(str(os.getpid()))

    def stop(self) -> None:
        (self._folder / "stopped").write_text("")
        if not self._is_patient:
            self._ended.set()

    def abort(self) -> None:
        (self._folder / "aborted").write_text("")
        self._ended.set()


def test_a_role_that_is_done_with_its_work_ends_at_the_first_signal(tmp_path: Path) -> None:
    assert _supervise(tmp_path, lambda: Waiting(tmp_path, is_patient=False), signals=1) == 0

    assert {path.name for path in tmp_path.iterdir()} == {"ready", "stopped", "ended"}


def test_a_second_signal_aborts_what_goes_on(tmp_path: Path) -> None:
    assert _supervise(tmp_path, lambda: Waiting(tmp_path, is_patient=True), signals=2) == 0

    assert (tmp_path / "aborted").exists()


def test_a_refused_role_ends_everything_and_is_not_tried_again(tmp_path: Path) -> None:
    def refuse() -> RoleProcess:
        with (tmp_path / "tried").open("a") as file:
            file.write("x")
        message = "no keys"
        raise SetupRefused(message)

    assert _supervise(tmp_path, refuse, signals=0) == 1

    assert (tmp_path / "tried").read_text() == "x"
    assert (tmp_path / "refused").read_text() == "no keys"


def _supervise(folder: Path, make: Callable[[], RoleProcess], *, signals: int) -> int:
    """Run a supervisor in a process of its own; give its exit status."""

    def say_ready(name: str) -> None:
        del name
        (folder / "ready").write_text("")

    def say_refused(error: Refusal) -> None:
        (folder / "refused").write_text(str(error))

    pid = os.fork()
    if pid == 0:
        supervisor = Supervisor(
            {"role": make}, grace=Span(30 * SECOND), on_ready=say_ready, on_refused=say_refused
        )
        os._exit(0 if supervisor.run() else 1)
    for number in range(signals):
        _wait_for(folder / ("ready", "stopped")[number])
        os.kill(pid, signal.SIGTERM)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _wait_for(path: Path) -> None:
    until = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
