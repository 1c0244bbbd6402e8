"""From submit to done without polling."""

import statistics
import time
from pathlib import Path

import pytest

from tests.crash.home import make_home, started

RUNS = 200
FLOW = """
flow: twice
stages:
  only: { job: { script: ./twice.js, input: { n: "${input.n}" } } }
output: ${stages.only.output}
"""


@pytest.mark.slow
def test_half_of_200_runs_of_one_stage_take_at_most_100_ms_without_polling(
    tmp_path: Path,
) -> None:
    corbie = make_home(tmp_path / "home")
    (tmp_path / "twice.js").write_text("return input.n * 2;\n")
    (tmp_path / "twice.yaml").write_text(FLOW)
    bundle = corbie.read(tmp_path / "twice.yaml")
    spans = []

    with started(tmp_path / "home", "--interval", "60s"):
        for number in range(RUNS):
            began = time.perf_counter()
            outcome = corbie.submit(bundle, {"n": number}).wait(timeout=30)
            spans.append(time.perf_counter() - began)
            assert outcome.output == number * 2

    assert statistics.median(spans) <= 0.1
    # One run that had waited for a poll would have taken a minute.
    assert max(spans) < 30
