"""Seeds that once failed, then many; and a planted bug that they must find."""

import os

import pytest

from tests.simulation.plan import run_seed

SEEDS = int(os.environ.get("CORBIE_SIM_SEEDS", "1000"))
BITES = 20


@pytest.mark.parametrize("bite", range(BITES))
def test_every_promise_holds_under_faults(bite: int) -> None:
    for seed in range(bite, SEEDS, BITES):
        run_seed(seed)
