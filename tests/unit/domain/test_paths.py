"""Every kind of path: what is built, what is read, what is neither."""

import pytest

from corbie.domain import paths
from corbie.domain.errors import ValueRefused
from corbie.domain.names import JobId, PartyName, RunId
from corbie.domain.times import Instant

CTL = PartyName("ctl")
RUNNER = PartyName("run")
ANN = PartyName("ann")
RUN = RunId("ann/20261012T210153.624Z-d2729e69f1")
JOB = JobId("ann.20261012T210153.624Z-d2729e69f1.1.0")
AT = Instant(1_791_838_913_624_000_000)
TIME = "20261012T210153.624Z"
RECORD = f"ctl/records/{RUN}"

BUILT = [
    (paths.message_path(CTL, ANN, "m"), "ctl/inbox/ann/m", "inbox"),
    (paths.receipt_path(CTL, ANN, "m"), "ctl/receipts/ann/m", "receipt"),
    (paths.running_path(CTL, RUN), f"ctl/running/{RUN}", "running"),
    (paths.finished_path(CTL, RUN), f"ctl/finished/{RUN}", "finished"),
    (paths.step_path(CTL, RUN, 1), f"{RECORD}/steps/00000001", "step"),
    (paths.step_path(CTL, RUN, 99_999_999), f"{RECORD}/steps/99999999", "step"),
    (paths.carried_path(CTL, RUN), f"{RECORD}/carried", "carried"),
    (paths.emit_path(CTL, RUN, JOB, 7), f"{RECORD}/emits/{JOB}/00000007", "emit"),
    (paths.blob_path(CTL, RUN, "b"), f"{RECORD}/blobs/b", "blob"),
    (paths.wake_path(CTL, AT, RUN, "w"), f"ctl/wakes/{TIME}/{RUN}/w", "wake"),
    (paths.trust_path(CTL, ANN), "ctl/trust/ann", "trust"),
    (paths.taken_path(RUNNER, AT, JOB), f"run/taken/{TIME}/{JOB}", "taken"),
    (paths.alive_path(RUNNER, "i"), "run/alive/i", "alive"),
    (paths.VERSION_PATH, "version", "version"),
]

FOLDERS = [
    (paths.inbox_folder(CTL), "ctl/inbox"),
    (paths.inbox_folder(CTL, ANN), "ctl/inbox/ann"),
    (paths.receipts_folder(CTL, ANN), "ctl/receipts/ann"),
    (paths.running_folder(CTL), "ctl/running"),
    (paths.running_folder(CTL, ANN), "ctl/running/ann"),
    (paths.finished_folder(CTL), "ctl/finished"),
    (paths.finished_folder(CTL, ANN), "ctl/finished/ann"),
    (paths.record_folder(CTL, RUN), RECORD),
    (paths.steps_folder(CTL, RUN), f"{RECORD}/steps"),
    (paths.emits_folder(CTL, RUN), f"{RECORD}/emits"),
    (paths.emits_folder(CTL, RUN, JOB), f"{RECORD}/emits/{JOB}"),
    (paths.wakes_folder(CTL), "ctl/wakes"),
    (paths.trust_folder(CTL), "ctl/trust"),
    (paths.taken_folder(RUNNER), "run/taken"),
    (paths.alive_folder(RUNNER), "run/alive"),
]


@pytest.mark.parametrize(("built", "text", "kind"), BUILT)
def test_a_path_is_built_as_the_layout_says_and_read_as_its_kind(built, text, kind):
    assert built == text
    assert paths.parse_path(built).kind == kind


@pytest.mark.parametrize(("built", "text"), FOLDERS)
def test_a_folder_is_built_as_the_layout_says_and_is_no_file(built, text):
    assert built == text
    assert paths.require_folder(built) == text
    with pytest.raises(ValueRefused):
        paths.parse_path(built)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("version", {"kind": "version", "owner": ""}),
        ("ctl/inbox/ann/m", {"kind": "inbox", "owner": "ctl", "sender": "ann", "name": "m"}),
        ("ctl/receipts/ann/m", {"kind": "receipt", "owner": "ctl", "client": "ann", "name": "m"}),
        (
            "ctl/running/ann/r",
            {"kind": "running", "owner": "ctl", "client": "ann", "run": "r", "name": "r"},
        ),
        (
            "ctl/records/ann/r/emits/j/00000001",
            {
                "kind": "emit",
                "owner": "ctl",
                "client": "ann",
                "run": "r",
                "sender": "j",
                "name": "00000001",
            },
        ),
        (
            f"ctl/wakes/{TIME}/ann/r/w",
            {
                "kind": "wake",
                "owner": "ctl",
                "client": "ann",
                "run": "r",
                "time": TIME,
                "name": "w",
            },
        ),
        ("ctl/keys/ann/h", {"kind": "key", "owner": "ctl", "client": "ann", "name": "h"}),
        ("ctl/slots/s", {"kind": "slot", "owner": "ctl", "name": "s"}),
        ("ctl/waiting/s/j", {"kind": "waiting", "owner": "ctl", "sender": "s", "name": "j"}),
        ("ctl/secrets/s", {"kind": "secret", "owner": "ctl", "name": "s"}),
        ("ctl/schedules/s", {"kind": "schedule", "owner": "ctl", "name": "s"}),
        (f"run/taken/{TIME}/j", {"kind": "taken", "owner": "run", "time": TIME, "name": "j"}),
    ],
)
def test_a_path_says_its_parts(text, parts):
    assert paths.parse_path(text) == paths.PathParts(**parts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "versions",
        "ctl",
        "ctl/version",
        "ctl/slots/a/b",
        "ctl/inbox/m",
        "ctl/records/ann/r/steps/1",
        "ctl/records/ann/r/steps/000000001",
        "ctl/records/ann/r/steps/0000000a",
        "ctl/records/ann/r/steps/\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0661",
        "ctl/records/ann/r/carried/x",
        "ctl/records/ann/r/notes/x",
        "ctl/records/ann/r",
        "ctl/wakes/20261312T210153.624Z/ann/r/w",
        "ctl/wakes/now/ann/r/w",
        "ctl/wakes/20261012T210153.624Z/ann/r",
        "run/taken/later/j",
        "ctl/unknown/x",
        ".lock/slots/s",
        "9/slots/s",
        "version/slots/s",
        "ctl/slots/..",
        "ctl/slots/a\n",
        "/ctl/slots/s",
        "ctl/slots/s/",
    ],
)
def test_what_is_no_path_is_refused(text):
    with pytest.raises(ValueRefused):
        paths.parse_path(text)


@pytest.mark.parametrize("text", ["/", "ctl/", "/ctl", "ctl//x", "..", "ctl/..", ".lock", "a b"])
def test_what_is_no_folder_is_refused(text):
    with pytest.raises(ValueRefused):
        paths.require_folder(text)


def test_the_longest_names_make_a_path_and_a_longer_folder_is_refused():
    owner, name = "c" * 64, "n" * 200
    emits = f"{owner}/records/{name}/{name}/emits/{name}"
    longest = f"{owner}/records/{name}/{name}/emits/{name}/00000001"

    assert paths.parse_path(longest).kind == "emit"
    assert paths.require_folder(emits) == emits
    with pytest.raises(ValueRefused, match="longer than"):
        paths.require_folder(f"{emits}/{name}/{name}")


@pytest.mark.parametrize("number", [-1, 100_000_000])
def test_a_number_that_does_not_fit_is_refused(number):
    with pytest.raises(ValueRefused):
        paths.step_path(CTL, RUN, number)


@pytest.mark.parametrize("name", ["", "..", "a/b", "../../etc", "é", "a\0"])
def test_no_name_escapes_its_place(name):
    for build in (
        lambda: paths.message_path(CTL, ANN, name),
        lambda: paths.message_path(CTL, PartyName(name or ".."), "m"),
        lambda: paths.message_path(PartyName(name), ANN, "m"),
        lambda: paths.blob_path(CTL, RUN, name),
        lambda: paths.wake_path(CTL, AT, RUN, name),
        lambda: paths.alive_path(RUNNER, name),
    ):
        with pytest.raises(ValueRefused):
            build()


def test_a_wake_is_rounded_up_to_the_millisecond():
    wakes = [paths.wake_path(CTL, Instant(AT + late), RUN, "w") for late in (-999_999, 0, 1)]

    assert [wake.split("/")[2] for wake in wakes] == [TIME, TIME, "20261012T210153.625Z"]


def test_a_path_lies_under_its_folders_and_no_other():
    path = paths.message_path(CTL, ANN, "m")

    under = ["", "ctl", "ctl/inbox", "ctl/inbox/ann"]
    beside = ["ct", "ctl/inb", "ctl/inbox/an", "ctl/inbox/ann/m", "run"]
    assert all(paths.is_under(path, paths.StorePath(folder)) for folder in under)
    assert not any(paths.is_under(path, paths.StorePath(folder)) for folder in beside)
