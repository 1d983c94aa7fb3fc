"""The baseline of a season ago."""

import numpy as np
import pytest

from streamboost import SingleLearnerRegressor
from streamboost.baselines import NoChangeRegressor, SeasonalRegressor
from streamboost.evaluate import prequential


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
