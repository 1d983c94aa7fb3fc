"""Cross-validation: the folds are folds, the orders are orders, and the errors those of the obvious loop."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamboost import BaggingClassifier, NaiveBayes, OnlineBoostingClassifier
from streamboost.evaluate import cross_validate
from streamboost.evaluate.folds import fold_rows, training_order
from streamboost.streams import DataError


def data(n=90):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, "up", "down")


def model():
    return OnlineBoostingClassifier(NaiveBayes(), n_estimators=3, random_state=0)


@given(st.integers(2, 60), st.integers(2, 9), st.integers(0, 2**64 - 1), st.integers(0, 12))
def test_test_sets_are_disjoint_and_cover_all_rows(n, folds, seed, repeat):
    folds = min(folds, n)
    tests = []
    for fold in range(folds):
        train, test = fold_rows(n, folds, seed, repeat, fold)
        assert sorted([*train, *test]) == list(range(n))
        assert abs(test.size - n / folds) < 1
        tests.extend(test.tolist())
    assert sorted(tests) == list(range(n))


def test_passes_folds_and_orders_differ():
    tests = {tuple(fold_rows(40, 4, 7, repeat, 0)[1].tolist()) for repeat in range(10)}
    assert len(tests) == 10
    orders = {
        tuple(training_order(7, r, f, o, 30).tolist()) for r in range(3) for f in range(4) for o in range(5)
    }
    assert len(orders) == 60


def test_errors_are_those_of_the_obvious_loop():
    X, y = data()
    found = cross_validate(model(), (X, y), folds=3, repeats=2, orders=2, seed=5)
    assert found.errors.shape == (2, 3, 2)
    for repeat, fold, order in np.ndindex(2, 3, 2):
        train, test = fold_rows(len(y), 3, 5, repeat, fold)
        rows = train[training_order(5, repeat, fold, order, train.size)]
        one = model().fit(X[rows], y[rows])
        assert found.errors[repeat, fold, order] == np.mean(one.predict(X[test]) != y[test])
    assert found.error == pytest.approx(found.errors.mean())
    np.testing.assert_allclose(found.by_fold, found.errors.mean(axis=2).reshape(-1))
    assert found.fit_seconds > 0


def test_more_passes_do_not_change_the_first():
    few = cross_validate(model(), data(), folds=3, repeats=1, orders=1)
    many = cross_validate(model(), data(), folds=3, repeats=2, orders=3)
    np.testing.assert_array_equal(few.errors[0, :, 0], many.errors[0, :, 0])


def test_models_are_paired_by_fold_batch_ones_too():
    seen = []
    online = cross_validate(model(), data(), folds=3, repeats=2, orders=2, callback=seen.append)
    batch = cross_validate(
        BaggingClassifier(NaiveBayes(), n_estimators=3, random_state=0), data(), folds=3, repeats=2, orders=1
    )
    assert len(seen) == 12
    tests = online.against(batch)
    difference = np.mean(online.by_fold - batch.by_fold)
    assert tests["t"].difference == pytest.approx(difference)
    assert tests["corrected-t"].p >= tests["t"].p


def test_nonsense_is_refused():
    with pytest.raises(ValueError, match="folds must be at least 2"):
        cross_validate(model(), data(), folds=1)
    with pytest.raises(ValueError, match="repeats and orders"):
        cross_validate(model(), data(), repeats=0)
    with pytest.raises(DataError, match="no rows"):
        cross_validate(model(), (np.zeros((0, 2)), np.zeros(0)))


def test_the_page_on_evaluation_runs():
    page = (Path(__file__).resolve().parents[2] / "docs" / "evaluation.md").read_text()
    X, y = data(60)
    names = {"X": X, "y": y, "other": model()}
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)
    assert len(blocks) == 4
    for block in blocks:
        exec(compile(block, "evaluation.md", "exec"), names)
    assert names["ours"].errors.shape == (10, 5, 5)
