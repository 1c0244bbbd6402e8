"""Seeds that once failed, then many; and rules left out, which they must find.

`CORBIE_SIM_SEEDS=5000` plays more; a failure names its seed and shows what came before.
"""

import logging
import os

import pytest

from tests.simulation.plan import run_seed
from tests.simulation.planted import PLANTED
from tests.simulation.world import Violation

SEEDS = int(os.environ.get("CORBIE_SIM_SEEDS", "1000"))
BITES = 20
PLANTED_SEEDS = 300

# Each found a fault once: what it was stands in the changelog of the day.
ONCE_FAILED = [810, 1221]

# A seed deletes hundreds of messages on purpose.
logging.getLogger("corbie").setLevel(logging.CRITICAL)


@pytest.mark.parametrize("seed", ONCE_FAILED)
def test_a_seed_that_once_failed_holds(seed: int) -> None:
    run_seed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("bite", range(BITES))
def test_every_promise_holds_under_faults(bite: int) -> None:
    for seed in range(bite, SEEDS, BITES):
        run_seed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("rule", PLANTED)
def test_a_rule_left_out_is_found(rule: str) -> None:
    plant = PLANTED[rule]
    for seed in range(PLANTED_SEEDS):
        try:
            run_seed(seed, plant.make, plant.runner)
        except Violation:
            return
    pytest.fail(f"{PLANTED_SEEDS} seeds did not find what {rule}")
