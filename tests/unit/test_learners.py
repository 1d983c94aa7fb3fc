from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from streamboost import (
    BAN,
    OGD,
    TAN,
    LogisticRegression,
    NaiveBayes,
    OSBoostClassifier,
    Perceptron,
    SingleLearnerClassifier,
)
from streamboost.models import LEARNERS
from streamboost.streams.datasets.builtin import load_builtin


@pytest.mark.parametrize("cls", LEARNERS.values())
def test_learners_hold_parameters_only(cls):
    learner = cls()
    assert clone(learner).get_params() == learner.get_params()
    assert set(vars(learner)) == set(learner.get_params())
    assert set(cls._parameter_constraints) == set(learner.get_params())


def test_defaults_of_the_papers():
    assert Perceptron().start == "sphere"
    assert OGD().start == LogisticRegression().start == "zero"
    assert NaiveBayes().get_params() == {
        "alpha": None,
        "var_floor": 1e-3,
        "prior_alpha": 1e-2,
        "divisor": "class",
        "counts": None,
        "sparse": "auto",
        "feature_fraction": None,
    }


def test_alpha_follows_the_form():
    assert NaiveBayes().plan().params["alpha"] == 0
    assert NaiveBayes(counts="multinomial").plan().params["alpha"] == 1
    assert NaiveBayes(0.5, counts="multinomial").plan().params["alpha"] == 0.5


def test_start_takes_an_array():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), [0, 1]
    model = SingleLearnerClassifier(Perceptron(start=np.array([3.0, -3.0, 0.0])))
    first = model.test_then_train(X, y, classes=[0, 1])
    assert first[0] == 1, "the start vector answers before anything is learned"


@pytest.mark.parametrize("start", [np.array([np.nan, 0, 0]), np.zeros(7), np.zeros((2, 2, 2))])
def test_bad_starts_are_refused(start):
    with pytest.raises(ValueError):
        SingleLearnerClassifier(Perceptron(start=start)).fit(np.eye(2), [0, 1])


@pytest.mark.parametrize("learner", [NaiveBayes(feature_fraction=0.5), Perceptron(feature_fraction=0.5)])
def test_feature_subsets_differ_by_lane(learner):
    X = np.random.default_rng(0).normal(size=(80, 6))
    y = (X[:, 0] > 0).astype(int)
    model = OSBoostClassifier(learner, n_estimators=8, random_state=1).fit(X, y)
    assert len(set(model.report().lanes["error_rate"].tolist())) > 1


@pytest.mark.parametrize("learner", [TAN(), BAN()], ids=["tan", "ban"])
def test_networks_refuse_numbers_and_say_what_to_use(learner):
    model = SingleLearnerClassifier(learner, categorical_features=[0])
    with pytest.raises(
        ValueError, match=r"column 1 is numeric.*categorical_features.*NaiveBayes or DecisionStump"
    ):
        model.partial_fit([[0.0, 1.5]], [0], classes=[0, 1])


@pytest.mark.parametrize("learner", [TAN(), BAN(n_parents=2, smoothing=0)], ids=["tan", "ban"])
def test_networks_see_what_naive_bayes_cannot(learner):
    """Synthetic-1 of the thesis: the best possible accuracy is 0.732, naive Bayes has 0.50."""
    stream = load_builtin("synthetic-1", n_rows=30_000)
    chunks = list(stream.chunks())
    X, y = (np.concatenate([getattr(chunk, name) for chunk in chunks]) for name in ("X", "y"))
    nominal = list(range(X.shape[1]))
    model = SingleLearnerClassifier(learner, categorical_features=nominal).fit(X[:20_000], y[:20_000])
    assert (model.predict(X[20_000:]) == y[20_000:]).mean() > 0.715
