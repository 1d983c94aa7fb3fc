"""What the ensembles of regressors share."""

from __future__ import annotations

from typing import Any, ClassVar

from streamboost.base.regressor import StreamRegressor
from streamboost.ensemble.common import (
    CATEGORICAL_FEATURES,
    DRIFT,
    LEARNER,
    MAX_BYTES,
    MONITOR,
    N_JOBS,
    RANDOM_STATE,
    StreamEnsemble,
)
from streamboost.learners import Learner, LinearRegression

REGRESSION_LEARNER = LEARNER.saying(
    "The weak learner: one of streamboost's own regressors (None means ``LinearRegression()``), or any regressor with "
    "``partial_fit`` and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style)."
)
REGRESSION_SHARED = (RANDOM_STATE, N_JOBS, MONITOR, CATEGORICAL_FEATURES, *DRIFT, MAX_BYTES)
"""The last parameters of every ensemble of regressors."""


class RegressionEnsemble(StreamEnsemble, StreamRegressor):
    """A regressor made of weak learners."""

    _attributes: ClassVar[tuple[tuple[str, str, str], ...]] = (
        ("n_features_in_", "int", "Number of columns."),
        ("feature_names_in_", "array of str", "Names of the columns, if the first rows had names."),
    )

    @classmethod
    def _default_learner(cls) -> Learner:
        return LinearRegression()

    def _advice(self, lanes: Any, n_learned: int) -> tuple[str, ...]:
        return ()
