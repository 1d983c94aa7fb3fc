"""streamboost models by their command-line names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamboost
from benchmarks.streams import Stream

MODELS = {
    "single": "SingleLearnerClassifier",
    "bagging": "OnlineBaggingClassifier",
    "oza-boost": "OnlineBoostingClassifier",
    "osboost": "OSBoostClassifier",
    "bayes": "BayesianEnsembleClassifier",
    "ogboost": "OGBoostClassifier",
    "online-bbm": "OnlineBBMClassifier",
    "adaboost-ol": "AdaBoostOLClassifier",
    "online-mbbm": "OnlineMBBMClassifier",
    "adaboost-olm": "AdaBoostOLMClassifier",
    "arc-x4": "OnlineArcX4Classifier",
    "blocked-boost": "BlockedBoostingClassifier",
    "primed-boost": "PrimedOnlineBoostingClassifier",
}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "osboost, ocp": ("osboost", {"vote": "ocp"}),
    "osboost, exp": ("osboost", {"vote": "exp"}),
    "adaboost-ol.w": ("adaboost-ol", {"weighting": "importance"}),
}
LEARNERS = {
    "perceptron": "Perceptron",
    "ogd": "OGD",
    "logistic": "LogisticRegression",
    "naive-bayes": "NaiveBayes",
    "stump": "DecisionStump",
    "hoeffding-tree": "HoeffdingTree",
    "iti": "IncrementalTree",
    "tan": "TAN",
    "ban": "BAN",
    "mlp": "MLP",
}


def build(
    model: str,
    learner: str,
    stream: Stream,
    *,
    n_estimators: int = 100,
    learner_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """An untrained model for this stream; every option not named here is left at its default."""
    model, extra = VARIANTS.get(model, (model, {}))
    options = {"random_state": 7, **extra, **options}
    if model != "single":
        options["n_estimators"] = n_estimators
    if stream.n_values is not None:
        options["categorical_features"] = list(range(stream.X.shape[1]))
    weak = getattr(streamboost, LEARNERS[learner])(**learner_options or {})
    return getattr(streamboost, MODELS[model])(weak, **options)
