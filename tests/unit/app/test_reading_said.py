"""What jobs say, read as they say it."""

from corbie.app.client.observe import SaidReader
from corbie.app.client.submit import Sent
from corbie.domain.orders import Emitted
from corbie.domain.paths import StorePath, emit_path
from corbie.domain.records import EmitBatch
from corbie.domain.steps.effects import StartJob
from tests.simulation.world import CARDS, CLIENT, CONTROLLER
from tests.unit.app.bench import Bench, Copy
from tests.unit.app.failing import FailingStore


def test_each_file_is_read_once() -> None:
    bench = Bench()
    read: list[StorePath] = []

    def note(what: str, path: StorePath) -> bool:
        read.extend([path] if what == "read" and ("/emits/" in path or "/steps/" in path) else [])
        return False

    noting = FailingStore(bench.store_of(CLIENT), note)
    observer = bench.world.make_client("client", noting).observer()  # type: ignore[arg-type]  # watched by nobody
    sent = bench.submit()
    copy = bench.copy()
    reader = SaidReader(observer, sent.run, None)

    _say(bench, copy, sent, 1, "one", "two")
    first = reader.read_new(None)
    _say(bench, copy, sent, 2, "three")
    second = reader.read_new(None)
    bench.finish(sent, copy)
    third = reader.read_new(observer.read_status(sent.run))

    assert [one.emitted.value for one in (*first, *second, *third)] == ["one", "two", "three"]
    found = [path for path in read if "/emits/" in path]
    assert len(found) == len(set(found)) == 2
    # A step that is not there yet is asked for each time.
    assert [path for path in read if path.endswith("/steps/00000001")] == [
        f"{CONTROLLER}/records/{sent.run}/steps/00000001"
    ]


def _say(bench: Bench, copy: Copy, sent: Sent, number: int, *texts: str) -> None:
    """Write a batch as the runner does."""
    [started] = [
        effect
        for effect in bench.observer.newest_step(sent.run).effects
        if isinstance(effect, StartJob)
    ]
    job = started.order.job
    said = tuple(Emitted(at=bench.world.now, level="info", value=text) for text in texts)
    path = emit_path(CONTROLLER, sent.run, job, number)
    readers = [CARDS[CONTROLLER], CARDS[CLIENT]]
    batch = EmitBatch(job=job, emitted=said)
    bench.store.write_new(path, copy.files.compose(path, batch, readers=readers))
