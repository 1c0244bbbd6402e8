"""True of all paths: what is built is read back, and what is read stays inside."""

import posixpath

from hypothesis import given
from hypothesis import strategies as st

from corbie.domain import paths
from corbie.domain.errors import ValueRefused
from corbie.domain.names import JobId, PartyName, RunId
from corbie.domain.times import Instant, parse_path_time

parties = st.from_regex(r"[A-Za-z][A-Za-z0-9._-]{0,63}", fullmatch=True).filter(
    lambda name: name != "version"
)
segments = st.from_regex(r"[A-Za-z0-9._~-]{1,80}", fullmatch=True).filter(
    lambda name: name not in {".", ".."}
)
runs = st.builds("{}/{}".format, parties, segments).map(RunId)
instants = st.integers(0, 253_402_300_799_000_000_000 - 1).map(Instant)
numbers = st.integers(0, 99_999_999)


@given(parties, parties, segments)
def test_a_message_is_read_as_built(owner, sender, name):
    parts = paths.parse_path(paths.message_path(PartyName(owner), PartyName(sender), name))

    assert (parts.kind, parts.owner, parts.sender, parts.name) == ("inbox", owner, sender, name)


@given(parties, runs, segments, numbers)
def test_an_emit_is_read_as_built(owner, run, job, number):
    parts = paths.parse_path(paths.emit_path(PartyName(owner), run, JobId(job), number))

    assert (f"{parts.client}/{parts.run}", parts.sender) == (run, job)
    assert int(parts.name) == number


@given(parties, runs, segments, instants, instants)
def test_wakes_sort_by_time_and_are_never_early(owner, run, name, one, other):
    def wake(at):
        return paths.parse_path(paths.wake_path(PartyName(owner), at, run, name)).time

    assert (wake(one) < wake(other)) <= (one < other)
    assert 0 <= parse_path_time(wake(one)) - one < 1_000_000


@given(st.text(max_size=60) | st.lists(segments, max_size=7).map("/".join))
def test_what_is_read_as_a_path_stays_inside_the_store_and_is_no_folder_of_its_own(text):
    try:
        paths.parse_path(text)
    except ValueRefused:
        return
    assert posixpath.normpath(text) == text
    assert text.isascii()
    assert not text.startswith((".", "/"))


@given(segments, segments, segments)
def test_no_path_is_a_folder_of_another(owner, one, other):
    """A file system cannot hold a file where it has a folder."""
    kinds = set()
    for text in (f"{owner}/slots/{one}", f"{owner}/slots/{one}/{other}"):
        try:
            kinds.add(paths.parse_path(text).kind)
        except ValueRefused:
            continue
    assert len(kinds) <= 1
