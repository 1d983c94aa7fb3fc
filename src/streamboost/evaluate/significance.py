"""Is one model better than another? Tests of paired measurements, two-sided, with SciPy's distributions.

Pairs are measurements of two models under the same conditions: the same order of the rows, or the same fold. A difference
is ``a - b``; p is the chance of one at least as large if the models were equal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class PairedTest:
    """The outcome of a test: the mean of ``a - b``, the statistic (NaN where there is none), and p."""

    name: str
    difference: float
    statistic: float
    p: float


def paired_t(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """Student's t test of the differences."""
    return _t_test("paired t", _differences(a, b), 0.0)


def corrected_t(a: npt.ArrayLike, b: npt.ArrayLike, test_share: float) -> PairedTest:
    """The corrected resampled t test of Nadeau and Bengio (2003), for folds whose training sets overlap.

    The variance of the mean of n differences is taken as (1/n + q) times their variance, with q the size of a test
    set over that of a training set: ``test_share`` = 1 / (k - 1) for k folds.
    """
    if not test_share > 0:
        raise ValueError(f"test_share must be positive, got {test_share}.")
    return _t_test("corrected resampled t", _differences(a, b), test_share)


def _t_test(name: str, d: npt.NDArray[np.float64], overlap: float) -> PairedTest:
    from scipy import stats

    if d.size < 2:
        raise ValueError(f"A {name} test needs at least 2 pairs, got {d.size}.")
    mean, spread = float(d.mean()), float(d.std(ddof=1))
    if spread == 0:
        # All differences are equal: p = 0, or 1 if they are 0.
        return PairedTest(name, mean, np.copysign(np.inf, mean) if mean else 0.0, 0.0 if mean else 1.0)
    t = mean / (spread * np.sqrt(1.0 / d.size + overlap))
    return PairedTest(name, mean, float(t), float(2.0 * stats.t.sf(abs(t), d.size - 1)))


def wilcoxon(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """Wilcoxon's signed ranks; pairs without a difference are dropped. Exact for up to 50 pairs without ties."""
    from scipy import stats

    d = _differences(a, b)
    if not d.any():
        return PairedTest("Wilcoxon", 0.0, 0.0, 1.0)
    found = stats.wilcoxon(d[d != 0])
    return PairedTest("Wilcoxon", float(d.mean()), float(found.statistic), float(found.pvalue))


def sign_test(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """How often a is larger, against a fair coin; pairs without a difference are dropped.

    With one pair per row of a stream, wrong or right, this is McNemar's exact test.
    """
    from scipy import stats

    d = _differences(a, b)
    larger, smaller = int((d > 0).sum()), int((d < 0).sum())
    p = stats.binomtest(larger, larger + smaller).pvalue if larger + smaller else 1.0
    return PairedTest("sign", float(d.mean()) if d.size else 0.0, float(larger), float(p))


TESTS: dict[str, Callable[..., PairedTest]] = {
    "t": paired_t,
    "corrected-t": corrected_t,
    "wilcoxon": wilcoxon,
    "sign": sign_test,
}
"""The tests by their names on the command line."""


def _differences(a: npt.ArrayLike, b: npt.ArrayLike) -> npt.NDArray[np.float64]:
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"Paired measurements must be two lists of one length, got {x.shape} and {y.shape}.")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("Paired measurements must be finite.")
    return x - y


@dataclass(frozen=True)
class Ranking:
    """Average ranks of models over data sets, 1 being the best, after Demsar (2006).

    ``chi_square`` is Friedman's statistic and ``p_friedman`` its p; ``f_statistic`` and ``p`` are Iman and Davenport's
    less conservative form. Two models whose average ranks differ by ``critical_difference`` or more differ significantly by
    Nemenyi's test at level ``alpha``. NaN where there are too few data sets or models.
    """

    ranks: npt.NDArray[np.float64]
    n_sets: int
    chi_square: float
    p_friedman: float
    f_statistic: float
    p: float
    critical_difference: float
    alpha: float


def rank_models(errors: npt.ArrayLike, alpha: float = 0.05) -> Ranking:
    """Rank models by their errors, one row per data set, one column per model; ties share their mean rank."""
    from scipy import stats

    table = np.asarray(errors, dtype=np.float64)
    if table.ndim != 2 or table.size == 0 or not np.isfinite(table).all():
        raise ValueError("Ranks need a full table of errors: one row per data set, one column per model.")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}.")
    n, k = table.shape
    each: npt.NDArray[Any] = stats.rankdata(table, axis=1)
    ranks = each.mean(axis=0)
    nothing = float("nan")
    if n < 2 or k < 2:
        return Ranking(ranks, n, nothing, nothing, nothing, nothing, nothing, alpha)
    # Demsar's form of Friedman's statistic; with ties it is divided by how much of the variance of ranks they leave.
    spread = float(((each - (k + 1) / 2) ** 2).sum()) / (n * k * (k * k - 1) / 12)
    chi = 12 * n / (k * (k + 1)) * float(((ranks - (k + 1) / 2) ** 2).sum())
    chi = chi / spread if spread > 0 else 0.0
    rest = n * (k - 1) - chi
    f = (n - 1) * chi / rest if rest > 1e-12 else float("inf")
    difference = (
        float(stats.studentized_range.ppf(1 - alpha, k, np.inf)) / np.sqrt(2) * np.sqrt(k * (k + 1) / (6 * n))
    )
    return Ranking(
        ranks,
        n,
        chi,
        float(stats.chi2.sf(chi, k - 1)),
        f,
        float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        float(difference),
        alpha,
    )
