"""The public conformance suites pass what is right and name what is wrong."""

from __future__ import annotations

import copy
import random

import numpy as np
import pytest

from streamboost import OnlineBaggingClassifier, OSBoostClassifier, SingleLearnerClassifier
from streamboost.catalogue import learner_entry
from streamboost.checks import check_ensemble, check_learner, expected_failed_checks
from streamboost.learners import LEARNERS
from streamboost.models import MODELS

LEARNER_CHECKS, ENSEMBLE_CHECKS = 14, 11


class Means:
    """The nearest class mean, with the faults that its parts are told to have."""

    def __init__(self, seed=None):
        self.seed = seed
        self.weight, self.total = {}, {}

    def clone(self, new_params=None):
        return type(self)(**{"seed": self.seed, **(new_params or {})})

    def learn_one(self, x, y, w=1.0):
        self.weight[y] = self.weight.get(y, 0.0) + w
        means = self.total.setdefault(y, {})
        for name, value in x.items():
            means[name] = means.get(name, 0.0) + w * value

    def predict_one(self, x):
        return min(
            self.weight,
            key=lambda y: sum((v - self.total[y].get(k, 0.0) / self.weight[y]) ** 2 for k, v in x.items()),
        )

    def predict_proba_one(self, x):
        return {self.predict_one(x): 0.9}


class Guesses(Means):
    def predict_one(self, x):
        return random.choice(list(self.weight))


class Impure(Means):
    def predict_one(self, x):
        answer = super().predict_one(x)
        self.learn_one(x, 1 - answer)
        return answer


class Counts(Means):
    """What it remembers of being asked shows in no answer yet."""

    def predict_one(self, x):
        self.asked = getattr(self, "asked", 0) + 1
        return super().predict_one(x)


class Strays(Means):
    """Far out it answers a class that nobody named; an ensemble takes that for no answer at all."""

    def predict_one(self, x):
        return 7 if x.get("a", x.get(0, 0.0)) > 1.5 else super().predict_one(x)


class ArrayStrays:
    def partial_fit(self, X, y):
        self.last = int(y[-1])
        return self

    def predict(self, X):
        return np.where(X[:, 0] > 0, self.last, -1)


class Poisoned(Means):
    def learn_one(self, x, y, w=1.0):
        super().learn_one({k: x.get(k, float("nan")) for k in ("0", 0, 1, 2, *x)}, y, w)


class Forgets(Means):
    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return (type(self), ())


class Backwards(Means):
    def predict_one(self, x):
        return 1 - super().predict_one(x)


class Overweight(Means):
    """The share of the classes so far, with weights upside down."""

    def learn_one(self, x, y, w=1.0):
        super().learn_one(x, y, 1.0 / w)

    def predict_proba_one(self, x):
        return {y: weight / sum(self.weight.values()) for y, weight in self.weight.items()}


class Raises(Means):
    def learn_one(self, x, y, w=1.0):
        if len(x) != 3:
            raise KeyError("three features are needed")
        super().learn_one(x, y, w)


@pytest.mark.parametrize("name", LEARNERS)
def test_our_learners_pass(name):
    results = check_learner(LEARNERS[name](), nominal=learner_entry(name).nominal_only)
    assert len(results) == LEARNER_CHECKS
    assert all(result.passed and result.demand.endswith(".") for result in results)


def test_other_learners_pass_and_are_left_alone():
    learner = Means()
    before = copy.deepcopy(vars(learner))
    assert len(check_learner(learner)) == LEARNER_CHECKS
    assert vars(learner) == before


@pytest.mark.parametrize(
    ("learner", "name"),
    [
        (Guesses(), "seeds"),
        (Impure(), "answering_changes_nothing"),
        (Counts(), "predict_keeps_the_state"),
        (Strays(), "answers_declared_labels"),
        (ArrayStrays(), "answers_declared_labels"),
        (Poisoned(), "missing_values"),
        (Forgets(), "pickles_go_on"),
        (Backwards(), "learns"),
        (Overweight(), "weights_count"),
        (Raises(), "new_features"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_a_fault_of_a_learner_is_named(learner, name):
    failed = {result.name for result in check_learner(learner, on_fail="return") if not result.passed}
    assert name in failed
    with pytest.raises(AssertionError, match=rf"(?s)fails \d+ of {LEARNER_CHECKS} checks:.*- {name}: "):
        check_learner(learner)


@pytest.mark.parametrize("name", MODELS)
def test_our_ensembles_pass(name):
    model = MODELS[name]()
    if "n_estimators" in model.get_params():
        model.set_params(n_estimators=4)
    if name == "primed-boost":
        model.set_params(n_prime=20)
    assert len(check_ensemble(model)) == ENSEMBLE_CHECKS


def test_scikit_learns_checks_are_one_more():
    assert len(check_ensemble(SingleLearnerClassifier(), sklearn=True)) == ENSEMBLE_CHECKS + 1


class Peeks(OSBoostClassifier):
    def test_then_train(self, X, y, classes=None, sample_weight=None, output="label"):
        self.partial_fit(X, y, classes=classes, sample_weight=sample_weight)
        proba = self.predict_proba(X)
        return {"proba": proba, "label": self.predict(X), "both": (self.predict(X), proba)}[output]


class Half(OSBoostClassifier):
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        for i in range(len(y)):
            weight = None if sample_weight is None else sample_weight[i : i + 1]
            super().partial_fit(X[i : i + 1], y[i : i + 1], classes=classes, sample_weight=weight)
        return self


class Unsure(OSBoostClassifier):
    def predict_proba(self, X):
        return np.random.default_rng().dirichlet([1, 1], len(X))


@pytest.mark.parametrize(
    ("cls", "name"),
    [(Peeks, "no_peeking"), (Half, "bad_input_teaches_nothing"), (Unsure, "answering_changes_nothing")],
)
def test_a_fault_of_an_ensemble_is_named(cls, name):
    failed = {
        result.name for result in check_ensemble(cls(n_estimators=3), on_fail="return") if not result.passed
    }
    assert name in failed
    with pytest.raises(AssertionError, match=name):
        check_ensemble(cls(n_estimators=3))
    with pytest.raises(ValueError, match="on_fail='no' is not allowed"):
        check_ensemble(cls(), on_fail="no")


def test_each_call_gives_its_own_dict():
    first = expected_failed_checks(OnlineBaggingClassifier())
    first.clear()
    assert len(expected_failed_checks(OnlineBaggingClassifier())) == 3
    assert len(expected_failed_checks(SingleLearnerClassifier(calibration=None))) == 1
