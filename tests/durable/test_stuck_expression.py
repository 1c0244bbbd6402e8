"""An expression that no engine can interrupt fails its own run and holds up no other for long."""

from pathlib import Path

import pytest

from tests.crash.home import make_home, started

STUCK = """
flow: stuck
stages:
  only: { job: { script: ./one.js } }
output: ${new Array(1e9).join("").length}
"""
FINE = STUCK.replace("stuck", "fine").replace('new Array(1e9).join("").length', "1 + 1")


@pytest.mark.slow
def test_a_built_in_that_runs_on_fails_its_run_alone(tmp_path: Path) -> None:
    corbie = make_home(tmp_path / "home")
    (tmp_path / "one.js").write_text("return 1;\n")
    (tmp_path / "stuck.yaml").write_text(STUCK)
    (tmp_path / "fine.yaml").write_text(FINE)

    with started(tmp_path / "home"):
        stuck = corbie.submit(tmp_path / "stuck.yaml")
        fine = corbie.submit(tmp_path / "fine.yaml").wait(timeout=90)
        failed = stuck.wait(timeout=90)
        after = corbie.submit(tmp_path / "fine.yaml").wait(timeout=30)

    assert (fine.status, fine.output) == ("done", 2)
    assert failed.failure is not None
    assert failed.failure.status == "limit"
    assert "10 seconds and 1 GiB" in failed.failure.error
    assert after.output == 2
    assert not list((tmp_path / "home" / "suspects").iterdir())
