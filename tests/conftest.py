"""Shared set-up: `oracle`, `golden` and `laws` are importable as plain packages from any test."""

import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

HERE = str(Path(__file__).resolve().parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)

# Derandomised: a red run is red again tomorrow. `--hypothesis-profile=search` looks for new examples.
settings.register_profile(
    "quick",
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.register_profile("search", settings.get_profile("quick"), max_examples=400, derandomize=False)
# Many failures at once: do not spend minutes on making each of them small.
settings.register_profile("survey", settings.get_profile("quick"), phases=[Phase.explicit, Phase.generate])
settings.load_profile("quick")
