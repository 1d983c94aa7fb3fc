"""Intervals of regressors keep their promise on any stream; targets may be learned as logarithms."""

import numpy as np
import pytest

import streamboost
from streamboost import (
    HoeffdingTreeRegressor,
    OnlineBaggingRegressor,
    OnlineGradientBoostingRegressor,
    SingleLearnerRegressor,
    StreamBoostRegressor,
    catalogue,
)

REGRESSORS = [getattr(streamboost, entry.class_name) for entry in catalogue.REGRESSORS]
ETA = 0.01


def small(cls, **options):
    return cls(
        random_state=1, **options, **({"n_estimators": 4} if "n_estimators" in cls().get_params() else {})
    )


def drifting(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    noise = rng.normal(size=n) * np.where(np.arange(n) < n // 2, 0.1, 20)
    return X, X @ [1.0, -2.0, 0.5] + np.where(np.arange(n) < n // 3, 0, 50) + noise


def slack(coverage, n):
    return (max(coverage, 1 - coverage) + ETA) / (ETA * n)


def inside(intervals, y):
    return (intervals[:, 0] <= y) & (y <= intervals[:, 1])


@pytest.mark.parametrize("cls", REGRESSORS)
@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_the_promise_holds_where_the_stream_drifts(cls, coverage):
    X, y = drifting()
    model = small(cls, coverages=(0.8, coverage) if coverage != 0.8 else (0.8,))
    intervals = model.test_then_train_intervals(X, y, coverage)
    hits = inside(intervals, y)[1:]  # before the first target there is no answer to be off from
    assert abs(hits.mean() - coverage) <= slack(coverage, len(hits))
    assert model.report().totals[f"coverage/{coverage:.2f}"] == pytest.approx(hits.mean())
    widths = np.diff(intervals, axis=1)[:, 0]
    assert np.nanmedian(widths[500:900]) < np.nanmedian(widths[-500:]) / 10


def test_the_promise_holds_against_an_adversary():
    model = SingleLearnerRegressor(coverages=(0.9,)).fit([[0.0], [1.0]], [0.0, 1.0])
    rng, hits = np.random.default_rng(2), []
    for t in range(3000):
        x = {0: float(rng.normal())}
        low, high = model.predict_interval_one(x)
        # It goes just outside whenever it can, further and further; an empty interval it cannot hit.
        y = high + 1.0 + 0.01 * t if np.isfinite(high) else 0.0
        hits.append(low <= y <= high)
        model.learn_one(x, y)
    assert abs(np.mean(hits) - 0.9) <= (0.9 + 2 * ETA) / (ETA * 3000)


def test_constant_targets_have_points_for_intervals():
    X, _ = drifting(600)
    model = SingleLearnerRegressor(coverages=0.9)
    intervals = model.test_then_train_intervals(X, np.full(600, 3.5))
    shown = intervals[~np.isnan(intervals[:, 0])][5:]
    assert np.allclose(shown, 3.5)
    assert abs(inside(intervals, 3.5)[1:].mean() - 0.9) <= slack(0.9, 599)


def slow_intervals(answers, y, coverage):
    """The rule, with a plain histogram."""
    alpha, bins, off, seen = 1 - coverage, np.zeros(1024), 0.0, 0.0
    out = []
    for a, target in zip(answers, y, strict=True):
        usual = off / seen if seen else 0.0
        if alpha >= 1:
            reach = -1.0
        elif alpha <= 0 or not bins.sum():
            reach = np.inf
        else:
            end = 1 + int(np.argmax(np.cumsum(bins) >= (1 - alpha) * bins.sum() * (1 - 1e-12)))
            reach = np.inf if end == 1024 else usual * 32 * end / 1024
        out.append((a - reach, a + reach) if reach >= 0 else (np.nan, np.nan))
        if np.isnan(a):
            continue
        miss = abs(target - a)
        alpha += ETA * ((1 - coverage) - (miss > reach))
        bins *= 0.999
        if seen:
            share = miss / usual / 32 if usual else float(miss > 0)
            bins[min(int(min(share, 1.0) * 1024), 1023)] += 1
        off, seen = 0.999 * off + miss, 0.999 * seen + 1
    return np.array(out)


@pytest.mark.parametrize("seed", range(3))
def test_intervals_are_their_oracle(seed):
    X, y = drifting(1500, seed)
    answers = SingleLearnerRegressor().test_then_train(X, y)
    got = SingleLearnerRegressor(coverages=(0.9,)).test_then_train_intervals(X, y)
    expected = slow_intervals(answers, y, 0.9)
    same = np.isclose(got, expected, rtol=1e-9, equal_nan=True).all(axis=1)
    assert same.mean() > 0.995  # a quantile on the edge of an interval may fall to either side


@pytest.mark.parametrize("cls", [OnlineBaggingRegressor, StreamBoostRegressor])
def test_the_laws_hold_with_stages(cls, tmp_path):
    X, y = drifting(700)
    y = np.abs(y)
    w = np.random.default_rng(0).integers(0, 3, 700).astype(float)
    options = {"coverages": (0.8, 0.9), "target": "log1p"}
    whole, pieces = small(cls, **options), small(cls, **options)
    expected = whole.test_then_train_intervals(X, y, 0.8, w)
    got = [
        pieces.test_then_train_intervals(X[a:b], y[a:b], 0.8, w[a:b]) for a, b in ((0, 1), (1, 60), (60, 300))
    ]
    pieces.save(tmp_path / "m")
    loaded = streamboost.load(tmp_path / "m")
    assert loaded.coverages == (0.8, 0.9) or list(loaded.coverages) == [0.8, 0.9]
    pieces = loaded.set_params(n_jobs=2)
    got.append(pieces.test_then_train_intervals(X[300:], y[300:], 0.8, w[300:]))
    assert np.concatenate(got).tobytes() == expected.tobytes()
    pieces.partial_fit(X, y, np.zeros(700))
    assert pieces.snapshot().predict_interval(X).tobytes() == whole.predict_interval(X).tobytes()
    assert pieces.predict(X).tobytes() == whole.predict(X).tobytes()
    row = dict(enumerate(X[5].tolist()))
    assert whole.predict_interval_one(row, 0.9) == tuple(whole.predict_interval(X[5:6])[0])
    assert whole.predict_one(row) == whole.predict(X[5:6])[0]


def test_labels_that_come_late():
    X, y = drifting(4000, seed=3)
    X, y = X[:2000], X[:2000] @ [1.0, -2.0, 0.5] + np.random.default_rng(1).normal(size=2000)
    model = OnlineGradientBoostingRegressor(HoeffdingTreeRegressor(), n_estimators=5, coverages=(0.9,))
    model.partial_fit(X[:50], y[:50])
    hits = []
    for first in range(50, 1950, 50):
        intervals = model.predict_interval(X[first + 50 : first + 100])
        hits.append(inside(intervals, y[first + 50 : first + 100]))
        model.partial_fit(X[first : first + 50], y[first : first + 50])
    assert np.concatenate(hits).mean() == pytest.approx(0.9, abs=0.03)


def test_what_is_refused():
    X, y = drifting(50)
    model = SingleLearnerRegressor().fit(X, y)
    with pytest.raises(ValueError, match=r"coverage=0.9 is not kept.*coverages=\(0.9,\).*it keeps none"):
        model.predict_interval(X)
    with pytest.raises(ValueError, match=r"it keeps \[0.5\]"):
        SingleLearnerRegressor(coverages=(0.5,)).fit(X, y).predict_interval_one({0: 1.0, 1: 1.0, 2: 1.0}, 0.8)
    for wrong in ((0.5, 1.5), "0.9", (), (0.9, 0.9)):
        with pytest.raises(ValueError, match="coverages"):
            SingleLearnerRegressor(coverages=wrong).fit(X, y)
    assert SingleLearnerRegressor(coverages=0.9).predict_interval_one({0: 1.0}) == (-np.inf, np.inf)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_targets_as_logarithms(cls, tmp_path):
    X, _ = drifting(1500)
    y = np.exp(X @ [0.5, -1.0, 0.2]) * 100
    model = small(cls, target="log1p")
    answers = model.test_then_train(X, y)
    logs = small(cls).test_then_train(X, np.log1p(y))
    assert np.allclose(answers, np.expm1(logs), rtol=1e-6, equal_nan=True)
    model.save(tmp_path / "m")
    assert streamboost.load(tmp_path / "m").predict(X).tobytes() == model.predict(X).tobytes()
    before = model.predict(X)
    for wrong in (-1.0, -3.0):
        with pytest.raises(
            ValueError,
            match=rf"y contains {wrong:.3g} \(row 1\); with target='log1p' targets must be above -1",
        ):
            model.partial_fit(X[:3], [1.0, wrong, 2.0])
        with pytest.raises(ValueError, match="log1p"):
            model.learn_one(dict(enumerate(X[0])), wrong)
    assert model.predict(X).tobytes() == before.tobytes()


def test_logarithms_help_where_targets_grow_by_factors():
    X, _ = drifting(3000)
    y = 100 * np.exp(X @ [0.5, -1.0, 0.2])
    error = {
        target: np.abs(SingleLearnerRegressor(target=target).test_then_train(X, y) - y)[1000:].mean()
        for target in ("raw", "log1p")
    }
    assert error["log1p"] < 0.5 * error["raw"]


@pytest.mark.parametrize("cls", REGRESSORS)
def test_explanations_add_up(cls):
    X, y = drifting(800)
    X[::7, 1] = np.nan
    model = small(cls, target="log1p").fit(X, np.abs(y))
    for options in ({}, {"exact": True}):
        told = model.explain(X[:20], **options)
        assert np.allclose(told.base + told.contributions.sum(axis=1), model.predict(X[:20]))
        assert np.allclose(told.score, model.predict(X[:20]))
        assert (told.contributions[[0, 7, 14], 1] == 0).all()
    one = model.explain_one(dict(enumerate(X[1].tolist())), exact=True)
    assert one.contributions == dict(enumerate(model.explain(X[1:2], exact=True).contributions[0].tolist()))
    assert "of 'the answer'" in str(one)
    with pytest.raises(ValueError, match="n_orders=0 must be at least 1"):
        model.explain(X, n_orders=0)


def test_an_exact_explanation_names_the_column_that_matters():
    X, _ = drifting(2000)
    model = SingleLearnerRegressor().fit(X, 5 * X[:, 1])
    told = model.explain(X[:50], exact=True)
    assert np.allclose(told.contributions[:, 1], 5 * X[:50, 1], atol=0.2)
    assert np.abs(told.contributions[:, [0, 2]]).max() < 0.2
