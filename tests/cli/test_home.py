"""What a home and a store must be, and what is said where they are not."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.commands import Cli

pytestmark = pytest.mark.slow


def test_init_says_what_it_made_and_a_second_time_changes_nothing(cli: Cli) -> None:
    first = cli.run("init", "--name", "desk")
    before = _contents(cli.home)
    second = cli.run("init", "--name", "desk")
    third = cli.run("init", "--json")

    assert (first.status, second.status, third.status) == (0, 0, 0)
    assert first.out.startswith(f"set up in {cli.home}:\n  made ")
    assert "\nnext: corbie start" in first.out
    assert second.out.startswith(f"{cli.home} is set up already; nothing was changed\n")
    assert json.loads(third.out)["made"] == []
    assert _contents(cli.home) == before


def test_init_under_another_name_is_refused(home: Cli) -> None:
    before = _contents(home.home)

    done = home.run("init", "--name", "desk")

    assert (done.status, done.out) == (1, "")
    assert "is set up already, as laptop-controller" in done.err
    assert _contents(home.home) == before


def test_init_that_was_cut_off_is_completed(home: Cli) -> None:
    (home.home / "config.yaml").unlink()
    (home.home / "keys" / "laptop-client.key").unlink()
    (home.home / "cards" / "laptop-client.card").unlink()
    for trust in home.home.glob("store/*/trust/laptop-client"):
        trust.unlink()

    done = home.run("init", "--name", "laptop")

    assert done.status == 0
    assert "made keys of the client laptop-client" in done.out
    assert "laptop-controller" not in done.out.partition("  controller:")[0]


def test_nothing_is_done_where_nothing_is_set_up(cli: Cli) -> None:
    for words in (["start"], ["run", "ls"], ["run", "submit", "echo.yaml"], ["trust", "ls"]):
        done = cli.run(*words)
        assert (done.status, done.out) == (1, "")
        assert done.err.endswith(f"is set up in {cli.home}; run `corbie init` first\n")
    assert not cli.home.exists()


@pytest.mark.parametrize("words", [["start"], ["start", "--once"], ["trust", "ls"]])
def test_a_missing_key_file_is_named(words: list[str], home: Cli) -> None:
    key = home.home / "keys" / "laptop-controller.key"
    key.unlink()

    done = home.run(*words)

    assert done.status == 1
    assert done.err.startswith(f"error: there is no key file {key}; ")
    assert done.err.count("\n") == 1


def test_a_key_file_that_others_may_read_is_refused(home: Cli) -> None:
    key = home.home / "keys" / "laptop-client.key"
    key.chmod(0o644)

    done = home.run("run", "submit", "echo.yaml", "--input", '{"word": "hi"}')

    assert (done.status, done.out) == (1, "")
    assert done.err == f"error: others may read the key file {key}; run `chmod 600 {key}`\n"
    assert list(home.home.glob("store/*/inbox/*/*")) == []


def test_a_store_of_another_version_is_refused(home: Cli) -> None:
    (home.home / "store" / "version").write_text("9\n")

    for words in (["run", "ls"], ["start", "controller"], ["init"]):
        done = home.run(*words)
        assert done.status == 1
        assert done.err == "error: the store has layout 9; this corbie reads 1: upgrade corbie\n"
    assert home.run("start").err.count("layout 9") == 1


def test_a_store_that_is_no_directory_is_refused(home: Cli) -> None:
    shutil.rmtree(home.home / "store")
    (home.home / "store").write_text("a file")

    for words in (["run", "ls"], ["store", "check"], ["init"]):
        done = home.run(*words)
        assert (done.status, done.out) == (1, "")
        assert str(home.home / "store") in done.err
        assert "bug" not in done.err


def test_a_store_that_cannot_be_made_leaves_no_configuration(cli: Cli) -> None:
    (cli.root / "file").write_text("")

    done = cli.run("init", "--store", str(cli.root / "file" / "store"))

    assert done.status == 1
    assert not (cli.home / "config.yaml").exists()


def test_a_store_that_cannot_be_used_leaves_nothing(cli: Cli) -> None:
    (cli.root / "file").write_text("")
    other = cli.root / "other"
    other.mkdir()
    (other / "version").write_text("9\n")

    for store in ("file", "file/store", "other", "s3://bucket"):
        done = cli.run("init", "--store", store if ":" in store else str(cli.root / store))
        assert (done.status, done.out) == (1, "")
        assert not cli.home.exists()
    assert [one.name for one in other.iterdir()] == ["version"]


def test_init_with_another_store_is_refused(home: Cli) -> None:
    before = _contents(home.home)

    done = home.run("init", "--store", str(home.root / "other"))
    same = home.run("init", "--store", str(home.home / "store"))

    assert (done.status, done.out, same.status) == (1, "", 0)
    assert f"is set up already, with the store {home.home / 'store'}; " in done.err
    assert not (home.root / "other").exists()
    assert _contents(home.home) == before


def test_init_makes_no_new_keys_for_a_card_that_others_trust(home: Cli) -> None:
    (home.home / "keys" / "laptop-client.key").unlink()
    before = _contents(home.home)

    done = home.run("init")

    assert (done.status, done.out) == (1, "")
    assert "laptop-client.card is here, but not its keys; restore the key file" in done.err
    assert _contents(home.home) == before


def test_a_full_store_says_so_and_keeps_no_half_run(home: Cli) -> None:
    mounted = home.root / "small"
    mounted.mkdir()
    if os.geteuid() != 0 or not _mount(mounted):
        pytest.skip("only root may mount a file system that is small")
    try:
        assert home.run("config").status == 0
        shutil.copytree(home.home / "store", mounted / "store")
        full = Cli(home.root, {"CORBIE_STORE": str(mounted / "store")})
        fill = mounted / "fill"
        with fill.open("wb") as file:
            _write_until_full(file.fileno())

        done = full.run("run", "submit", "echo.yaml", "--input", '{"word": "hi"}')

        assert (done.status, done.out) == (1, "")
        assert "is full; free some space" in done.err
        assert list(mounted.glob("store/*/inbox/*/*")) == []
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


def test_the_store_keeps_its_promises(home: Cli) -> None:
    done = home.run("store", "check")
    as_json = home.run("store", "check", "--json")

    assert done.status == 0
    assert all(line.startswith("ok      ") for line in done.out.splitlines())
    assert all(one["kept"] for one in json.loads(as_json.out))
    assert home.run("store", "check", "s3://bucket").status == 1


def test_verify_names_each_bad_file_and_its_check(home: Cli) -> None:
    run = home.run("run", "submit", "echo.yaml", "--input", '{"word": "hi"}').out.strip()
    home.run("start", "--once")
    good = home.run("store", "verify", "--json")
    record = home.home / "store" / "laptop-controller" / "records" / run
    step = record / "steps" / "00000002"
    step.write_bytes(_flip(step.read_bytes(), 200))
    for blob in (record / "blobs").iterdir():
        blob.write_bytes(_flip(blob.read_bytes(), 20))
    finished = home.home / "store" / "laptop-controller" / "finished" / run
    moved = finished.with_name(finished.name[:-1] + ("0" if finished.name[-1] != "0" else "1"))
    finished.rename(moved)
    (record / "steps" / "00000001").unlink()

    bad = home.run("store", "verify", "--json")

    assert good.status == 0
    assert json.loads(good.out)["bad"] == []
    assert json.loads(good.out)["blobs"] == 2
    assert bad.status == 1
    found = {one["path"].rpartition("/")[2]: one["check"] for one in json.loads(bad.out)["bad"]}
    assert found["00000001"] == "chain"
    assert found["00000002"] in {"signature", "lines"}
    assert found[moved.name] == "place"
    assert "BAD  laptop-controller/" in home.run("store", "verify").out


def test_verify_names_a_last_step_that_is_missing(home: Cli) -> None:
    home.run("run", "submit", "echo.yaml", "--input", '{"word": "hi"}')
    home.run("start", "--once")
    [second] = home.home.glob("store/*/records/*/*/steps/00000002")
    second.unlink()

    done = home.run("store", "verify")

    assert done.status == 1
    assert "/steps/00000002: refused by the check of chain: missing: step 2\n" in done.out


def test_settings_are_shown_with_where_they_came_from(home: Cli) -> None:
    told = json.loads(Cli(home.root, {"CORBIE_JOBS": "3"}).run("config", "--json").out)

    assert told["jobs"] == {"value": 3, "from": "CORBIE_JOBS"}
    assert told["interval"] == {"value": "2s", "from": "default"}
    assert told["client"] == {"value": "laptop-client", "from": f"{home.home}/config.yaml:3"}
    assert re.search(r"^jobs: [0-9]+  \(default\)$", home.run("config").out, re.MULTILINE)
    bad = Cli(home.root, {"CORBIE_JOBZ": "3"}).run("config")
    assert (bad.status, bad.out) == (1, "")
    assert 'did you mean "jobs"?' in bad.err


def test_parties_are_made_listed_trusted_and_forgotten(home: Cli) -> None:
    made = home.run("party", "new", "builder", "--role", "runner")
    card = home.run("party", "card", "builder").out
    home.write("copy.card", card)
    added = home.run("trust", "add", "copy.card", "--tag", "gpu", "--tag", "big", "--places", "2")
    more = home.run("trust", "add", "builder", "--tag", "arm")

    assert made.status == 0
    assert json.loads(card)["role"] == "runner"
    assert added.out == "builder  runner  tags gpu, big  places 2\n"
    assert more.out == "builder  runner  tags gpu, big, arm  places 2\n"
    assert "builder  runner  keys here\n" in home.run("party", "ls").out
    assert home.run("trust", "ls").out.splitlines() == [
        "builder  runner  tags gpu, big, arm  places 2",
        "laptop-client  client  allow all  secrets *",
        "laptop-runner  runner",
    ]
    assert home.run("trust", "rm", "builder").status == 0
    assert len(json.loads(home.run("trust", "ls", "--json").out)) == 2


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["trust", "add", "laptop-client", "--allow", "nett:x"], 2, 'error: --allow: "nett"'),
        (["trust", "add", "nobody"], 1, "error: there is no card file nobody, and no party"),
        (["trust", "add", "laptop-client", "--tag", "gpu"], 1, "error: laptop-client is a client"),
        (["trust", "add", "echo.js"], 1, "error: the card echo.js cannot be used"),
        (["trust", "add", "laptop-runner", "--places", "0"], 2, "error: --places: write a whole"),
        (["trust", "rm", "nobody"], 1, "error: laptop-controller does not trust nobody"),
        (["party", "new", "laptop-client", "--role", "client"], 1, "error: there is a party"),
        (["party", "new", "../x", "--role", "client"], 1, "error: "),
        (["party", "new", "x", "--role", "boss"], 2, "error: invalid value for '--role'"),
        (["party", "card", "nobody"], 1, "error: there is no card file nobody"),
        (["manual", "permisions"], 1, 'error: the manual has no page "permisions"; did you mean'),
        (["start", "flows"], 2, 'error: there is no role "flows"'),
        (["start", "--interval", "soon"], 1, 'error: --interval: "soon" does not fit'),
    ],
)
def test_a_mistake_is_one_clear_message(
    words: list[str], status: int, text: str, home: Cli
) -> None:
    done = home.run(*words)

    assert (done.status, done.out) == (status, "")
    assert done.err.startswith(text)


def test_another_card_of_a_known_name_is_refused(home: Cli) -> None:
    card = json.loads(home.run("party", "card", "laptop-client").out)
    other = json.loads(home.run("party", "card", "laptop-runner").out)
    home.write("forged.card", json.dumps({**other, "name": card["name"], "role": "client"}))

    done = home.run("trust", "add", "forged.card", "--allow", "all")

    assert done.status == 1
    assert done.err.startswith("error: another card of laptop-client is known here")


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in files if "alive" not in path.parts}


def _flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def _mount(folder: Path) -> bool:
    words = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def _write_until_full(descriptor: int) -> None:
    for size in (4096, 1):
        try:
            while True:
                os.write(descriptor, b"x" * size)
        except OSError:
            continue
