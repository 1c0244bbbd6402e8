"""`corbie start`: roles as processes, signals, restarts, logs."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.commands import COMMAND, SLOW, Cli

pytestmark = pytest.mark.slow


def test_a_role_that_dies_is_started_again(home: Cli) -> None:
    with home.started() as parent:
        controller, _ = _children(parent.pid)
        os.kill(controller, signal.SIGKILL)
        assert parent.stdout is not None
        assert parent.stdout.readline() == "controller laptop-controller is ready\n"
        waited = home.run("run", "submit", "echo.yaml", "--input", '{"word": "hi"}', "--wait")

    assert waited.status == 0
    assert parent.returncode == 0


def test_no_role_outlives_its_parent(home: Cli) -> None:
    with home.started() as parent:
        children = _children(parent.pid)
        parent.kill()
        parent.wait(10)
        _wait_until_gone(children)


def test_the_first_signal_lets_a_job_finish(home: Cli) -> None:
    home.write("slow.js", "sleep(1500)\nreturn 'finished'\n")
    with home.started() as parent:
        home.run("run", "submit", "slow.js")
        _wait_for_job(home)
        parent.send_signal(signal.SIGTERM)
        parent.wait(20)

    assert parent.returncode == 0
    home.run("start", "--once")
    assert home.run("run", "output", "last").out == '"finished"\n'


def test_a_store_that_is_gone_holds_up_no_end(home: Cli) -> None:
    store = home.home / "store"
    with home.started("--interval", "100ms") as parent:
        shutil.rmtree(store)
        time.sleep(2.5)
        began = time.monotonic()
        parent.send_signal(signal.SIGTERM)
        parent.wait(20)

    assert parent.returncode == 0
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("how", ["a second signal", "the end of the grace"])
def test_a_second_signal_or_the_end_of_the_grace_ends_jobs(how: str, home: Cli) -> None:
    home.write("slow.js", SLOW)
    grace = "60s" if how == "a second signal" else "500ms"
    with home.started("--grace", grace) as parent:
        home.run("run", "submit", "slow.js")
        _wait_for_job(home)
        parent.send_signal(signal.SIGINT)
        if how == "a second signal":
            time.sleep(0.3)
            parent.send_signal(signal.SIGINT)
        parent.wait(20)

    home.run("start", "--once")
    shown = home.run("run", "show", "last")
    assert "failed (" in shown.out


def test_the_log_is_json_lines_away_from_a_terminal_and_tells_no_values(home: Cli) -> None:
    home.write("loud.js", 'log("the-word-of-the-log")\nthrow new Error("the-word-of-the-error")\n')
    home.run("run", "submit", "loud.js", "--input", '"the-word-of-the-input"')
    (home.home / "store" / "laptop-controller" / "inbox" / "laptop-client" / "junk").write_text("x")

    done = home.run("start", "--once")

    lines = [json.loads(line) for line in done.err.splitlines()]
    assert any("junk" in line["event"] for line in lines)
    assert all({"at", "level", "event"} <= set(line) for line in lines)
    assert "the-word-of" not in done.err


def test_one_role_alone_serves(home: Cli) -> None:
    with home.started("controller") as parent:
        assert len(_children(parent.pid)) == 1
        sent = home.run("run", "submit", "echo.yaml", "--input", '{"word": "hi"}')
        assert sent.err == ""
        with subprocess.Popen(
            [COMMAND, "start", "runner", "--once"],
            env={**os.environ, "CORBIE_HOME": str(home.home)},
        ) as runner:
            assert runner.wait(30) == 0


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return sorted(int(word) for word in text.split())


def _wait_for_job(home: Cli) -> None:
    until = time.monotonic() + 20
    while not list(home.home.glob("store/laptop-runner/taken/*/*")):
        assert time.monotonic() < until


def _wait_until_gone(pids: list[int]) -> None:
    until = time.monotonic() + 10
    while any(_is_alive(pid) for pid in pids):
        assert time.monotonic() < until


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
