"""The baseline of a season ago."""

import numpy as np
import pytest

from streamboost.baselines import NoChangeRegressor, SeasonalRegressor


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
