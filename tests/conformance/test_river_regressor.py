"""River's own checks and evaluation for our regressors."""

import numpy as np
import pytest

river = pytest.importorskip("river")

from river import datasets, evaluate, metrics  # noqa: E402

from streamboost import (  # noqa: E402
    AdaptiveRandomForestRegressor,
    OnlineBaggingClassifier,
    OnlineBaggingRegressor,
    OnlineGradientBoostingRegressor,
    StreamBoostRegressor,
)
from streamboost.compat.river import RiverClassifier, RiverRegressor  # noqa: E402
from tests.conformance.river_checks import passed_checks  # noqa: E402


@pytest.mark.parametrize(
    "model",
    [
        OnlineBaggingRegressor(n_estimators=3),
        OnlineGradientBoostingRegressor(n_estimators=3),
        AdaptiveRandomForestRegressor(n_estimators=3),
    ],
    ids=repr,
)
def test_every_check_of_river_passes(model):
    adapter = RiverRegressor(model)
    assert passed_checks(adapter) >= 25


def test_progressive_validation_and_the_model_itself():
    adapter = RiverRegressor(StreamBoostRegressor(n_estimators=5), seed=7)
    rows = list(datasets.TrumpApproval().take(600))
    error = evaluate.progressive_val_score(rows, adapter, metrics.MAE())
    assert error.get() < 1
    ours = StreamBoostRegressor(n_estimators=5, random_state=7)
    for x, y in rows:
        ours.learn_one(dict(sorted(x.items())), y)
    assert ours.predict_one(rows[0][0]) == adapter.predict_one(rows[0][0])


def test_many_rows_are_rows():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    y = pd.Series(X["a"] * 2 - X["c"])
    one, many = (RiverRegressor(OnlineBaggingRegressor(n_estimators=3), seed=1) for _ in range(2))
    assert many.predict_many(X).tolist() == [0.0] * 200
    for x, target in zip(X.to_dict(orient="records"), y, strict=True):
        one.learn_one(x, target)
    many.learn_many(X, y)
    assert many.predict_many(X).tolist() == [one.predict_one(x) for x in X.to_dict(orient="records")]


def test_models_of_the_other_kind_are_refused():
    with pytest.raises(TypeError, match="is no regressor of streamboost"):
        RiverRegressor(OnlineBaggingClassifier())
    with pytest.raises(TypeError, match="is no ensemble"):
        RiverClassifier(OnlineBaggingRegressor())
