"""The baseline of a season ago."""

import numpy as np
import pytest

from streamboost import SingleLearnerClassifier, SingleLearnerRegressor
from streamboost.baselines import NoChangeRegressor, SeasonalRegressor
from streamboost.evaluate import prequential
from streamboost.evaluate.residuals import lags_advised


def test_the_target_of_a_season_ago_is_answered():
    y = np.arange(30.0)
    whole = SeasonalRegressor(7).test_then_train(np.zeros((30, 1)), y)
    assert np.isnan(whole[0])
    np.testing.assert_array_equal(whole[1:7], y[:6])
    np.testing.assert_array_equal(whole[7:], y[:-7])
    model = SeasonalRegressor(7)
    pieces = [model.test_then_train(np.zeros((len(part), 1)), part) for part in np.split(y, [1, 9, 20])]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)
    assert model.predict(np.zeros((2, 1))).tolist() == [23.0, 23.0]
    last = SeasonalRegressor(1).test_then_train(np.zeros((30, 1)), y)
    np.testing.assert_array_equal(last, NoChangeRegressor().test_then_train(np.zeros((30, 1)), y))


@pytest.mark.parametrize("delay", [0, 3, 7, 12])
def test_the_season_is_kept_where_targets_come_late(delay):
    y = np.tile(np.arange(7.0), 20)
    result = prequential(
        SingleLearnerRegressor(), (np.zeros((140, 1)), y), delay=delay, baselines=True, season=7
    )
    (seasonal,) = [one for one in result.baselines if one.model_name == "seasonal-7"]
    # The last target, until a season has passed.
    start = sum(abs(y[delay + k] - y[k - 1]) for k in range(1, 7))
    rows = seasonal.n_rows - seasonal.unanswered
    assert seasonal.mae * rows == pytest.approx(start)


def test_a_season_is_for_numbers():
    with pytest.raises(ValueError, match="season=7 is for regression"):
        prequential(SingleLearnerClassifier(), ([[0.0]] * 4, [0, 1, 0, 1]), baselines=True, season=7)


def test_late_targets_are_no_reason_for_lags_that_will_not_be_there():
    assert lags_advised({1: 0.9, 24: 0.5}) == 1
    assert lags_advised({1: 0.9, 24: 0.5}, delay=4) == 20
    assert lags_advised({1: 0.9, 24: 0.5}, delay=24) is None


@pytest.mark.parametrize("season", [0, 1.5, True])
def test_a_wrong_season_is_named(season):
    with pytest.raises(ValueError, match="season="):
        SeasonalRegressor(season).fit([[0.0]], [1.0])


def test_errors_that_repeat_are_told():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(2000, 2)), np.tile(rng.normal(size=24) * 5, 84)[:2000]
    told = prequential(SingleLearnerRegressor(), (X, y))
    assert told.lags_advised == 24
    assert told.residual_correlation[24] > 0.9
    assert (
        prequential(SingleLearnerRegressor(), (X, y), chunk_size=77).residual_correlation
        == told.residual_correlation
    )
    helped = prequential(SingleLearnerRegressor(lags=24), (X, y))
    assert helped.mae < told.mae / 3
    assert prequential(SingleLearnerRegressor(), (X[:400], y[:400])).residual_correlation == {}
