"""Settings: which source wins, what is refused, and where each value came from."""

from pathlib import Path

import pytest

from corbie.domain.errors import SetupRefused
from corbie.domain.times import MINUTE, SECOND
from corbie.entrypoints.settings import (
    SettingsRead,
    format_origin,
    read_settings,
    require_party,
)


def test_everything_but_the_parties_has_a_default(tmp_path: Path) -> None:
    read = _read(tmp_path, "")

    assert read.settings.interval == 2 * SECOND
    assert read.settings.grace == 10 * MINUTE
    assert read.settings.jobs >= 1
    assert read.settings.store == str(tmp_path / "store")
    assert read.settings.controller is None
    assert set(read.origins) == {"home"}


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    read = _read(
        tmp_path,
        "jobs: 1\ngrace: 1s\ninterval: 1s\n",
        flags={"jobs": 3, "grace": None},
        environment={"CORBIE_JOBS": "2", "CORBIE_GRACE": "2s"},
    )

    assert (read.settings.jobs, read.settings.grace, read.settings.interval) == (
        3,
        2 * SECOND,
        SECOND,
    )
    assert format_origin(read.origins["jobs"]) == "--jobs"
    assert format_origin(read.origins["grace"]) == "CORBIE_GRACE"
    assert format_origin(read.origins["interval"]) == f"{tmp_path}/config.yaml:3"
    assert format_origin(read.origins.get("store")) == "default"


def test_the_log_is_for_people_on_a_terminal_only(tmp_path: Path) -> None:
    assert _read(tmp_path, "").settings.log_format == "json"
    assert _read(tmp_path, "", is_terminal=True).settings.log_format == "human"
    assert _read(tmp_path, "log_format: human").settings.log_format == "human"


def test_a_file_of_comments_sets_nothing(tmp_path: Path) -> None:
    assert set(_read(tmp_path, "# jobs: 4\n\n  # done\n").origins) == {"home"}


def test_an_empty_variable_is_not_set(tmp_path: Path) -> None:
    assert "jobs" not in _read(tmp_path, "", environment={"CORBIE_JOBS": ""}).origins


@pytest.mark.parametrize(
    ("environment", "home"),
    [
        ({"CORBIE_HOME": "/a", "XDG_CONFIG_HOME": "/x", "HOME": "/h"}, "/a"),
        ({"XDG_CONFIG_HOME": "/x", "HOME": "/h"}, "/x/corbie"),
        ({"XDG_CONFIG_HOME": "relative", "HOME": "/h"}, "/h/.config/corbie"),
        ({"HOME": "/h"}, "/h/.config/corbie"),
    ],
)
def test_the_home_is_found_by_its_variable_then_xdg_then_the_users_home(
    environment: dict[str, str], home: str
) -> None:
    read = read_settings(flags={}, environment=environment, is_terminal=False)

    assert read.settings.home == Path(home)


@pytest.mark.parametrize(
    ("written", "store"),
    [("s", "{home}/s"), ("/srv/s", "/srv/s"), ("corbie://host:1", "corbie://host:1")],
)
def test_a_store_path_in_the_file_counts_from_the_home(
    tmp_path: Path, written: str, store: str
) -> None:
    read = _read(tmp_path, f'store: "{written}"\n')

    assert read.settings.store == store.format(home=tmp_path)


def test_a_store_path_in_a_flag_counts_from_the_current_directory(tmp_path: Path) -> None:
    assert _read(tmp_path, "", flags={"store": "s"}).settings.store == str(Path.cwd() / "s")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stor: x\n", ':1:1: stor: there is no setting "stor"; did you mean "store"?'),
        ("a:\n  b: 1\n", ':1:1: a: there is no setting "a"; the settings are home, store, '),
        ("jobs: 0\n", ":1:7: jobs: 0 does not fit; write a whole number from 1 to 1024"),
        ("jobs: 1025\n", ":1:7: jobs: 1025 does not fit; write a whole number from 1 to 1024"),
        ("jobs: true\n", ":1:7: jobs: true does not fit; write a whole number from 1 to 1024"),
        ("interval: 2\n", ":1:11: interval: 2 does not fit; write a duration from 10ms, as 2s"),
        ("interval: 9ms\n", 'interval: "9ms" does not fit; write a duration from 10ms'),
        ("log_format: xml\n", 'log_format: "xml" does not fit; write human or json'),
        ("store: ''\n", 'store: "" does not fit; write a path or URL'),
        ("client: a/b\n", 'client: "a/b" does not fit; write a letter, then up to 63'),
        ("home: /x\n", "the file is in the home, so it cannot say where that is"),
        ("- jobs\n", ": the configuration is a list; write a line for each setting"),
        ("jobs: 1\njobs: 2\n", ":2:1: jobs: "),
        ("jobs: [\n", "config.yaml:"),
        ("\x00", "config.yaml:"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_the_place(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(SetupRefused) as refused:
        _read(tmp_path, text)

    assert message in str(refused.value)


def test_every_value_that_does_not_fit_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupRefused) as refused:
        _read(tmp_path, "jobs: x\n", flags={"grace": "x"}, environment={"CORBIE_INTERVAL": "x"})

    assert [line.split(": ")[0] for line in str(refused.value).splitlines()] == [
        "--grace",
        "CORBIE_INTERVAL",
        f"{tmp_path}/config.yaml:1:7",
    ]


def test_an_unknown_variable_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(SetupRefused) as refused:
        _read(tmp_path, "", environment={"CORBIE_INTERVALL": "2s"})

    assert str(refused.value) == (
        'CORBIE_INTERVALL: there is no setting "intervall"; did you mean "interval"?'
    )


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").mkdir()

    with pytest.raises(SetupRefused, match="cannot be read: Is a directory"):
        read_settings(flags={}, environment={"CORBIE_HOME": str(tmp_path)}, is_terminal=False)


def test_a_party_that_is_not_set_up_is_refused_with_what_to_run(tmp_path: Path) -> None:
    settings = _read(tmp_path, "client: ann\n").settings

    assert require_party(settings, "client") == "ann"
    with pytest.raises(SetupRefused, match=r"no runner is set up in .*; run `corbie init` first"):
        require_party(settings, "runner")


def _read(
    home: Path,
    text: str,
    *,
    flags: dict[str, str | int | None] | None = None,
    environment: dict[str, str] | None = None,
    is_terminal: bool = False,
) -> SettingsRead:
    (home / "config.yaml").write_text(text, "utf-8")
    return read_settings(
        flags=flags or {},
        environment={"CORBIE_HOME": str(home), **(environment or {})},
        is_terminal=is_terminal,
    )
