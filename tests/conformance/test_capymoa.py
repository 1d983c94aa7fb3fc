"""Our ensembles in CapyMOA's evaluators; run where CapyMOA (with Java and torch) is installed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    capymoa = pytest.importorskip("capymoa", exc_type=ImportError)

from streamboost import NaiveBayes, OnlineBoostingClassifier, OSBoostClassifier

pytestmark = pytest.mark.filterwarnings("ignore")


def test_prequential_evaluation_of_capymoa_equals_ours():
    from capymoa.evaluation import prequential_evaluation
    from capymoa.stream import NumpyStream

    from streamboost.compat.capymoa import CapyMOAClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] > 0).astype(int)
    stream = NumpyStream(X, y, target_type="categorical")
    learner = CapyMOAClassifier(
        stream.get_schema(), OSBoostClassifier(NaiveBayes(), n_estimators=5), random_seed=3
    )
    accuracy = prequential_evaluation(stream, learner).cumulative.accuracy()
    ours = OSBoostClassifier(NaiveBayes(), n_estimators=5, random_state=3).test_then_train(
        X, y, classes=[0, 1]
    )
    # CapyMOA asks before the first row and counts no answer as wrong; ours answers the first class.
    assert abs(accuracy - 100 * np.mean(ours == y)) <= 100 / len(y) + 1e-9
    assert str(learner) == "OSBoostClassifier"


def test_nominal_columns_come_from_the_schema():
    from capymoa.stream import Schema

    from streamboost.compat.capymoa import CapyMOAClassifier

    schema = Schema.from_custom(
        features=["size", "colour", "class"],
        target="class",
        categories={"colour": ["red", "green"], "class": ["no", "yes"]},
    )
    learner = CapyMOAClassifier(schema, OnlineBoostingClassifier(n_estimators=2))
    assert learner.model.categorical_features == [1]
    with pytest.raises(TypeError, match="no ensemble of streamboost"):
        CapyMOAClassifier(schema, NaiveBayes())
