"""Frozen files with throw-away keys: the good ones open, the altered name the check they fail."""

import json
from pathlib import Path

import pytest

from corbie.adapters.crypto.blobs import AesBlobCipher
from corbie.adapters.crypto.private_side import read_private_side
from corbie.domain.errors import Untrusted
from corbie.domain.paths import StorePath
from corbie.domain.times import parse_instant
from tests.golden.reading import Reader

FOLDER = Path(__file__).parent / "files"
FROZEN = json.loads((FOLDER / "files.json").read_text())
SIDES = {
    name: read_private_side(json.dumps(text).encode()) for name, text in FROZEN["keys"].items()
}


def a_reader(case):
    return Reader(
        opener=SIDES[case["reader"]].opener,
        cards={name: SIDES[name].card for name in FROZEN["known"]},
        now=parse_instant(FROZEN["now"]),
    )


@pytest.mark.parametrize("case", FROZEN["good"], ids=lambda case: case["what"])
def test_a_frozen_file_still_opens(case):
    found = a_reader(case).read(case["text"].encode(), StorePath(case["path"]))

    assert found == case["content"]


@pytest.mark.parametrize("case", FROZEN["altered"], ids=lambda case: case["what"])
def test_an_altered_file_is_refused_by_the_named_check(case):
    with pytest.raises(Untrusted) as caught:
        a_reader(case).read(case["text"].encode("latin-1"), StorePath(case["path"]))

    assert caught.value.check == case["check"]


def test_every_check_but_size_has_an_altered_file():
    checks = {case["check"] for case in FROZEN["altered"]}

    assert checks == {
        "lines", "header", "place", "writer", "card", "signature", "time", "sealing", "opening",
        "content",
    }  # fmt: skip


def test_a_frozen_blob_still_opens():
    blob = FROZEN["blob"]

    found = AesBlobCipher().decrypt(blob["name"], bytes.fromhex(blob["stored"]), blob["key"])

    assert found == blob["content"].encode()


@pytest.mark.parametrize("case", FROZEN["good"][:2], ids=lambda case: case["what"])
def test_no_byte_of_a_file_may_change(case):
    data = case["text"].encode()
    reader = a_reader(case)
    path = StorePath(case["path"])
    reader.read(data, path)

    for position in range(len(data)):
        for bit in (1, 32):
            altered = bytearray(data)
            altered[position] ^= bit
            with pytest.raises(Untrusted):
                reader.read(bytes(altered), path)
