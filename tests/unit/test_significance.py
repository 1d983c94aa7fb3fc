"""Paired tests and ranks against SciPy and against the numbers printed in the papers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from streamboost.evaluate.significance import (
    corrected_t,
    paired_t,
    rank_models,
    sign_test,
    wilcoxon,
)

pairs = st.integers(0, 10**6).map(lambda seed: np.random.default_rng(seed).normal(size=(2, 12)).round(2))


@given(pairs)
def test_against_scipy(sample):
    a, b = sample
    t = stats.ttest_rel(a, b)
    assert paired_t(a, b).statistic == pytest.approx(t.statistic)
    assert paired_t(a, b).p == pytest.approx(t.pvalue)
    assert paired_t(a, b).difference == pytest.approx(np.mean(a - b))
    d = a - b
    assert wilcoxon(a, b).p == pytest.approx(stats.wilcoxon(d[d != 0]).pvalue)
    up, down = int((d > 0).sum()), int((d < 0).sum())
    by_hand = min(1.0, 2 * sum(math.comb(up + down, i) for i in range(min(up, down) + 1)) / 2 ** (up + down))
    assert sign_test(a, b).p == pytest.approx(by_hand)


def test_the_correction_widens_the_variance():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.02, 0.05, (2, 50))
    plain, corrected = paired_t(a, b), corrected_t(a, b, 1 / 4)
    # (1/50 + 1/4) / (1/50) = 13.5: the variance factor of five folds, ten times.
    assert plain.statistic / corrected.statistic == pytest.approx(math.sqrt(13.5))
    assert corrected.p == pytest.approx(2 * stats.t.sf(abs(corrected.statistic), 49))


def test_equal_and_always_different():
    same = [0.25, 0.5, 0.125]
    for test in (paired_t, wilcoxon, sign_test):
        assert test(same, same).p == 1.0
    moved = paired_t([0.5, 0.75, 0.375], same)
    assert (moved.p, moved.statistic) == (0.0, math.inf)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_t([1], [2]), "at least 2 pairs"),
        (lambda: paired_t([1, 2], [1]), "one length"),
        (lambda: sign_test([1, math.nan], [1, 2]), "finite"),
        (lambda: corrected_t([1, 2], [1, 1], 0), "test_share"),
        (lambda: rank_models([[1, math.nan]]), "full table"),
        (lambda: rank_models([[1, 2]], alpha=1), "alpha"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Demsar (2006), table 6: AUC of C4.5 and three variants on 14 sets. His text prints the ranks, Friedman's chi square, the F of
# Iman and Davenport, and the critical difference. (.9751: he ranks the two .975 of that set 2 and 3.)
AUC = """.763 .768 .771 .798  .599 .591 .590 .569  .954 .971 .968 .967  .628 .661 .654 .657  .882 .888 .886 .898
.936 .931 .916 .931  .661 .668 .609 .685  .583 .583 .563 .625  .775 .838 .866 .875  1.0 1.0 1.0 1.0
.940 .962 .965 .962  .619 .666 .614 .669  .972 .981 .9751 .975  .957 .978 .946 .970"""


def test_the_example_of_demsar():
    auc = np.array(AUC.split(), dtype=float).reshape(14, 4)
    ranking = rank_models(-auc)
    assert ranking.ranks.tolist() == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert ranking.critical_difference == pytest.approx(1.25, abs=5e-3)
    # He ignores ties, SciPy does not.
    plain = 12 * 14 / 20 * float(((ranking.ranks - 2.5) ** 2).sum())
    assert plain == pytest.approx(9.28, abs=5e-3)
    assert 13 * plain / (14 * 3 - plain) == pytest.approx(3.69, abs=5e-3)
    known = stats.friedmanchisquare(*auc.T)
    assert ranking.chi_square == pytest.approx(known.statistic)
    assert ranking.p_friedman == pytest.approx(known.pvalue)
    assert ranking.p == pytest.approx(stats.f.sf(ranking.f_statistic, 3, 39))


@pytest.mark.parametrize(
    ("k", "q05", "q10"),
    [(2, 1.960, 1.645), (3, 2.343, 2.052), (4, 2.569, 2.291), (6, 2.850, 2.589), (10, 3.164, 2.920)],
)
def test_the_critical_values_of_nemenyi(k, q05, q10):
    table = np.random.default_rng(k).random((7, k))
    scale = math.sqrt(k * (k + 1) / 42)
    assert rank_models(table).critical_difference / scale == pytest.approx(q05, abs=1e-3)
    assert rank_models(table, 0.1).critical_difference / scale == pytest.approx(q10, abs=1e-3)


def test_one_set_or_one_model_can_only_be_ranked():
    assert rank_models([[0.3, 0.1, 0.3]]).ranks.tolist() == [2.5, 1.0, 2.5]
    assert math.isnan(rank_models([[0.3, 0.1, 0.3]]).critical_difference)
    assert math.isnan(rank_models([[0.3], [0.1]]).p)


def test_models_that_are_always_equal():
    ranking = rank_models(np.full((5, 3), 0.2))
    assert ranking.ranks.tolist() == [2.0, 2.0, 2.0]
    assert (ranking.chi_square, ranking.p_friedman) == (0.0, 1.0)
