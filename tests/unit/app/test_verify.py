"""Verifying a whole store: what each party can check of it, and what it finds."""

from collections.abc import Sequence

import pytest
from dependency_injector import providers

from corbie.adapters.stores.memory import MemoryStore
from corbie.app.client.bundle import Bundle
from corbie.app.files.cardbook import CardBook
from corbie.app.files.verify import Verification, Verifying
from corbie.domain.definitions.single_script import make_script_flow
from corbie.domain.names import PartyName
from corbie.domain.paths import WHOLE_STORE, StorePath
from corbie.entrypoints.settings import read_settings
from corbie.entrypoints.wiring import testbed
from corbie.entrypoints.wiring.files import FilesContainer
from corbie.entrypoints.wiring.testbed import CLIENT, CONTROLLER

WAKE = StorePath("controller/wakes/20261012T210153.624Z/client/20261012T210153.624Z-d2729e69f1/1")


@pytest.fixture
def bed() -> testbed.TestbedContainer:
    """A store in which a client asked for a run, and nobody looked."""
    read = read_settings(flags={}, environment={"HOME": "/nowhere"}, is_terminal=False)
    bed = testbed.TestbedContainer(settings=read.settings, start=1_800_000_000 * 10**9)
    bed.trial()
    texts = {"a.js": "return 1\n"}
    bundle = Bundle(machine=make_script_flow("a.js"), texts=texts, context="/nowhere")
    bed.client().submitter().submit(bundle, {"a": 1})
    return bed


def test_a_party_opens_what_is_sealed_for_it_and_reaches_its_blobs(
    bed: testbed.TestbedContainer,
) -> None:
    done = _verify(bed, [CONTROLLER])

    assert done.bad == ()
    assert (done.by_signature, done.blobs, done.unreached) == (0, 2, 0)


def test_what_is_sealed_for_others_is_checked_by_its_signature(
    bed: testbed.TestbedContainer,
) -> None:
    done = _verify(bed, [CLIENT])

    assert done.bad == ()
    assert (done.by_signature, done.blobs, done.unreached) == (1, 0, 2)


def test_a_blob_that_was_changed_is_named_with_its_check(bed: testbed.TestbedContainer) -> None:
    store = _store(bed)
    path = next(path for path in store.list_under(WHOLE_STORE) if "/blobs/" in path)
    stored = store.read(path)
    assert stored is not None
    store.write(path, stored.data[:-1] + bytes([stored.data[-1] ^ 1]))

    done = _verify(bed, [CONTROLLER])

    assert [(one.path, one.check) for one in done.bad] == [(path, "opening")]


def test_a_message_that_was_moved_or_changed_is_named_whoever_it_is_for(
    bed: testbed.TestbedContainer,
) -> None:
    store = _store(bed)
    path = next(path for path in store.list_under(WHOLE_STORE) if "/inbox/" in path)
    stored = store.read(path)
    assert stored is not None
    store.write(StorePath(f"{path}0"), stored.data)
    store.write(path, stored.data.replace(b"\n", b"\nAAAA", 1))

    done = _verify(bed, [CLIENT])

    assert {one.path: one.check for one in done.bad} == {path: "signature", f"{path}0": "place"}


def test_a_wake_that_holds_something_is_no_wake(bed: testbed.TestbedContainer) -> None:
    _store(bed).write(WAKE, b"x")

    assert [one.path for one in _verify(bed, [CONTROLLER]).bad] == [WAKE]


def _store(bed: testbed.TestbedContainer) -> MemoryStore:
    store = bed.memory()
    assert isinstance(store, MemoryStore)
    return store


def _verify(bed: testbed.TestbedContainer, names: Sequence[PartyName]) -> Verification:
    cards = tuple(bed.parties().cards.values())
    book = CardBook(cards)
    parts = {
        name: FilesContainer(
            adapters=bed.adapters,
            store=bed.memory,
            name=name,
            cards=cards,
            cardbook=providers.Object(book),
        )
        for name in names
    }
    return Verifying(
        store=_store(bed),
        parties={name: part.files() for name, part in parts.items()},
        cards=book,
        blobs=parts[names[0]].blobs(),
        reader=bed.adapters().reader(),
    ).verify()
