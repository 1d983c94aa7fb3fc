"""Random attacks, seeded: each fuzzer makes one case from a number, tries it, and says in one word what happened.

``make fuzz`` (``python -m tests.fuzz --seconds 60``) runs all of them for a while and prints how often each word was said;
the test suite runs a few cases of each. A case that ends in anything but an allowed word raises, with the number that
makes it again. A fuzzer is a class with a name, registered below.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Protocol


class Fuzzer(Protocol):
    """One kind of attack."""

    name: str
    cases: int  # of the test suite

    def attack(self, number: int) -> str:
        """Try case `number` and return what happened."""
        ...


def fuzzers() -> dict[str, Callable[[], Fuzzer]]:
    """Name -> what makes the fuzzer."""
    from tests.fuzz.carries import Carries
    from tests.fuzz.data_files import DataFiles
    from tests.fuzz.interrupts import Interrupts
    from tests.fuzz.keyed_stores import KeyedStores
    from tests.fuzz.laws import Laws
    from tests.fuzz.memory import MemoryLimits
    from tests.fuzz.model_files import ModelFiles
    from tests.fuzz.open_rows import OpenRows
    from tests.fuzz.requests import Requests

    kinds = (ModelFiles, DataFiles, Carries, KeyedStores, Requests, Laws, OpenRows, Interrupts, MemoryLimits)
    return {kind.name: kind for kind in kinds}


class Failure(AssertionError):
    """A case that must not happen, by its number."""


def run(fuzzer: Fuzzer, numbers: Iterable[int], seconds: float = float("inf")) -> Counter[str]:
    """Try cases until they or the time are used up; returns how often each thing happened."""
    seen: Counter[str] = Counter()
    end = time.monotonic() + seconds
    for number in numbers:
        if time.monotonic() > end:
            break
        try:
            seen[fuzzer.attack(number)] += 1
        except Exception as error:
            raise Failure(f"{fuzzer.name}, case {number}: {type(error).__name__}: {error}") from error
    return seen
