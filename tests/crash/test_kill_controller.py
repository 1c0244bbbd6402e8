"""kill -9 a controller before each of its writes: the same output, each script once, no gap."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def drill(folder: Path, *flags: str) -> list[dict[str, object]]:
    """Run the drills in a process of their own; give one result each."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.drill", folder / "home", folder / "log", *flags],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def require_exact(results: list[dict[str, object]]) -> None:
    """Check that each run came out as if nothing had happened."""
    for result in results:
        assert result["status"] == "done", result
        assert result["output"] == {"n": 4}, result
        assert result["ran"] == 1, result
        assert result["steps"] == [1, 2, 3], result
        assert result["inboxes"] == [], result


@pytest.mark.slow
def test_killed_before_each_write_a_run_ends_the_same(tmp_path: Path) -> None:
    results = drill(tmp_path)

    require_exact(results)
    # Every write of the run was one before which the controller died, but for the last drill.
    died = [result["died_at"] for result in results]
    assert died == [*range(1, len(results)), None]
    assert len(results) > 12


@pytest.mark.slow
def test_killed_beside_another_controller_a_run_ends_the_same(tmp_path: Path) -> None:
    results = drill(tmp_path, "--beside")

    require_exact(results)
    assert sum(result["died_at"] is not None for result in results) >= 5
