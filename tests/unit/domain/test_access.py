"""The access table, cell by cell, as the chapter on the store has it."""

import pytest

from corbie.domain.access import (
    Action,
    Party,
    is_sealed,
    is_signed,
    permits,
    permits_listing,
    reader_names,
)
from corbie.domain.cards import Role
from corbie.domain.names import PartyName
from corbie.domain.paths import parse_path

ACTIONS: tuple[Action, ...] = ("read", "add", "replace", "delete")

PATHS = {
    "version": "version",
    "inbox": "ctl/inbox/ann/m",
    "receipt": "ctl/receipts/ann/m",
    "running": "ctl/running/ann/r",
    "finished": "ctl/finished/ann/r",
    "step": "ctl/records/ann/r/steps/00000001",
    "carried": "ctl/records/ann/r/carried",
    "emit": "ctl/records/ann/r/emits/j/00000001",
    "blob": "ctl/records/ann/r/blobs/b",
    "wake": "ctl/wakes/20261012T210153.624Z/ann/r/w",
    "key": "ctl/keys/ann/h",
    "slot": "ctl/slots/s",
    "waiting": "ctl/waiting/s/j",
    "schedule": "ctl/schedules/s",
    "trust": "ctl/trust/ann",
    "secret": "ctl/secrets/s",
    "runner inbox": "run/inbox/ctl/j",
    "taken": "run/taken/20261012T210153.624Z/j",
    "alive": "run/alive/i",
}

# What each may do: r(ead), a(dd), w (replace), d(elete). Columns: the controller of that name,
# another; the runner of that name, another; the client in the path, another; a viewer.
TABLE = """
version        r     r    r     r    r    r    r
inbox          rawd  -    -     -    a    -    -
receipt        rawd  -    -     -    r    -    -
running        rawd  -    -     -    r    -    r
finished       rawd  -    -     -    r    -    r
step           rawd  -    -     -    r    -    -
carried        rawd  -    -     -    r    -    -
emit           rawd  -    a     a    r    -    -
blob           rawd  -    ra    ra   ra   -    -
wake           rawd  -    -     -    -    -    -
key            rawd  -    -     -    -    -    -
slot           rawd  -    -     -    -    -    -
waiting        rawd  -    -     -    -    -    -
schedule       rawd  -    -     -    -    -    -
trust          rawd  -    -     -    -    -    -
secret         rawd  -    -     -    -    -    -
runner_inbox   a     -    rawd  -    -    -    -
taken          -     -    rawd  -    -    -    -
alive          r     r    rawd  -    -    -    r
"""

PARTIES: tuple[tuple[str, Role], ...] = (
    ("ctl", "controller"),
    ("ctl2", "controller"),
    ("run", "runner"),
    ("run2", "runner"),
    ("ann", "client"),
    ("bob", "client"),
    ("eve", "viewer"),
)

CELLS = [
    (line.split()[0].replace("_", " "), who, cell)
    for line in TABLE.strip().splitlines()
    for who, cell in zip(PARTIES, line.split()[1:], strict=True)
]


def party(name: str, role: Role) -> Party:
    return Party(name=PartyName(name), role=role)


@pytest.mark.parametrize(("kind", "who", "cell"), CELLS)
def test_a_party_may_do_what_its_cell_says_and_nothing_else(kind, who, cell):
    letters = {"read": "r", "add": "a", "replace": "w", "delete": "d"}
    path = parse_path(PATHS[kind])

    allowed = {action for action in ACTIONS if permits(party(*who), action, path)}

    assert allowed == {action for action in ACTIONS if letters[action] in cell}


def test_the_table_has_every_kind():
    assert {parse_path(path).kind for path in PATHS.values()} == {
        "version",
        "inbox",
        "receipt",
        "running",
        "finished",
        "step",
        "carried",
        "emit",
        "blob",
        "wake",
        "key",
        "slot",
        "waiting",
        "trust",
        "secret",
        "schedule",
        "taken",
        "alive",
    }
    assert {line.split()[0].replace("_", " ") for line in TABLE.strip().splitlines()} == set(PATHS)


@pytest.mark.parametrize(("name", "role"), PARTIES)
@pytest.mark.parametrize("owner", ["ctl", "run", "ann", "eve"])
def test_a_message_is_added_only_under_ones_own_name(name, role, owner):
    path = parse_path(f"{owner}/inbox/zed/m")

    assert permits(party(name, role), "add", path) is (
        owner == name and role in {"controller", "runner"}
    )


def test_a_client_or_viewer_has_no_inbox_of_its_own():
    for role in ("client", "viewer"):
        for action in ("read", "replace", "delete"):
            assert not permits(party("ann", role), action, parse_path("ann/inbox/ctl/m"))


def test_a_viewer_adds_no_message_under_its_own_name():
    assert not permits(party("eve", "viewer"), "add", parse_path("ctl/inbox/eve/m"))


@pytest.mark.parametrize(
    ("folder", "allowed"),
    [
        ("", ""),
        ("ctl", "ctl"),
        ("run", ""),
        ("ctl/inbox", "ctl"),
        ("ctl/inbox/ann", "ctl"),
        ("ctl/receipts", "ctl"),
        ("ctl/receipts/ann", "ctl ann"),
        ("ctl/running", "ctl eve"),
        ("ctl/running/ann", "ctl ann eve"),
        ("ctl/finished", "ctl eve"),
        ("ctl/finished/ann", "ctl ann eve"),
        ("ctl/records", "ctl"),
        ("ctl/records/ann", "ctl ann"),
        ("ctl/records/ann/r/steps", "ctl ann"),
        ("ctl/wakes", "ctl"),
        ("ctl/keys/ann", "ctl"),
        ("ctl/slots", "ctl"),
        ("ctl/waiting/s", "ctl"),
        ("ctl/schedules", "ctl"),
        ("ctl/trust", "ctl"),
        ("ctl/secrets", "ctl"),
        ("run/inbox", "run"),
        ("run/inbox/ctl", "run"),
        ("run/taken", "run"),
        ("run/alive", "ctl ctl2 run eve"),
    ],
)
def test_a_folder_is_listed_by_who_may_read_all_of_it(folder, allowed):
    listers = [name for name, role in PARTIES if permits_listing(party(name, role), folder)]

    assert " ".join(listers) == allowed


def test_a_listing_shows_nothing_that_may_not_be_read():
    for name, role in PARTIES:
        for text in PATHS.values():
            folders = text.split("/")[:-1]
            for depth in range(1, len(folders) + 1):
                if permits_listing(party(name, role), "/".join(folders[:depth])):
                    assert permits(party(name, role), "read", parse_path(text))


@pytest.mark.parametrize(
    ("kind", "readers"),
    [
        ("inbox", ("ctl",)),
        ("runner inbox", ("run",)),
        ("secret", ("ctl",)),
        ("schedule", ("ctl",)),
        ("receipt", ("ann",)),
        ("step", ("ctl", "ann")),
        ("carried", ("ctl", "ann")),
        ("emit", ("ctl", "ann")),
        *((kind, ()) for kind in ("running", "finished", "trust", "taken", "alive", "key")),
        *((kind, ()) for kind in ("slot", "waiting", "blob", "wake", "version")),
    ],
)
def test_a_file_is_sealed_for_the_readers_of_its_kind(kind, readers):
    path = parse_path(PATHS[kind])

    assert reader_names(path) == readers
    assert is_sealed(path.kind) is bool(readers)
    assert is_signed(path.kind) is (kind not in {"version", "blob", "wake"})
