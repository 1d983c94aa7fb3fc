"""A few hundred cases of every fuzzer; ``make fuzz`` runs them for as long as one likes."""

from __future__ import annotations

import pytest

from tests.fuzz import fuzzers, run

CASES = 300


@pytest.mark.parametrize("name", fuzzers())
def test_a_few_cases_of_each_fuzzer(name: str) -> None:
    seen = run(fuzzers()[name](), range(CASES))
    assert sum(seen.values()) == CASES
    assert len(seen) > 1, f"every case ended as {seen}: the attacks do not reach anything"
