"""Runs through a store: submit, read, follow, cancel, remove."""

import json
import time

import pytest

from tests.cli.commands import SLOW, Cli

pytestmark = pytest.mark.slow

HI = ("--input", '{"word": "hi"}')
DENIED = "flow: look\nstages:\n  see: {job: {script: ./see.js, allow: [fs.read]}}\n"


def test_a_run_is_followed_to_its_output_and_shown(home: Cli) -> None:
    with home.started():
        waited = home.run("run", "submit", "echo.yaml", *HI, "--wait", "--label", "team=a")

    run, output = waited.out.splitlines()
    assert (waited.status, output) == (0, 'output: "hi"')
    shown = home.run("run", "show", "last").out.splitlines()
    assert shown[0] == f"{run}  done  flow echo  step 2"
    assert shown[1:3] == ["  title: the word hi", "  label: team=a"]
    assert home.run("run", "output", run).out == '"hi"\n'
    steps = home.run("run", "show", run.partition("/")[2], "--steps").out.splitlines()
    assert [line.partition(" ")[2] for line in steps] == [
        '1 step 1 <- start {"word":"hi"}',
        "1 step 1 -> job say: a script, on laptop-runner",
        '1 step 2 <- done from say "hi"',
        "1 step 2 done",
    ]
    step = json.loads(home.run("run", "show", "last", "--step", "2").out)
    assert step["state"]["output"] == "hi"
    assert json.loads(home.run("run", "show", "last", "--json").out)["title"] == "the word hi"
    assert home.run("run", "show", "last", "--step", "9").status == 1


def test_a_run_that_failed_says_why_wherever_it_is_read(home: Cli) -> None:
    home.write("bad.js", 'log("trying")\nthrow new Error("no luck")\n')
    with home.started():
        waited = home.run("run", "submit", "bad.js", "--wait")
        watched = home.run("run", "watch", "last")

    assert (waited.status, watched.status) == (1, 1)
    run, *lines = waited.out.splitlines()
    assert lines[0] == f"{run}  failed (error)  flow bad  step 2"
    assert "  error: stage script: no luck" in lines
    assert waited.out.splitlines()[1:] == watched.out.splitlines()[-3:]
    assert home.run("run", "output", "last").status == 1
    assert home.run("run", "logs", "last").out.endswith(" script: trying\n")


def test_runs_are_listed_and_chosen(home: Cli) -> None:
    home.write("bad.js", "throw new Error('x')\n")
    with home.started():
        home.run("run", "submit", "echo.yaml", *HI, "--wait", "--label", "team=a")
        home.run("run", "submit", "bad.js", "--wait")

    everything = home.run("run", "ls").out.splitlines()
    assert [line.split("  ")[1:] for line in everything] == [
        ["done", "flow echo", "step 2", "team=a"],
        ["failed (error)", "flow bad", "step 2"],
    ]
    assert home.run("run", "ls", "--failed").out.splitlines() == everything[1:]
    assert home.run("run", "ls", "--label", "team=a").out.splitlines() == everything[:1]
    assert home.run("run", "ls", "--running").out == ""
    assert home.run("run", "ls", "--since", "1d").out.splitlines() == everything
    assert [one["status"] for one in json.loads(home.run("run", "ls", "--json").out)] == [
        "done",
        "failed",
    ]
    assert home.run("run", "ls", "--since", "yesterday").status == 2


def test_without_a_controller_the_request_stays_valid(home: Cli) -> None:
    sent = home.run("run", "submit", "echo.yaml", *HI)

    assert sent.status == 0
    assert sent.out.startswith("laptop-client/")
    assert sent.err.startswith("no controller has answered yet; valid until 2")
    assert sent.err.endswith("does it trust this client (corbie trust ls)?\n")
    assert home.run("start", "--once").status == 0
    assert home.run("run", "output", sent.out.strip()).out == '"hi"\n'
    inboxes = home.home.glob("store/*/inbox/*/*")
    assert list(inboxes) == []


def test_nobody_may_wait_longer_than_the_request_is_valid(home: Cli) -> None:
    waited = home.run("run", "submit", "echo.yaml", *HI, "--wait", "--until", "1s")

    assert waited.status == 1
    assert waited.err.endswith("error: no controller has answered yet\n")
    assert home.run("run", "submit", "echo.yaml", *HI, "--until", "0s").status == 2


def test_a_run_is_cancelled_with_all_it_started_and_removed(home: Cli) -> None:
    home.write("slow.js", SLOW)
    with home.started():
        run = home.run("run", "submit", "slow.js").out.strip()
        _wait_for(home, "job script: on laptop-runner")
        early = home.run("run", "output", "last")
        too_early = home.run("run", "rm", "last")
        cancelled = home.run("run", "cancel", "last")
        again = home.run("run", "cancel", "last")
        shown = home.run("run", "show", "last").out
        removed = home.run("run", "rm", run, "--json")
        told = home.run("run", "rm", run)

    assert early.status == too_early.status == 1
    assert "has not ended" in early.err
    assert (cancelled.status, cancelled.out) == (0, f"{run}: cancelled\n")
    assert again.status == 1
    assert shown.startswith(f"{run}  cancelled  flow slow  step ")
    assert json.loads(removed.out)["answer"] == "ok"
    assert told.out == f"{run}: will be deleted in 15m\n"


def test_logs_are_followed_until_the_run_ends(home: Cli) -> None:
    home.write("says.js", 'log("one")\nsleep(600)\nemit("news", {a: 1})\nreturn 1\n')
    with home.started():
        home.run("run", "submit", "says.js")
        followed = home.run("run", "logs", "last", "script", "-f")
        as_json = home.run("run", "logs", "last", "--json")

    texts = [line.partition(" ")[2] for line in followed.out.splitlines()]
    assert texts == ["script: one", 'script emit news: {"a":1}']
    assert [json.loads(line)["level"] for line in as_json.out.splitlines()] == ["info", "emit"]


def test_a_job_that_nobody_may_run_waits_and_says_for_which_tags(home: Cli) -> None:
    home.write("gpu.yaml", "flow: gpu\nstages:\n  a: {job: {script: ./echo.js, runner: [gpu]}}\n")
    with home.started():
        home.run("run", "submit", "gpu.yaml")
        shown = home.run("run", "show", "last")

    assert "  job a: waits for a runner; nobody has the tag gpu\n" in shown.out


def test_a_deleted_step_is_named_wherever_it_is_read(home: Cli) -> None:
    home.write("say.js", 'log("hi")\nreturn "x".repeat(70000)\n')
    home.run("run", "submit", "say.js")
    home.run("start", "--once")
    [first, second] = sorted(home.home.glob("store/*/records/*/*/steps/*"))
    kept = {path: path.read_bytes() for path in (first, second)}

    for gone, words in (
        (first, [["logs", "last"], ["logs", "last", "-f"], ["watch", "last"]]),
        (first, [["show", "last", "--steps"]]),
        (second, [["show", "last"], ["output", "last"], ["watch", "last"], ["logs", "last"]]),
    ):
        gone.unlink()
        for one in words:
            done = home.run("run", *one)
            assert done.status == 1
            assert f"error: step {int(gone.name)} of the run laptop-client/" in done.err
        gone.write_bytes(kept[gone])
    assert home.run("run", "logs", "last").out.endswith("script: hi\n")


def test_logs_of_a_job_that_the_machine_does_not_have_are_refused(home: Cli) -> None:
    home.run("run", "submit", "echo.yaml", *HI)
    home.run("start", "--once")

    done = home.run("run", "logs", "last", "sya")

    assert (done.status, done.out) == (1, "")
    assert done.err.endswith(' has no job "sya"; its jobs are say\n')
    assert home.run("run", "show", "last", "--step", "0").status == 2


def test_without_runs_the_message_says_how_to_start_one(home: Cli) -> None:
    done = home.run("run", "show", "last")

    assert (done.status, done.out) == (1, "")
    assert done.err == ("error: laptop-client has no runs yet; start one: corbie run submit FILE\n")


def test_a_run_that_does_not_exist_is_not_found(home: Cli) -> None:
    home.run("run", "submit", "echo.yaml", *HI)
    home.run("start", "--once")
    for words in (
        ["output", "abc"],
        ["cancel", "x"],
        ["logs", "laptop-client/x"],
    ):
        done = home.run("run", *words)
        assert (done.status, done.out) == (1, "")
        assert done.err.startswith("error: no run of laptop-client ends in ")


def test_an_input_that_does_not_fit_is_not_sent(home: Cli) -> None:
    done = home.run("run", "submit", "echo.yaml", "--input", '{"word": 7}')

    assert (done.status, done.out) == (1, "")
    assert "input.word" in done.err
    assert list(home.home.glob("store/*/inbox/*/*")) == []
    assert home.run("run", "submit", "echo.yaml", "--label", "team").status == 2


def test_what_a_refusal_names_mends_it(home: Cli) -> None:
    home.write("see.js", 'return require("fs").read("/etc/hostname").length > 0\n')
    home.write("look.yaml", DENIED)
    assert home.run("party", "new", "guest", "--role", "client").status == 0
    assert home.run("trust", "add", "guest").status == 0
    guest = Cli(home.root, {"CORBIE_CLIENT": "guest"})

    with home.started():
        denied = guest.run("run", "submit", "look.yaml", "--wait")
        fix = denied.out.splitlines()[-1].removeprefix("  fix: run: corbie ")
        mended = home.run(*fix.split())
        # A controller reads trust entries again every five seconds.
        until = time.monotonic() + 10
        passed = guest.run("run", "submit", "look.yaml", "--wait")
        while passed.status and time.monotonic() < until:
            passed = guest.run("run", "submit", "look.yaml", "--wait")

    assert denied.out.splitlines()[1].endswith("  failed (denied)  flow look  step 2")
    assert fix == "trust add guest --allow fs.read:/etc/hostname"
    assert mended.out == "guest  client  allow fs.read:/etc/hostname  secrets none\n"
    assert passed.out.splitlines()[-1] == "output: null"
    assert passed.status == 0


def _wait_for(cli: Cli, text: str) -> None:
    until = time.monotonic() + 20
    while text not in cli.run("run", "show", "last").out:
        assert time.monotonic() < until
