"""Settings profiles; no fixtures with behaviour."""

import os

from hypothesis import HealthCheck, settings

# A shared machine may pause any example, so no deadline; a failure prints what repeats it.
# 50 examples keep one property under a second; CI looks further.
settings.register_profile(
    "dev",
    max_examples=50,
    deadline=None,
    print_blob=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", settings.get_profile("dev"), max_examples=200)
settings.register_profile("long", settings.get_profile("dev"), max_examples=5_000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") == "true" else "dev")
)
