"""Every kind of file: every flipped byte, every move and every swap is refused by name."""

from dataclasses import dataclass
from typing import get_args

import pytest

from corbie.app.files.blobs import Home
from corbie.app.files.sealed import SealedFiles
from corbie.domain.blobs import BlobRef
from corbie.domain.cards import TrustEntry
from corbie.domain.envelopes import Check
from corbie.domain.errors import Expired, Untrusted
from corbie.domain.names import JobId, MessageName, RunId
from corbie.domain.orders import Emitted, JobOrder, JobOutcome
from corbie.domain.paths import (
    StorePath,
    alive_path,
    emit_path,
    finished_path,
    message_path,
    parse_path,
    receipt_path,
    running_path,
    step_path,
    taken_path,
    trust_path,
)
from corbie.domain.records import (
    Alive,
    CancelMessage,
    Content,
    EmitBatch,
    JobMessage,
    Receipt,
    ResultMessage,
    StartMessage,
    Status,
    StepRecord,
    Taken,
)
from corbie.domain.steps.effects import Answer
from corbie.domain.steps.events import Timer
from corbie.domain.steps.state import RunState
from corbie.domain.times import MINUTE, SKEW, Instant, Span, later
from tests.unit.app.parties import CLIENT, CONTROLLER, RUNNER, Parties

RUN = RunId("cli/20261012T210153.624Z-d2729e69f1")
JOB = JobId("cli.20261012T210153.624Z-d2729e69f1.1.1")
REF = BlobRef(blob="d", key="0" * 64, size=3, sha256="1" * 64)


@dataclass(frozen=True)
class Sample:
    """A file of one kind: who writes it, who reads it."""

    path: StorePath
    record: Content
    by: str
    readers: tuple[str, ...]
    reader: str
    until: Span | None = None


def samples(parties: Parties) -> dict[str, Sample]:
    """Give a sample of every kind of signed file."""
    at = parties.clock.now()
    client = parties.cards[CLIENT]
    state = RunState(
        run=RUN, client=client, type="flow", machine="m", definition=REF, started=at, time=at,
        keep=Span(MINUTE), input={"secret": "xyzzy"},
    )  # fmt: skip
    step = StepRecord(
        run=RUN, number=1, at=at, events=(Timer(at=at),), state=state,
        effects=(Answer(message=MessageName("m"), text="ok"),),
    )  # fmt: skip
    order = JobOrder(
        job=JOB, run=RUN, name="a", machine="m", script="a.js", files={"a.js": REF},
        input={"secret": "xyzzy"}, layers=(), due=at, client=client,
    )  # fmt: skip
    start = StartMessage(run=RUN, type="flow", machine="m", definition=REF, input="xyzzy")
    status = Status(run=RUN, type="flow", machine="m", status="running", step=1, started=at)
    alive = Alive(
        instance="i", host="h", process=1, started="1", capacity=2, version="0", jobs=(JOB,)
    )
    both = (CONTROLLER, CLIENT)
    minute = Span(MINUTE)
    result = ResultMessage(job=JOB, run=RUN, outcome=JobOutcome(status="done", output="xyzzy"))
    said = EmitBatch(job=JOB, emitted=(Emitted(at=at, level="info", value="xyzzy"),))
    return {
        "start": Sample(
            message_path(CONTROLLER, CLIENT, "m1"), start, CLIENT, (CONTROLLER,), CONTROLLER, minute
        ),
        "cancel": Sample(
            message_path(CONTROLLER, CLIENT, "m2"), CancelMessage(run=RUN), CLIENT, (CONTROLLER,),
            CONTROLLER, minute,
        ),
        "result": Sample(
            message_path(CONTROLLER, RUNNER, JOB), result, RUNNER, (CONTROLLER,), CONTROLLER
        ),
        "job": Sample(
            message_path(RUNNER, CONTROLLER, JOB), JobMessage(order=order), CONTROLLER, (RUNNER,),
            RUNNER, minute,
        ),
        "receipt": Sample(
            receipt_path(CONTROLLER, CLIENT, "m1"), Receipt(run=RUN, answer="ok"), CONTROLLER,
            (CLIENT,), CLIENT,
        ),
        "step": Sample(step_path(CONTROLLER, RUN, 1), step, CONTROLLER, both, CLIENT),
        "emit": Sample(emit_path(CONTROLLER, RUN, JOB, 1), said, RUNNER, both, CLIENT),
        "running": Sample(running_path(CONTROLLER, RUN), status, CONTROLLER, (), CLIENT),
        "finished": Sample(finished_path(CONTROLLER, RUN), status, CONTROLLER, (), CLIENT),
        "trust": Sample(
            trust_path(CONTROLLER, CLIENT), TrustEntry(card=client), CONTROLLER, (), CONTROLLER
        ),
        "taken": Sample(
            taken_path(RUNNER, at, JOB), Taken(job=JOB, instance="i"), RUNNER, (), RUNNER
        ),
        "alive": Sample(alive_path(RUNNER, "i"), alive, RUNNER, (), CONTROLLER),
    }  # fmt: skip


PARTIES = Parties()
SAMPLES = samples(PARTIES)


def compose(sample: Sample) -> bytes:
    """Give a sample's file."""
    until = None if sample.until is None else later(PARTIES.clock.now(), sample.until)
    return PARTIES.files[sample.by].compose(
        sample.path,
        sample.record,
        readers=[PARTIES.cards[name] for name in sample.readers],
        until=until,
    )


def refusal(files: SealedFiles, path: StorePath, data: bytes) -> str | None:
    """Name the check that refuses a file, None where all pass."""
    try:
        files.open(path, data)
    except Untrusted as error:
        return error.check if error.path == path else "another file"
    return None


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_file_is_read_as_it_was_written(kind: str) -> None:
    sample = SAMPLES[kind]

    opened = PARTIES.files[sample.reader].open(sample.path, compose(sample))

    assert opened.record == sample.record
    assert opened.by == sample.by


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_flipped_byte_is_refused_by_a_named_check(kind: str) -> None:
    sample = SAMPLES[kind]
    data = compose(sample)
    files = PARTIES.files[sample.reader]

    checks = [
        refusal(files, sample.path, data[:index] + bytes([data[index] ^ 1]) + data[index + 1 :])
        for index in range(len(data))
    ]

    assert set(checks) <= set(get_args(Check))


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_cut_file_is_refused(kind: str) -> None:
    sample = SAMPLES[kind]
    data = compose(sample)
    files = PARTIES.files[sample.reader]

    assert all(refusal(files, sample.path, data[:size]) for size in range(0, len(data), 7))
    assert refusal(files, sample.path, data + b"\n") == "lines"


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_moved_file_is_refused_by_its_place(kind: str) -> None:
    sample = SAMPLES[kind]
    files = PARTIES.files[sample.reader]
    *folder, name = sample.path.split("/")
    other = "00000002" if name == "00000001" else name[:-1] + ("e" if name[-1] != "e" else "f")
    moved = StorePath("/".join([*folder, other]))

    assert parse_path(moved).kind == parse_path(sample.path).kind
    assert refusal(files, moved, compose(sample)) == "place"


@pytest.mark.parametrize("kind", SAMPLES)
def test_two_swapped_files_are_refused(kind: str) -> None:
    one = SAMPLES[kind]
    for other in SAMPLES.values():
        if other.path != one.path:
            assert refusal(PARTIES.files[one.reader], one.path, compose(other)) is not None


def test_a_file_by_a_stranger_is_refused_by_its_card() -> None:
    strangers = Parties()
    sample = SAMPLES["running"]
    data = strangers.files[CONTROLLER].compose(sample.path, sample.record)

    assert refusal(PARTIES.files[CLIENT], sample.path, data) == "signature"
    assert refusal(Parties(knowing=()).files[CLIENT], sample.path, data) == "card"


def test_a_file_from_more_than_five_minutes_ahead_is_refused_by_its_time() -> None:
    parties = Parties()
    sample = samples(parties)["running"]
    parties.clock.advance(Span(SKEW + 1))
    data = parties.files[CONTROLLER].compose(sample.path, sample.record)
    parties.clock.set(Instant(parties.clock.now() - SKEW - 1))

    assert refusal(parties.files[CLIENT], sample.path, data) == "time"


def test_a_message_holds_until_five_minutes_past_its_until_and_then_is_expired() -> None:
    parties = Parties()
    sample = samples(parties)["cancel"]
    until = later(parties.clock.now(), Span(MINUTE))
    data = parties.files[CLIENT].compose(
        sample.path, sample.record, readers=[parties.cards[CONTROLLER]], until=until
    )

    parties.clock.set(later(until, SKEW))
    in_time = parties.files[CONTROLLER].open(sample.path, data)
    parties.clock.set(later(until, Span(SKEW + 1)))
    late = parties.files[CONTROLLER].open(sample.path, data, late=True)

    assert not in_time.is_expired
    assert late.is_expired
    with pytest.raises(Expired):
        parties.files[CONTROLLER].open(sample.path, data)


def test_what_is_sealed_shows_nothing_of_its_content_and_its_reader_alone_opens_it() -> None:
    for kind in ("start", "result", "job", "step", "emit"):
        sample = SAMPLES[kind]
        data = compose(sample)
        strangers = {CONTROLLER, RUNNER, CLIENT} - set(sample.readers)

        assert b"xyzzy" not in data
        for name in strangers:
            assert refusal(PARTIES.files[name], sample.path, data) == "opening"


def test_a_value_over_64_kib_goes_to_a_blob_and_reads_as_the_value_it_is() -> None:
    parties = Parties()
    large = {"text": "é" * 70_000, "n": [1, 2.5, None]}
    start = StartMessage(run=RUN, type="flow", machine="m", definition=REF, input=large)
    path = message_path(CONTROLLER, CLIENT, "m1")
    readers = [parties.cards[CONTROLLER]]

    data = parties.files[CLIENT].compose(path, start, readers=readers)
    opened = parties.files[CONTROLLER].open(path, data)

    assert len(data) < 4096
    assert isinstance(opened.record, StartMessage)
    assert opened.record.input == large
    folder = StorePath(f"{CONTROLLER}/records/{RUN}/blobs")
    assert len(parties.store.list_under(folder)) == 1


def test_a_large_value_that_stays_is_one_blob_over_many_steps() -> None:
    parties = Parties()
    sample = samples(parties)["step"]
    assert isinstance(sample.record, StepRecord)
    files = parties.files[CONTROLLER]
    readers = [parties.cards[CONTROLLER], parties.cards[CLIENT]]
    state = RunState(
        run=RUN, client=parties.cards[CLIENT], type="flow", machine="m", definition=REF,
        started=Instant(0), time=Instant(0), keep=Span(1), input="x" * 100_000,
    )  # fmt: skip

    for number in range(1, 5):
        record = StepRecord(
            run=RUN, number=number, at=Instant(0), events=(), state=state, effects=()
        )
        files.compose(step_path(CONTROLLER, RUN, number), record, readers=readers)

    folder = StorePath(f"{CONTROLLER}/records/{RUN}/blobs")
    assert len(parties.store.list_under(folder)) == 1


def test_every_flipped_byte_of_a_blob_is_refused() -> None:
    parties = Parties()
    home = Home(controller=CONTROLLER, run=RUN)
    blobs = parties.blobs[CLIENT]
    ref, path, stored = blobs.prepare(home, b"const x = 1;")

    for index in range(len(stored)):
        bad = stored[:index] + bytes([stored[index] ^ 1]) + stored[index + 1 :]
        parties.store.write(path, bad)
        with pytest.raises(Untrusted):
            blobs.read(home, ref)
