"""A runner's claims when the store fails half-way, and beside another copy."""

from pathlib import PurePosixPath

import pytest

from corbie.domain.errors import StoreUnavailable
from corbie.domain.orders import Emitted
from corbie.domain.paths import StorePath
from corbie.domain.times import MINUTE, Span
from tests.unit.app.bench import RUNNER, Bench
from tests.unit.app.failing import FailingStore


def test_a_job_that_was_marked_before_the_store_failed_is_begun_by_the_next_pass() -> None:
    bench = Bench()
    for script in ("one", "two"):
        bench.submit(script=script)
    reads: list[StorePath] = []

    def fails(what: str, path: StorePath) -> bool:
        is_blob = what == "read" and "/blobs/" in path
        reads.extend([path] if is_blob else [])
        return is_blob and len(reads) == 2

    copy = bench.copy(inner=FailingStore(bench.store, fails))
    with pytest.raises(StoreUnavailable):
        copy.cycle.run_pass()
    copy.cycle.run_pass()
    copy.work()

    assert len(set(copy.host.ran)) == len(copy.host.ran) == 2


def test_a_cancel_of_a_job_under_way_is_not_lost_when_the_store_fails() -> None:
    bench = Bench()
    sent = bench.submit()
    is_failing = False
    copy = bench.copy(
        inner=FailingStore(
            bench.store, lambda what, path: is_failing and what == "write" and "/taken/" in path
        )
    )
    copy.cycle.run_pass()
    bench.submitter.cancel(sent.run)
    bench.submit()
    is_failing = True
    with pytest.raises(StoreUnavailable):
        copy.cycle.run_pass()
    is_failing = False
    copy.cycle.run_pass()

    assert len(copy.host.cancelled) == 1


def test_jobs_that_another_copy_runs_take_no_room_of_this_one() -> None:
    bench = Bench()
    for _ in range(2):
        bench.submit()
    one, other = bench.copy("A"), bench.copy("B")
    one.cycle.run_pass()
    bench.pass_time(Span(MINUTE))
    bench.submit()
    other.cycle.run_pass()
    other.work()

    assert len(other.host.ran) == 1


def test_an_alive_file_that_fails_its_checks_holds_up_no_other_job() -> None:
    bench = Bench()
    bench.submit()
    bench.copy("A").cycle.run_pass()
    bench.store.write(StorePath(f"{RUNNER}/alive/A"), b"nonsense")
    bench.pass_time(Span(MINUTE))
    bench.submit()
    other = bench.copy("B")
    other.cycle.run_pass()
    other.work()

    assert len(other.host.ran) == 1


def test_many_small_lines_are_written_in_batches_that_fit() -> None:
    bench = Bench()
    bench.submit()
    copy = bench.copy()
    copy.cycle.run_pass()
    (job,) = copy.cycle._jobs.values()
    for _ in range(70_000):
        job.hear(Emitted(at=bench.world.now, level="info", value="x"))
    copy.work()
    copy.cycle.run_pass()

    batches = [path for path in bench.paths("ctl/records") if "/emits/" in path]
    assert len(batches) > 100
    assert PurePosixPath(batches[-1]).name == f"{len(batches):08}"


def test_the_alive_file_of_a_copy_that_is_long_dead_is_deleted() -> None:
    bench = Bench()
    bench.copy("A").cycle.run_pass()
    bench.pass_time(Span(20 * MINUTE))
    bench.copy("B").cycle.run_pass()

    assert list(bench.paths(f"{RUNNER}/alive")) == [f"{RUNNER}/alive/B"]
