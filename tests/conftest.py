"""Shared set-up: `oracle`, `golden` and `laws` are importable as plain packages from any test."""

import functools
import inspect
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal import reflection
from hypothesis.internal.conjecture import providers

HERE = str(Path(__file__).resolve().parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)

# Derandomised: a red run is red again tomorrow. Not shrunk: the streams are small as they are, and a red run stays quick.
# `--hypothesis-profile=shrink` makes a counter-example as small as can be, `=search` looks for new ones.
settings.register_profile(
    "quick",
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.register_profile("shrink", settings.get_profile("quick"), phases=tuple(Phase))
settings.register_profile("search", settings.get_profile("shrink"), max_examples=400, derandomize=False)
settings.load_profile("quick")

# Hypothesis mixes in the constants of whatever modules are loaded, which hangs on the tests that ran before in the same process:
# derandomised or not, an example would come and go. (Reading all those modules also costs time.)
if hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = lambda: providers._local_constants

# Hypothesis reads the source of a test again, twice, for every set of its parameters.
inspect.getsource = functools.cache(inspect.getsource)
if hasattr(reflection, "_clean_source"):
    reflection._clean_source = functools.cache(reflection._clean_source)

# Hypothesis' plugin wraps the settings of a parametrised test once more for every set of parameters, and asks for the database
# (none here) through all of them: a thousand sets in one process would end in a RecursionError.
sys.setrecursionlimit(10_000)

# A shell ignores interrupts on behalf of what it starts in the background; tests that interrupt a call would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def write(tmp_path):
    """Write a file of the test and return its path."""

    def write(data, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write
