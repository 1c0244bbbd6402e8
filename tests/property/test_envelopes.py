"""True of every file: it splits into what it was made of, and no byte of it may change."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corbie.adapters.crypto.memory_keyring import MemoryKeyring
from corbie.adapters.crypto.sealing import HpkeSealer
from corbie.domain import envelopes
from corbie.domain.envelopes import Header
from corbie.domain.errors import Untrusted
from corbie.domain.names import PartyName
from corbie.domain.paths import StorePath
from corbie.domain.times import HOUR, Instant, parse_instant
from tests.golden.reading import Reader

PATH = StorePath("corbie/inbox/ada/m1")
NOW = parse_instant("2026-10-12T21:01:53.624000001Z")

LETTERS = "ABCXYZabcxyz"
PLAIN = LETTERS + "0189._-"

names = st.builds(str.__add__, st.sampled_from(LETTERS), st.text(PLAIN, max_size=63))
paths = st.lists(st.text(PLAIN + "~", min_size=1, max_size=100), min_size=1, max_size=8).map(
    "/".join
)
instants = st.integers(min_value=0, max_value=253_402_300_799 * 10**9).map(Instant)
headers = st.builds(
    Header,
    by=names.map(PartyName),
    at=paths.map(StorePath),
    sent=instants,
    until=st.none() | instants,
    sealed=st.booleans(),
)


class StillClock:
    """A clock that stands still."""

    def now(self):
        return NOW


def a_sealed_file():
    keyring = MemoryKeyring()
    ada, corbie = keyring.create("ada", "client"), keyring.create("corbie", "controller")
    head = envelopes.compose_head(
        Header(by=ada.name, at=PATH, sent=NOW, until=Instant(NOW + HOUR), sealed=True)
    )
    body = HpkeSealer(clock=StillClock()).seal(b'{"kind":"start"}', head, [corbie])
    signed = envelopes.compose_signed(head, body)
    data = envelopes.join(signed, keyring.signer("ada").sign(signed))
    reader = Reader(opener=keyring.opener("corbie"), cards={"ada": ada, "corbie": corbie}, now=NOW)
    return data, reader


DATA, READER = a_sealed_file()


@given(header=headers, body=st.binary(max_size=200), signature=st.binary(min_size=64, max_size=64))
def test_a_file_splits_into_what_it_was_composed_of(header, body, signature):
    head = envelopes.compose_head(header)
    signed = envelopes.compose_signed(head, body)
    data = envelopes.join(signed, signature)

    lines = envelopes.split(data, path=PATH)

    assert lines == envelopes.Lines(head=head, body=body, signed=signed, signature=signature)
    assert envelopes.read_header(lines.head, path=PATH) == header
    assert len(head) <= envelopes.HEAD_BYTES_MAX


@given(position=st.integers(0, len(DATA) - 1), change=st.integers(1, 255))
def test_no_byte_of_a_sealed_file_may_change(position, change):
    altered = bytearray(DATA)
    altered[position] ^= change

    with pytest.raises(Untrusted):
        READER.read(bytes(altered), PATH)


@given(position=st.integers(0, len(DATA)), more=st.binary(min_size=1, max_size=3))
def test_nothing_may_be_put_in(position, more):
    with pytest.raises(Untrusted):
        READER.read(DATA[:position] + more + DATA[position:], PATH)


@given(start=st.integers(0, len(DATA)), size=st.integers(1, len(DATA)))
def test_nothing_may_be_left_out(start, size):
    cut = DATA[:start] + DATA[start + size :]
    if cut == DATA:
        return

    with pytest.raises(Untrusted):
        READER.read(cut, PATH)


@given(data=st.binary(max_size=300) | st.text("\nA=_- {}", max_size=80).map(str.encode))
def test_whatever_is_not_a_file_is_refused_as_untrusted(data):
    with pytest.raises(Untrusted):
        READER.read(data, PATH)


@given(text=st.text("AQgwxyz0189-_", max_size=12).map(str.encode))
def test_a_line_is_decoded_only_from_the_one_text_that_encodes_it(text):
    signature = base64.urlsafe_b64encode(bytes(64)).rstrip(b"=")

    try:
        lines = envelopes.split(b"{}\n" + text + b"\n" + signature + b"\n", path=PATH)
    except Untrusted:
        return

    assert base64.urlsafe_b64encode(lines.body).rstrip(b"=") == text


@given(header=headers, position=st.integers(0, 2000), change=st.integers(0, 255))
def test_a_header_is_read_only_from_the_one_text_that_writes_it(header, position, change):
    head = bytearray(envelopes.compose_head(header))
    head[position % len(head)] ^= change

    try:
        found = envelopes.read_header(bytes(head), path=PATH)
    except Untrusted:
        return

    assert envelopes.compose_head(found) == head
