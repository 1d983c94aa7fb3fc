"""Running named checks one after another, so that all that is wrong is said at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Check = Callable[[Any], None]


@dataclass(frozen=True)
class CheckResult:
    """One check: its name, what it demands, and what went wrong (None: nothing)."""

    name: str
    demand: str
    error: str | None

    @property
    def passed(self) -> bool:
        """Whether nothing went wrong."""
        return self.error is None


def run_checks(subject: Any, checks: Iterable[Check], title: str, on_fail: str) -> list[CheckResult]:
    """Run the checks; raise one AssertionError that lists all failures, or only return them."""
    if on_fail not in ("raise", "return"):
        raise ValueError(f"on_fail={on_fail!r} is not allowed; choose 'raise' or 'return'.")
    results = []
    for check in checks:
        error = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(subject)
        except Exception as caught:  # a learner of another library may raise anything
            error = f"{type(caught).__name__}: {caught}"
        demand = (check.__doc__ or "").strip().split("\n")[0]
        results.append(CheckResult(check.__name__.removeprefix("check_"), demand, error))
    failed = [result for result in results if not result.passed]
    if failed and on_fail == "raise":
        lines = [f"- {result.name}: {result.demand}\n  {result.error}" for result in failed]
        raise AssertionError(f"{title} fails {len(failed)} of {len(results)} checks:\n" + "\n".join(lines))
    return results


def small_stream(
    n_rows: int = 240, n_classes: int = 2, *, nominal: bool = False, seed: int = 5
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return an easy stream of three columns: the first tells the class, a little noise aside."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    told = np.where(rng.random(n_rows) < 0.9, y, rng.integers(0, n_classes, n_rows))
    if nominal:
        X = np.column_stack([told, rng.integers(0, 3, n_rows), rng.integers(0, 2, n_rows)]).astype(float)
    else:
        X = np.column_stack([2.0 * told - n_classes + 1, np.zeros(n_rows), np.zeros(n_rows)])
        X = np.clip(X + rng.normal(scale=0.4, size=X.shape), -6, 6)
    return X, y


def same(a: Any, b: Any, words: str) -> None:
    """Demand equal bits."""
    if not np.array_equal(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64), equal_nan=True):
        raise AssertionError(words)
