"""A controller beside damaged files, hostile messages, and steps whose effects do not fit."""

from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from corbie.app.client.submit import Sent
from corbie.app.files.blobs import Home
from corbie.app.files.standing import PassTooLong
from corbie.domain.errors import StoreUnavailable
from corbie.domain.names import MessageName
from corbie.domain.orders import JobOutcome
from corbie.domain.paths import StorePath, message_path
from corbie.domain.records import CancelMessage
from corbie.domain.times import HOUR, MINUTE, Span
from tests.simulation.plan import ONE, bundle_of
from tests.simulation.world import CARDS, CLIENT, CONTROLLER
from tests.unit.app.bench import Bench, Copy
from tests.unit.app.failing import FailingStore

LARGE = {"n": 1, "text": "x" * 100_000}


def keep_over(bench: Bench) -> None:
    """Let both looks of a deletion come."""
    for _ in range(4):
        bench.pass_time(Span(HOUR))
        bench.cycle.run_pass()


def ended(bench: Bench, given: object = None) -> Sent:
    """Give a run that ended."""
    sent = bench.submit(given)  # type: ignore[arg-type]  # a test's value
    bench.finish(sent, bench.copy())
    return sent


def test_a_deletion_that_broke_off_is_done_to_its_end() -> None:
    bench = Bench()
    deleted: list[StorePath] = []

    def fails(what: str, path: StorePath) -> bool:
        deleted.extend([path] if what == "delete" and "/records/" in path else [])
        return len(deleted) == 4

    sent = ended(bench, LARGE)
    bench.cycle = bench.make_controller("C1", FailingStore(bench.store, fails)).cycle()
    for _ in range(8):
        bench.pass_time(Span(HOUR))
        try:
            bench.cycle.run_pass()
        except StoreUnavailable:
            bench.cycle = bench.make_controller("C2").cycle()

    assert len(deleted) == 4
    assert not [path for path in bench.paths("ctl") if sent.run in path]


def test_an_ended_run_whose_newest_step_is_damaged_is_deleted_all_the_same() -> None:
    bench = Bench()
    sent = ended(bench)
    steps = bench.paths(f"ctl/records/{sent.run}/steps")
    bench.store.write(steps[-1], b"nonsense")
    bench.cycle = bench.make_controller("C2").cycle()
    keep_over(bench)

    assert not [path for path in bench.paths("ctl") if sent.run in path]


def test_a_running_status_that_cannot_be_enacted_holds_up_no_other_run() -> None:
    bench = Bench()
    first = bench.submit()
    bench.store.write(StorePath(f"ctl/running/{first.run}"), b"nonsense")
    bench.cycle = bench.make_controller("C2").cycle()
    second = bench.submit()
    bench.finish(second, bench.copy())

    assert bench.status(second.run) == "done"


def test_a_step_whose_job_does_not_fit_its_message_fails_the_run() -> None:
    bench = Bench()
    names = {f"f{index}.js": "return 1" for index in range(1500)}
    calls = "; ".join(f'require("./{name}")' for name in names)
    sent = submit_many_files(bench, names, calls)
    other = bench.submit()
    bench.finish(other, bench.copy())

    assert bench.status(other.run) == "done"
    assert bench.status(sent.run) == "failed"
    assert "does not fit" in (bench.observer.newest_step(sent.run).state.failure or "").error  # type: ignore[union-attr]  # it failed


def submit_many_files(bench: Bench, names: dict[str, str], script: str) -> Sent:
    """Submit a run whose only job needs all these files."""
    bundle = bundle_of(ONE)
    machine = replace(bundle.machine, requires={"a.js": tuple(names)})
    full = replace(bundle, machine=machine, texts={"a.js": script, **names})
    sent = bench.submitter.submit(full, {"n": 1})
    bench.cycle.run_pass()
    bench.cycle.run_pass()
    return sent


@pytest.mark.parametrize("name", ["elsewhere", "20261012T210153.624Z-d2729e69f1~cancel"])
def test_a_cancel_not_named_by_its_run_is_deleted_and_leaves_no_receipt(name: str) -> None:
    bench = Bench()
    sent = bench.submit()
    path = message_path(CONTROLLER, CLIENT, MessageName(name))
    data = bench.client_files.compose(
        path, CancelMessage(run=sent.run), readers=[CARDS[CONTROLLER]], until=sent.until
    )
    bench.store.write_new(path, data)
    bench.cycle.run_pass()

    assert [PurePosixPath(one).name for one in bench.paths("ctl/receipts")] == [sent.message]
    assert not bench.paths("ctl/inbox")


def report(copy: Copy, sent: Sent, job: str, outcome: JobOutcome) -> None:
    """Say as the runner how a job ended."""
    copy.reporter.write_result(CONTROLLER, job, sent.run, outcome)  # type: ignore[arg-type]  # a test's word


def test_results_that_do_not_fit_one_step_are_taken_by_several() -> None:
    bench = Bench()
    stages = "".join(f"  s{index}: {{ job: {{ script: a.js }} }}\n" for index in range(40))
    text = f"flow: wide\nkeep: 10m\nstages:\n{stages}"
    sent = bench.submit(text=text)
    copy = bench.copy()
    for path in bench.paths("run1/inbox"):
        outcome = JobOutcome(status="done", output="x" * 60_000, stack="y" * 150_000)
        report(copy, sent, PurePosixPath(path).name, outcome)
    for _ in range(10):
        bench.cycle.run_pass()

    assert bench.status(sent.run) == "done"


def test_a_flood_of_messages_is_taken_in_parts() -> None:
    bench = Bench()
    sent = bench.submit()
    for index in range(3000):
        bench.store.write_new(StorePath(f"ctl/inbox/nobody/m{index}"), b"nonsense")
    bench.submitter.cancel(sent.run)
    reads: list[StorePath] = []

    def fails(what: str, path: StorePath) -> bool:
        reads.extend([path] if what == "read" else [])
        return False

    bench.cycle = bench.make_controller("C2", FailingStore(bench.store, fails)).cycle()
    result = bench.cycle.run_pass()

    assert result.is_busy
    assert len(reads) < 2500
    assert bench.status(sent.run) == "cancelled"


def test_time_is_kept_while_nothing_happens() -> None:
    bench = Bench()
    sent = ended(bench)
    bench.pass_time(Span(5 * MINUTE))
    bench.cycle.run_pass()

    assert bench.status(sent.run) == "done"


def test_a_definition_without_its_script_is_refused_to_its_client() -> None:
    bench = Bench()
    sent = bench.submitter.submit(replace(bundle_of(ONE), texts={}), {"n": 1})
    bench.cycle.run_pass()

    assert bench.status(sent.run) == "refused"
    assert "cannot be read" in (bench.submitter.read_receipt(sent) or "")
    assert not bench.paths("ctl/inbox")


@pytest.mark.parametrize("pointer", ["/input/at/²/x", f"/input/at/{'9' * 5000}/x"])
def test_a_message_whose_pointer_leads_nowhere_is_deleted_alone(pointer: str) -> None:
    bench = Bench()
    sent = bench.submitter.submit(bundle_of(ONE), {**LARGE, "at": []})
    path = message_path(CONTROLLER, CLIENT, sent.message)
    opened = bench.controller.party.files().open(
        path, bench.store.read(path).data, card=CARDS[CLIENT]
    )  # type: ignore[union-attr]  # it is there
    ref, at, stored = bench.client_blobs.prepare(Home(controller=CONTROLLER, run=sent.run), b"1")
    bench.store.write_new(at, stored)
    hostile = replace(opened.record, large={pointer: ref})  # type: ignore[type-var]  # a start
    data = bench.client_files.compose(path, hostile, readers=[CARDS[CONTROLLER]], until=sent.until)
    bench.store.write(path, data)
    other = bench.submit()

    assert not bench.paths("ctl/inbox")
    assert bench.status(other.run) == "running"


def test_a_first_step_that_lands_after_its_run_was_deleted_is_taken_back() -> None:
    bench = Bench()
    zombie = bench.make_controller("C2", Sleeper(bench))
    sent = bench.submitter.submit(bundle_of(ONE), {"n": 1})
    with pytest.raises(PassTooLong):
        zombie.cycle().run_pass()

    assert not [path for path in bench.paths("ctl/records") if sent.run in path]


class Sleeper(FailingStore):
    """A store whose user is suspended as it writes a step, until the run was deleted."""

    def __init__(self, bench: Bench) -> None:
        """Hold who goes on meanwhile."""
        super().__init__(bench.store, self.sleep)
        self._bench = bench
        self._has_slept = False

    def sleep(self, what: str, path: StorePath) -> bool:
        """Let the others end and delete every run, before the first step is written."""
        if what == "write" and "/steps/" in path and not self._has_slept:
            self._has_slept = True
            bench = self._bench
            bench.cycle.run_pass()
            copy = bench.copy()
            for _ in range(3):
                copy.cycle.run_pass()
                copy.work()
                bench.cycle.run_pass()
            keep_over(bench)
            assert not bench.paths("ctl/records")
        return False
