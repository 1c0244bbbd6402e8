"""The three lines: what is written, what is read back, and what each check refuses."""

import pytest

from corbie.domain import envelopes
from corbie.domain.envelopes import Header
from corbie.domain.errors import Bug, Expired, Untrusted
from corbie.domain.names import PartyName
from corbie.domain.paths import StorePath, parse_path
from corbie.domain.times import HOUR, SECOND, SKEW, Instant, parse_instant

PATH = StorePath("corbie/inbox/ada/m1")
SENT = parse_instant("2026-10-12T21:01:53.624000001Z")
HEAD = (
    b'{"by":"ada","at":"corbie/inbox/ada/m1","sent":"2026-10-12T21:01:53.624000001Z",'
    b'"until":"2026-10-12T22:01:53.624000001Z","sealed":true}'
)
SIGNATURE = bytes(range(64))


def a_header(*, by="ada", at=PATH, sent=SENT, until=None, sealed=True):
    return Header(by=PartyName(by), at=StorePath(at), sent=sent, until=until, sealed=sealed)


def refused_by(check, call, *args, **named):
    with pytest.raises(Untrusted) as caught:
        call(*args, **named)
    assert caught.value.check == check
    assert caught.value.path == PATH
    return caught.value


def test_the_head_is_compact_json_in_one_order():
    header = a_header(until=Instant(SENT + HOUR))

    assert envelopes.compose_head(header) == HEAD
    assert envelopes.read_header(HEAD, path=PATH) == header


def test_a_header_without_until_does_not_name_it():
    head = envelopes.compose_head(a_header())

    assert b"until" not in head
    assert envelopes.read_header(head, path=PATH) == a_header()


def test_a_header_that_could_not_be_read_back_is_not_written():
    with pytest.raises(Bug):
        envelopes.compose_head(a_header(at='corbie/"'))


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"{}",
        HEAD.replace(b":", b": ", 1),
        HEAD.replace(b'"by":"ada"', b'"by":"ada","by":"bob"'),
        HEAD.replace(b'"by":"ada",', b""),
        HEAD.replace(b"}", b',"more":1}'),
        HEAD.replace(b"true", b"1"),
        HEAD.replace(b"true", b'"true"'),
        HEAD.replace(b"true", b"TRUE"),
        HEAD.replace(b"ada", b"\\u0061da"),
        HEAD.replace(b"ada", b"\xc3\xa4da"),
        HEAD.replace(b'"by":"ada"', b'"by":"-ada"'),
        HEAD.replace(b"2026-10-12T22", b"2026-13-12T22"),
        HEAD.replace(b"2026-10-12T21", b"2026-02-30T21"),
        HEAD.replace(b".624000001Z", b".624000001+"),
        HEAD.replace(b'"by":"ada","at":"corbie/inbox/ada/m1"', b'"at":"c","by":"ada"'),
        HEAD.replace(b"m1", b"m\x01"),
        HEAD.replace(b"m1", b"m\x7f"),
        HEAD + b" ",
        b"\xef\xbb\xbf" + HEAD,
    ],
)
def test_a_header_in_any_other_form_is_refused(head):
    refused_by("header", envelopes.read_header, head, path=PATH)


def test_a_file_is_split_into_what_it_was_composed_of():
    signed = envelopes.compose_signed(HEAD, b"content")
    data = envelopes.join(signed, SIGNATURE)

    lines = envelopes.split(data, path=PATH)

    assert lines == envelopes.Lines(head=HEAD, body=b"content", signed=signed, signature=SIGNATURE)
    assert data == signed + b"\n" + data.split(b"\n")[2] + b"\n"


GOOD = envelopes.join(envelopes.compose_signed(HEAD, b"con"), SIGNATURE)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n\n",
        GOOD[:-1],
        GOOD + b"\n",
        GOOD + b"x",
        b"\n" + GOOD,
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.replace(b"\n", b"\n\n", 1),
        GOOD.replace(b"\nY29u\n", b"\nY29u=\n"),
        GOOD.replace(b"\nY29u\n", b"\nY29\n"),
        GOOD.replace(b"\nY29u\n", b"\nY29ub\n"),
        GOOD.replace(b"\nY29u\n", b"\nY2 9u\n"),
        GOOD.replace(b"\nY29u\n", b"\nY2+9\n"),
        GOOD.replace(b"\nY29u\n", b"\nY2/9\n"),
        GOOD.replace(b"\nY29u\n", b"\nY29\xff\n"),
        GOOD[:-3] + b"\n",
        GOOD[:-1] + b"AA\n",
    ],
)
def test_a_file_of_any_other_form_is_refused(data):
    refused_by("lines", envelopes.split, data, path=PATH)


def test_base64_has_one_spelling():
    # The last character of a 64-byte signature holds four bits that nothing reads.
    assert GOOD.endswith(b"w\n")

    refused_by("lines", envelopes.split, GOOD[:-2] + b"x\n", path=PATH)


@pytest.mark.parametrize("kind", ["inbox", "step", "emit", "slot"])
def test_a_file_may_be_as_large_as_its_kind_allows_and_no_larger(kind):
    bytes_max = envelopes.size_max(kind)

    envelopes.check_size(b"x" * bytes_max, kind=kind, path=PATH)

    refused_by("size", envelopes.check_size, b"x" * (bytes_max + 1), kind=kind, path=PATH)


def test_the_largest_content_sealed_for_the_most_readers_fits():
    sealed = 1 + envelopes.READERS_MAX * envelopes.READER_BYTES + 28
    body = b"x" * (sealed + envelopes.content_size_max("inbox"))
    head = b"x" * envelopes.HEAD_BYTES_MAX

    data = envelopes.join(envelopes.compose_signed(head, body), SIGNATURE)

    assert len(data) == envelopes.size_max("inbox")


def test_content_bounds_are_the_chapters():
    assert envelopes.content_size_max("inbox") == 256 * 1024
    assert envelopes.content_size_max("step") == 4 * 1024 * 1024


@pytest.mark.parametrize("kind", ["blob", "wake", "version"])
def test_a_kind_without_three_lines_has_no_bound_here(kind):
    with pytest.raises(Bug):
        envelopes.size_max(kind)


def test_a_file_written_for_another_path_is_refused():
    envelopes.check_place(a_header(), path=PATH)

    refused_by("place", envelopes.check_place, a_header(at="corbie/inbox/ada/m2"), path=PATH)


@pytest.mark.parametrize(
    ("path", "writer"),
    [
        ("corbie/inbox/ada/m1", "ada"),
        ("corbie/inbox/corbie/m1", "corbie"),
        ("hand/inbox/corbie/job", "corbie"),
        ("corbie/receipts/ada/m1", "corbie"),
        ("corbie/running/ada/20261012T210153.624Z-d2729e69f1", "corbie"),
        ("corbie/finished/ada/20261012T210153.624Z-d2729e69f1", "corbie"),
        ("corbie/records/ada/20261012T210153.624Z-d2729e69f1/steps/00000001", "corbie"),
        ("corbie/records/ada/20261012T210153.624Z-d2729e69f1/carried", "corbie"),
        ("corbie/keys/ada/h", "corbie"),
        ("corbie/slots/s", "corbie"),
        ("corbie/waiting/s/w", "corbie"),
        ("corbie/trust/ada", "corbie"),
        ("corbie/secrets/s", "corbie"),
        ("corbie/schedules/s", "corbie"),
        ("hand/taken/20261012T210153.624Z/job", "hand"),
        ("hand/alive/i", "hand"),
    ],
)
def test_only_the_party_of_a_path_writes_there(path, writer):
    parts = parse_path(path)

    envelopes.check_writer(a_header(by=writer), parts=parts, path=PATH)

    for other in {"ada", "corbie", "hand", "eve"} - {writer}:
        header = a_header(by=other)
        refused_by("writer", envelopes.check_writer, header, parts=parts, path=PATH)


def test_emits_are_by_whichever_runner_the_caller_knows():
    path = "corbie/records/ada/20261012T210153.624Z-d2729e69f1/emits/job/00000001"

    envelopes.check_writer(a_header(by="hand"), parts=parse_path(path), path=PATH)


def test_the_clocks_of_two_processes_may_differ_by_five_minutes():
    header = a_header(until=Instant(SENT + SECOND))

    envelopes.check_time(header, now=Instant(SENT - SKEW), path=PATH)
    envelopes.check_time(header, now=Instant(SENT + SECOND + SKEW), path=PATH)

    early = refused_by(
        "time", envelopes.check_time, header, now=Instant(SENT - SKEW - 1), path=PATH
    )
    late = refused_by(
        "time", envelopes.check_time, header, now=Instant(SENT + SECOND + SKEW + 1), path=PATH
    )
    assert not isinstance(early, Expired)
    assert isinstance(late, Expired)


def test_a_file_without_until_does_not_expire():
    envelopes.check_time(a_header(), now=Instant(SENT + 10_000 * HOUR), path=PATH)


@pytest.mark.parametrize(("kind", "sealed"), [("inbox", True), ("slot", False)])
def test_a_file_is_sealed_exactly_when_its_kind_is(kind, sealed):
    envelopes.check_sealing(a_header(sealed=sealed), kind=kind, path=PATH)

    header = a_header(sealed=not sealed)
    refused_by("sealing", envelopes.check_sealing, header, kind=kind, path=PATH)
