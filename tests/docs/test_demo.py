"""`make demo`, without its installation: what it must show, in order."""

import re
import subprocess
import sys

import pytest

from tests.architecture.checkout import ROOT


@pytest.mark.slow
def test_the_demonstration_shows_both_ways() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "demo" / "run.py")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    shown = re.sub(r"127\.0\.0\.1:\d+", "SITE", done.stdout)
    output = 'output: {"title":"Example Domain","url":"http://SITE"}'
    assert re.search(
        r"\S+Z 1 step 1 <- start {\"url\":\"http://SITE\"}\n"
        r"\S+Z 1 step 1 -> job get_title: a script, on runner\n"
        r"\S+Z 1 step 2 <- done from get_title {\"title\":\"Example Domain\",\"url\":\"http://SITE\"}\n"
        r"\S+Z 1 step 2 done\n" + re.escape(output),
        shown,
    )
    assert shown.count(output) == 2
    assert "controller demo-controller is ready\n" in shown
    assert re.search(r"\ndemo-client/\S+  done  flow fetch-title  step 2\n", shown)
    for kind in ("finished/", "receipts/", "steps/00000002", "blobs/", "trust/", "version"):
        assert kind in shown.partition("What is left in the store")[2]
    assert shown.endswith(" 0 bad\n")
