"""What is left of a job's processes, however it ends: nothing. Real processes, real signals."""

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from corbie.adapters.scripts.host import ProcessScriptHost
from corbie.adapters.scripts.trees import find_children, find_descendants
from corbie.domain.orders import JobOutcome
from corbie.domain.times import SECOND, Span
from tests.contract.script_orders import (
    WallClock,
    an_order,
    find_processes,
    has_ended,
    run_script,
    wait_until,
)

# A shell deaf to TERM, which starts another in a session of its own as an orphan, and so on.
DAEMON = """
trap "" TERM
if [ "$2" -gt 0 ]; then (setsid sh "$0" "$1" $(($2 - 1)) &); fi
while :; do sleep 1; done
"""
DAEMONS = 3
RUN_DAEMONS = 'require("exec").run("sh", [input.file, input.mark, 2])'
ALLOWED = ("exec:sh",)


@pytest.fixture
def host():
    host = ProcessScriptHost(clock=WallClock(), grace=Span(SECOND))
    yield host
    host.close()


@pytest.fixture
def mark():
    return f"mark-{secrets.token_hex(6)}"


@pytest.fixture
def given(tmp_path, mark):
    file = tmp_path / "daemon.sh"
    file.write_text(DAEMON)
    return {"file": str(file), "mark": mark}


def start(host, source, given):
    """Run a script in a thread; give the thread and its outcomes."""
    outcomes = []
    order = an_order(ALLOWED, given=given)
    thread = threading.Thread(
        target=lambda: outcomes.append(host.run(order, {"get.js": source}, lambda _: None))
    )
    thread.start()
    return thread, outcomes


def are_up(mark):
    return len(find_processes(mark)) == DAEMONS


def test_cancel_ends_daemons_that_are_deaf_to_term(host, mark, given):
    thread, outcomes = start(host, RUN_DAEMONS, given)
    assert wait_until(lambda: are_up(mark))

    host.cancel("ada.run.1.0")
    thread.join(10)

    assert find_processes(mark) == []
    assert outcomes[0].status == "cancelled"


def test_a_timeout_ends_daemons_that_are_deaf_to_term(host, mark, given):
    outcome, _ = run_script(host, RUN_DAEMONS, ALLOWED, given=given, due_s=1.5)

    assert outcome.status == "timeout"
    assert find_processes(mark) == []


def test_what_a_finished_script_left_behind_is_ended_before_its_outcome(host, mark):
    source = """require("exec").run("sh", ["-c", `setsid sleep 600 ${input} >/dev/null 2>&1 &`]);
        return 1"""

    outcome, _ = run_script(host, source, ALLOWED, given=mark)

    assert outcome.output == 1
    assert find_processes(mark) == []


def test_a_program_that_takes_term_has_time_to_tidy(host, mark, tmp_path):
    told = tmp_path / "told"
    file = tmp_path / "tidy.sh"
    file.write_text(f"trap 'sleep 0.2; echo tidy > {told}; exit' TERM; touch $2; sleep 60 & wait")
    ready = tmp_path / "ready"
    source = 'require("exec").run("sh", input)'
    thread, _ = start(host, source, [str(file), mark, str(ready)])
    assert wait_until(ready.exists)

    host.cancel("ada.run.1.0")
    thread.join(10)

    assert told.read_text() == "tidy\n"


def test_kill_9_of_the_warm_parent_ends_every_tree_and_the_next_job_runs(host, mark, given):
    thread, outcomes = start(host, RUN_DAEMONS, given)
    assert wait_until(lambda: are_up(mark))

    os.kill(host.warm_pid, signal.SIGKILL)
    thread.join(10)

    assert find_processes(mark) == []
    assert outcomes[0].status == "error"
    assert "warm parent" in outcomes[0].error
    assert run_script(host, "return 1")[0].output == 1


def test_kill_9_of_a_supervisor_ends_its_tree_and_the_next_job_runs(host, mark, given):
    thread, outcomes = start(host, RUN_DAEMONS, given)
    assert wait_until(lambda: are_up(mark))
    shells = set(find_processes(mark))

    busy = [one for one in find_children(host.warm_pid) if shells & set(find_descendants(one))]
    os.kill(busy[0], signal.SIGKILL)
    thread.join(10)

    assert wait_until(lambda: find_processes(mark) == [])
    assert "supervisor" in outcomes[0].error
    assert run_script(host, "return 1")[0].output == 1


RUNNER = """
import json
import sys
from tests.contract.script_orders import WallClock, an_order
from corbie.adapters.scripts.host import ProcessScriptHost
host = ProcessScriptHost(clock=WallClock())
sources = {"get.js": sys.argv[1]}
host.run(an_order(("exec:sh",), given=json.loads(sys.stdin.read())), sources, print)
"""


def test_kill_9_of_the_runner_ends_everything_and_leaves_no_file(mark, given, tmp_path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    paths = os.pathsep.join(sys.path)
    runner = subprocess.Popen(
        [sys.executable, "-c", RUNNER, RUN_DAEMONS],
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
    )
    runner.stdin.write(json.dumps(given).encode())
    runner.stdin.close()
    assert wait_until(lambda: are_up(mark), 20)
    below = find_descendants(runner.pid)

    runner.kill()
    runner.wait()

    assert wait_until(lambda: find_processes(mark) == [])
    assert wait_until(lambda: all(has_ended(pid) for pid in below))
    assert wait_until(lambda: list(temporary.iterdir()) == [])


@pytest.mark.parametrize(
    ("blow", "says"),
    [
        ("SEGV", "was ended by signal 11"),
        ("KILL", "was ended by signal 9, perhaps for want of memory"),
        ("STOP", "was not done when it was due"),
    ],
)
def test_a_process_that_ends_without_an_outcome_says_how(host, blow, says):
    source = f"require('exec').run('sh', ['-c', 'kill -{blow} $PPID; sleep 60'])"

    outcome, _ = run_script(host, source, ALLOWED, due_s=2)

    assert says in outcome.error


def test_closing_ends_jobs_under_way(mark, given):
    host = ProcessScriptHost(clock=WallClock(), grace=Span(SECOND))
    thread, outcomes = start(host, RUN_DAEMONS, given)
    assert wait_until(lambda: are_up(mark))
    warm = host.warm_pid

    host.close()
    thread.join(10)

    assert outcomes[0].status == "cancelled"
    assert find_processes(mark) == []
    assert has_ended(warm)


def count_descriptors(pid):
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def test_two_hundred_jobs_leave_no_process_descriptor_or_file():
    host = ProcessScriptHost(clock=WallClock())
    before = set(Path(tempfile.gettempdir()).glob("corbie-scripts-*"))
    run_script(host, "return 1")
    (folder,) = set(Path(tempfile.gettempdir()).glob("corbie-scripts-*")) - before
    warm = host.warm_pid
    # The spare supervisor and its job's process are there whenever the warm parent is idle.
    assert wait_until(lambda: len(find_descendants(warm)) == 2)
    mine, its = count_descriptors("self"), count_descriptors(warm)

    outcomes = [run_script(host, "emit(1); return 1")[0] for _ in range(200)]

    assert outcomes == [JobOutcome(status="done", output=1, emitted=1)] * 200
    assert list(folder.iterdir()) == []
    assert wait_until(lambda: len(find_descendants(warm)) == 2)
    assert (count_descriptors("self"), count_descriptors(warm)) == (mine, its)
    below = find_descendants(warm)
    host.close()
    assert all(has_ended(pid) for pid in [warm, *below])
    assert not folder.exists()


def test_a_job_sees_no_environment_descriptor_or_folder_of_its_runner():
    source = """
        const run = (line) => require("exec").run("sh", ["-c", line]).stdout.trim().split("\\n");
        const env = run("env | cut -d= -f1 | sort");
        return { env, fds: run("ls /proc/self/fd"), at: run("pwd") };
    """
    host = ProcessScriptHost(clock=WallClock(), environment={"CORBIE_SECRET": "x"})

    outcome, _ = run_script(host, source, ALLOWED)
    host.close()

    allowed = {"PATH", "HOME", "LANG", "LC_ALL", "USER", "PWD", "TMPDIR", "SHLVL", "_", "OLDPWD"}
    assert set(outcome.output["env"]) <= allowed | {"SSL_CERT_FILE", "SSL_CERT_DIR"}
    # The three standard ones, and the folder that ls reads.
    assert outcome.output["fds"] == ["0", "1", "2", "3"]
    assert not Path(outcome.output["at"][0]).exists()


def test_the_runner_imports_no_library_of_a_module():
    source = (
        "import sys; import corbie.adapters.scripts.host;"
        "print([m for m in ('httpx', 'selectolax', 'quickjs') if m in sys.modules])"
    )

    ended = subprocess.run([sys.executable, "-c", source], capture_output=True, check=True)

    assert ended.stdout == b"[]\n"
