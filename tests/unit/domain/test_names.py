"""What may be a name, at its edges."""

import pytest

from corbie.domain import names
from corbie.domain.errors import ValueRefused
from corbie.domain.times import Instant

RUN = "20261012T210153.624Z-d2729e69f1"


@pytest.mark.parametrize("text", ["a", "A-b_c.d~e", "...", ".a", "0", "a" * 200, "~", "-", "_"])
def test_a_segment_is_given_back(text):
    assert names.require_segment(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "a" * 201,
        "a/b",
        "a b",
        "é",
        "a\n",
        "\na",
        "a\0",
        "a\\b",
        "a%2fb",
        "\uff41",
        "\u0663",
    ],
)
def test_what_cannot_stand_in_a_path_is_refused(text):
    with pytest.raises(ValueRefused, match="cannot stand in a path"):
        names.require_segment(text)


@pytest.mark.parametrize("text", ["a", "Ann", "a.b_c-d9", "a" * 64, "versions"])
def test_a_partys_name_is_given_back(text):
    assert names.parse_party_name(text) == text


@pytest.mark.parametrize(
    "text",
    ["", "a" * 65, "9a", ".a", "-a", "_a", "a~b", "a/b", "a b", "é", "a\n", "version", "a\0"],
)
def test_what_is_no_name_of_a_party_is_refused(text):
    with pytest.raises(ValueRefused, match="no name of a party"):
        names.parse_party_name(text)


@pytest.mark.parametrize("text", ["a", "get-page", "A_1", "a" * 64])
def test_an_author_may_name_things_so(text):
    assert names.is_author_name(text)


@pytest.mark.parametrize("text", ["", "1a", "-a", "a.b", "a b", "a" * 65, "é", "include", "a\n"])
def test_an_author_may_not_name_things_so(text):
    assert not names.is_author_name(text)


def test_a_run_is_named_by_its_time_and_ten_digits():
    at = Instant(1_791_838_913_624_999_999)

    assert names.make_run_name(at, "d2729e69f1") == RUN


@pytest.mark.parametrize(
    "text",
    ["", RUN[:-1], RUN + "0", RUN.replace("-", "_"), RUN.upper(), RUN + "\n", "\u0662" + RUN[1:]],
)
def test_what_is_no_run_is_refused(text):
    with pytest.raises(ValueRefused, match="is no run"):
        names.parse_run_name(text)


def test_a_runs_id_is_split_into_what_it_was_joined_from():
    run = names.make_run_id(names.PartyName("ann"), names.RunName(RUN))

    assert run == f"ann/{RUN}"
    assert names.split_run_id(run) == ("ann", RUN)


@pytest.mark.parametrize("text", ["", "ann", "ann/", f"/{RUN}", f"ann/{RUN}/x", f"../{RUN}"])
def test_what_is_no_runs_id_is_refused(text):
    with pytest.raises(ValueRefused):
        names.split_run_id(names.RunId(text))


def test_a_job_is_named_by_its_run_step_and_index():
    job = names.make_job_id(names.RunId(f"ann/{RUN}"), 3, 0)

    assert job == f"ann.{RUN}.3.0"
    assert names.require_segment(job) == job
