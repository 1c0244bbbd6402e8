"""kill -9 a runner, cancel and time out: the job fails, never runs again, nothing is left."""

from pathlib import Path

import pytest

from corbie import Corbie
from tests.crash.home import is_process, kill, make_home, started, wait_until

STUBBORN = """
require("fs").append(input.folder + "/ran", "once\\n");
require("exec").run("sh", ["-c",
  "trap '' TERM; (setsid sh -c 'trap \\"\\" TERM; echo $$ >> pids; sleep 300') & " +
  "echo $$ >> pids; while true; do sleep 1; done"], { cwd: input.folder });
"""
FLOW = """
flow: stubborn
allow: ["fs.write:{folder}/**", "fs.read:{folder}/**", "exec:sh"]
stages:
  hold: {{ job: {{ script: ./stubborn.js, timeout: {timeout}, input: {{ folder: "{folder}" }} }} }}
"""

pytestmark = pytest.mark.slow


def write_flow(folder: Path, timeout: str = "5m") -> Path:
    """Write the definition and its script, which starts a grandchild that will not end."""
    (folder / "stubborn.js").write_text(STUBBORN)
    path = folder / "stubborn.yaml"
    path.write_text(FLOW.format(folder=folder, timeout=timeout))
    return path


def wait_for_grandchildren(folder: Path) -> list[int]:
    """Give the processes that the script started, once both run."""
    pids = folder / "pids"
    wait_until(lambda: pids.exists() and pids.read_text().count("\n") == 2, "the script begins")
    return [int(line) for line in pids.read_text().split()]


def require_gone(numbers: list[int]) -> None:
    """Check that none of these processes is left."""
    wait_until(lambda: not any(is_process(one) for one in numbers), "the processes are gone")


@pytest.fixture
def corbie(tmp_path: Path) -> Corbie:
    """Give a client of a home below the test's folder."""
    return make_home(tmp_path / "home")


def test_a_killed_runners_job_fails_saying_so_and_is_not_run_again(
    tmp_path: Path, corbie: Corbie
) -> None:
    home = tmp_path / "home"
    with started(home, "controller"):
        with started(home, "runner") as runner:
            run = corbie.submit(write_flow(tmp_path))
            processes = wait_for_grandchildren(tmp_path)
            kill(runner)
        with started(home, "runner"):
            outcome = run.wait(timeout=30)

    assert outcome.status == "failed"
    assert outcome.failure is not None
    expected = "stage hold: the runner stopped while this job was running"
    assert outcome.failure.error == expected
    assert (tmp_path / "ran").read_text() == "once\n"
    require_gone(processes)


def test_a_cancelled_scripts_grandchildren_are_gone(tmp_path: Path, corbie: Corbie) -> None:
    home = tmp_path / "home"
    with started(home):
        run = corbie.submit(write_flow(tmp_path))
        processes = wait_for_grandchildren(tmp_path)
        answer = corbie.cancel(run.id)
        outcome = run.wait(timeout=30)
        require_gone(processes)

    assert (answer, outcome.status) == ("ok", "cancelled")


def test_a_timed_out_scripts_grandchildren_are_gone(tmp_path: Path, corbie: Corbie) -> None:
    home = tmp_path / "home"
    with started(home):
        run = corbie.submit(write_flow(tmp_path, timeout="2s"))
        processes = wait_for_grandchildren(tmp_path)
        outcome = run.wait(timeout=40)
        require_gone(processes)

    assert outcome.failure is not None
    assert outcome.failure.status == "timeout"
