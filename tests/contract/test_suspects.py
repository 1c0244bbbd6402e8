"""Suspect runs, remembered over the death of the process that evaluated them."""

import os
import subprocess
import sys
from pathlib import Path

from corbie.adapters.processes import is_process, process_started
from corbie.adapters.suspects import STUCK_STATUS, NoSuspects, SuspectFolder
from corbie.domain.names import RunId

RUN = RunId("cli/20261012T210153.624Z-d2729e69f1")
DIE = """
import sys
from pathlib import Path
from corbie.adapters.suspects import SuspectFolder
suspects = SuspectFolder(folder=Path(sys.argv[1]))
assert not suspects.begin(sys.argv[2])
suspects.die()
"""


def test_the_run_under_way_at_a_death_is_a_suspect_afterwards(tmp_path: Path) -> None:
    folder = tmp_path / "suspects"

    died = subprocess.run([sys.executable, "-c", DIE, folder, RUN], check=False)
    after = SuspectFolder(folder=folder)

    assert died.returncode == STUCK_STATUS
    assert after.begin(RUN)
    assert not after.begin(RunId("cli/20261012T210153.624Z-0000000000"))


def test_a_run_that_was_cleared_is_no_suspect_any_more(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", DIE, tmp_path, RUN], check=False)

    SuspectFolder(folder=tmp_path).clear(RUN)

    assert not SuspectFolder(folder=tmp_path).begin(RUN)
    assert list(tmp_path.iterdir()) == []


def test_where_no_process_outlives_its_trial_nobody_is_a_suspect() -> None:
    suspects = NoSuspects()

    assert not suspects.begin(RUN)
    suspects.end()
    suspects.clear(RUN)


def test_a_process_is_told_from_a_later_one_of_its_number() -> None:
    me = os.getpid()
    started = process_started(me)

    assert started
    assert is_process(me, started)
    assert not is_process(me, started + "1")


def test_a_process_that_ended_is_none_even_before_its_parent_asks() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    started = process_started(child.pid)
    running = is_process(child.pid, started)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

    assert running
    assert not is_process(child.pid, started)
    child.communicate()
