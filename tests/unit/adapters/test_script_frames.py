"""Frames from a job's process, which is foreign, and places in scripts."""

import json

import pytest

from corbie.adapters.scripts.frames import FRAME_BYTES_MAX, FrameReader
from corbie.adapters.scripts.lines import LineMap
from corbie.domain.errors import ValueRefused


def framed(data):
    return len(data).to_bytes(4, "big") + data


def test_frames_come_out_of_any_pieces():
    data = framed(b'{"a":1}') + framed(b'{"b":[2]}')

    for size in range(1, len(data)):
        reader = FrameReader()
        frames = []
        for start in range(0, len(data), size):
            frames += reader.take(data[start : start + size])
        assert frames == [{"a": 1}, {"b": [2]}]


@pytest.mark.parametrize(
    "data",
    [
        framed(b"[]"),
        framed(b"{"),
        framed(b""),
        framed(b'{"a":\xff}'),
        framed(b'{"a":NaN}'),
        framed(b'{"a":-Infinity}'),
        framed(b'{"a":1e999}'),
        framed(b'{"a":' + b"[" * 300 + b"]" * 300 + b"}"),
        framed(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        framed(b'{"a":"\\ud800'),
        (FRAME_BYTES_MAX + 1).to_bytes(4, "big"),
        b"\xff" * 100,
    ],
)
def test_what_is_no_frame_is_refused(data):
    with pytest.raises(ValueRefused):
        FrameReader().take(data)


def test_half_a_surrogate_pair_becomes_a_replacement():
    pair = json.dumps({"a": "\U0001f600", "b": "\ud800x"}).encode()

    assert FrameReader().take(framed(pair)) == [{"a": "\U0001f600", "b": "\ufffdx"}]


def test_each_file_has_lines_of_its_own():
    lines = LineMap()
    lines.place(None, "shim\nshim")
    one = lines.place("a.js", "first\nsecond", "head", "\ntail")
    two = lines.place("b.js", "only", "head", "\ntail")

    rows = {text: number for number, text in enumerate(one.split("\n"), 1) if text}
    assert lines.find(rows["first"]) == ("a.js", 1)
    assert lines.find(rows["second"]) == ("a.js", 2)
    assert lines.find(rows["tail"]) == ("a.js", 2)
    assert lines.is_past_end(rows["tail"])
    assert lines.find(two.split("\n").index("only") + 1) == ("b.js", 1)
    assert lines.find(1) is None


def test_a_stack_keeps_the_authors_frames_alone():
    lines = LineMap()
    lines.place(None, "shim")
    row = lines.place("a.js", "x", "head", "\ntail").split("\n").index("x") + 1
    stack = "\n".join(
        [
            "    at <input>:1:2",
            "    at parse (native)",
            f"    at work (<input>:{row}:7)",
            f"    at <anonymous> (<input>:{row}:1)",
            "    at start (<input>:1:9)",
        ]
    )

    assert lines.read_stack(stack) == ("a.js:1:7", "at work (a.js:1:7)\nat a.js:1:1")
