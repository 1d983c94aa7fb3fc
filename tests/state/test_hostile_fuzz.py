"""Some cases of every fuzzer; ``make fuzz`` runs them for as long as one likes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fuzz import fuzzers, run

LIMITED = pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", "") or not Path("/proc/self/statm").exists(),
    reason="limits the address space of Linux; ASan's own bookkeeping dies of that",
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=LIMITED if name == "memory-limits" else ()) for name in fuzzers()]
)
def test_a_few_cases_of_each_fuzzer(name: str) -> None:
    fuzzer = fuzzers()[name]()
    seen = run(fuzzer, range(fuzzer.cases))
    assert sum(seen.values()) == fuzzer.cases
    # How a few attacks end that hang on the clock or on free memory nobody knows.
    assert len(seen) > 1 or fuzzer.cases < 50, (
        f"every case ended as {seen}: the attacks do not reach anything"
    )
