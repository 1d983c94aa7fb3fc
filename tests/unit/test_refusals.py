"""Whatever a call is refused for, the model is byte for byte what it was; and it goes on as if nothing had happened."""

import pickle
import warnings
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils import get_tags

from streamboost import (
    BAN,
    TAN,
    AdaBoostM1Classifier,
    HedgeClassifier,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    Perceptron,
    SingleLearnerClassifier,
)
from streamboost.base import warned
from streamboost.base.inputs import schema

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)


def state(model):
    return None if not hasattr(model, "n_features_in_") else model.to_bytes()


def dicts_of(n, kind="u"):
    return [{"a": kind + str(i % 3), "b": kind + str(i % 2)} for i in range(n)]


def arrays_model():
    return OSBoostClassifier(Perceptron(), n_estimators=4, random_state=1).partial_fit(X, Y, classes=[0, 1])


def discovering():
    return OnlineBaggingClassifier(NaiveBayes(), n_estimators=4, random_state=1).partial_fit(X, Y)


def named():
    model = OnlineBoostingClassifier(NaiveBayes(), n_estimators=4, random_state=1)
    for i in range(20):
        model.learn_one({"a": float(i), "k": f"k{i % 3}"}, i % 2)
    return model


def nominal(learner):
    def make():
        model = OnlineBaggingClassifier(learner, n_estimators=3, random_state=1)
        for row, label in zip(dicts_of(12), [0, 1] * 6, strict=True):
            model.learn_one(row, label)
        return model

    return make


def declared():
    return OnlineMBBMClassifier(n_estimators=3, random_state=1).partial_fit(X, Y, classes=[0, 1, 2])


def fresh(cls, *args, **options):
    return lambda: cls(*args, n_estimators=3, random_state=1, **options)


def bad_csr():
    matrix = sp.csr_matrix(X)
    matrix.indices[4] = 7  # there is no such column
    return matrix


def set_gamma(model):
    model.gamma = 0.4
    try:
        model.learn_one(dict(enumerate(X[0].tolist())), 1)
    finally:
        model.gamma = 0.1


def set_alpha(model):
    model.estimator.prior_alpha = 3.0
    try:
        model.learn_one(dict(enumerate(X[0].tolist())), 1)
    finally:
        model.estimator.prior_alpha = 1e-2


REFUSALS = {
    "width": (arrays_model, lambda m: m.partial_fit(X[:, :2], Y)),
    "length of y": (arrays_model, lambda m: m.partial_fit(X, Y[:-1])),
    "infinity": (arrays_model, lambda m: m.partial_fit(np.where(X.max() == X, np.inf, X), Y)),
    "label": (arrays_model, lambda m: m.partial_fit(X, Y + 1)),
    "label of one": (arrays_model, lambda m: m.learn_one(dict(enumerate(X[0].tolist())), 7)),
    "label of no kind": (discovering, lambda m: m.learn_one(dict(enumerate(X[0].tolist())), [1, 2])),
    "text among numbers": (discovering, lambda m: m.partial_fit(X, np.array(["a"] * 60))),
    "weights": (arrays_model, lambda m: m.partial_fit(X, Y, sample_weight=-np.ones(60))),
    "weight of one": (
        arrays_model,
        lambda m: m.learn_one(dict(enumerate(X[0].tolist())), 1, sample_weight=-1),
    ),
    "classes": (arrays_model, lambda m: m.partial_fit(X, Y, classes=[0, 2])),
    "classes too late": (discovering, lambda m: m.partial_fit(X, Y, classes=[0, 1])),
    "text": (arrays_model, lambda m: m.partial_fit(X.astype(str), Y)),
    "names": (arrays_model, lambda m: m.partial_fit(pd.DataFrame(X, columns=list("abc")), Y)),
    "key": (arrays_model, lambda m: m.learn_one({"a": 1.0}, 1)),
    "no dict": (arrays_model, lambda m: m.learn_one([1.0, 2.0, 3.0], 1)),
    "value of a numeric column": (named, lambda m: m.learn_one({"a": "text", "k": "new"}, 1)),
    "object as a category": (named, lambda m: m.learn_one({"a": 1.0, "k": object()}, 1)),
    "object as a new column": (named, lambda m: m.learn_one({"a": 1.0, "k": "new", "z": object()}, 1)),
    "csr beyond its width": (arrays_model, lambda m: m.partial_fit(bad_csr(), Y)),
    "csr for nominal columns": (named, lambda m: m.partial_fit(sp.csr_matrix(X[:, :2]), Y)),
    "output": (arrays_model, lambda m: m.test_then_train(X, Y, output="words")),
    "a third class": (fresh(OSBoostClassifier), lambda m: m.partial_fit(X, np.arange(60) % 3)),
    "a parameter was set": (arrays_model, set_gamma),
    "a parameter of the learner was set": (discovering, set_alpha),
    "first rows, bad parameter": (fresh(OSBoostClassifier, gamma=3.0), lambda m: m.partial_fit(X, Y)),
    "first rows, classes missing": (fresh(OnlineMBBMClassifier), lambda m: m.partial_fit(X, Y)),
    "first rows, numbers for TAN": (fresh(OnlineBaggingClassifier, TAN()), lambda m: m.partial_fit(X, Y)),
    "first dict, numbers for BAN": (
        fresh(OnlineBaggingClassifier, BAN()),
        lambda m: m.learn_one({"a": 1.0}, 1),
    ),
    "numeric column for TAN": (nominal(TAN()), lambda m: m.learn_one({"a": "u0", "b": "u1", "c": 1.5}, 1)),
    "numeric column for BAN": (nominal(BAN()), lambda m: m.learn_one({"a": "u0", "b": "u1", "c": 1.5}, 1)),
    "fit": (arrays_model, lambda m: m.fit(X, Y[:-1])),
    "fit with weights 0": (arrays_model, lambda m: m.fit(X, Y, sample_weight=np.zeros(60))),
    "fit with numbers for TAN": (nominal(TAN()), lambda m: m.fit(X, Y)),
    "fit on dicts": (discovering, lambda m: m.fit(dicts_of(5), [0, 1, 0, 1, 0])),
    "predict": (arrays_model, lambda m: m.predict(X[:, :1])),
    "predict_one": (arrays_model, lambda m: m.predict_one({"q": 1})),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refused_call_changes_nothing(name):
    make, call = REFUSALS[name]
    model, twin = make(), make()
    before = state(model)
    for _ in range(2):
        with pytest.raises((ValueError, TypeError)):
            call(model)
        assert state(model) == before
    for m in (model, twin):
        if not hasattr(m, "n_features_in_"):
            assert not hasattr(m, "classes_")
            with pytest.raises(NotFittedError):
                m.predict(X)
        elif m.columns_.names is None:
            m.partial_fit(X, Y).predict(X)
        else:
            row = {name: "u0" if name in "b" or m.columns_.values[0] else 1.0 for name in m.columns_.names}
            row = {**row, **({"k": "k1"} if "k" in row else {})}
            m.learn_one(row, 1)
            m.predict_one(row)
    assert state(model) == state(twin)


# Warnings that are errors.


def unscaled(model):
    model.partial_fit(100 * X, Y)


def test_a_warning_that_is_an_error_refuses_the_call_and_nothing_else():
    for make in (arrays_model, fresh(OSBoostClassifier, Perceptron())):
        model = make()
        before = state(model)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for call in (unscaled, lambda m: m.learn_one(dict(enumerate((100 * X[0]).tolist())), 1)):
                for _ in range(2):
                    with pytest.raises(UserWarning, match="values as large as"):
                        call(model)
                    assert state(model) == before
        with pytest.warns(UserWarning, match="values as large as"):
            unscaled(model)
        model.predict(X)


def test_too_many_values_under_errors(monkeypatch):
    for module in (schema, warned):
        monkeypatch.setattr(module, "MOST_CATEGORIES", 5)
    model = named()
    for i in range(3, 5):
        model.learn_one({"a": 1.0, "k": f"k{i}"}, 1)
    before = state(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="more than 5 different values"):
            model.learn_one({"a": 1.0, "k": "k9"}, 1)
        assert state(model) == before
        model.learn_one({"a": 1.0, "k": "k1"}, 1)
        model.predict_one({"a": 1.0, "k": "k9"})


def test_advice_that_is_an_error_stops_the_next_call_before_it_learns(monkeypatch):
    model = arrays_model()
    monkeypatch.setattr(type(model), "_advice", lambda self, lanes, n_learned: ("take care",))
    big, labels = np.tile(X, (20, 1)), np.tile(Y, 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(big, labels)  # learned: no error may say otherwise
        before = state(model)
        with pytest.raises(UserWarning, match="take care"):
            model.learn_one(dict(enumerate(X[0].tolist())), 1)
        assert state(model) == before
        model.learn_one(dict(enumerate(X[0].tolist())), 1)
    assert model.n_learned_ == 60 + 1200 + 1


# Dicts that answer for keys they do not have.


@pytest.mark.parametrize("kind", [Counter, lambda row: defaultdict(lambda: 5.0, row)])
def test_dicts_with_defaults_are_taken_by_what_they_hold(kind):
    rows = [
        {"a": 1.0, "b": 2.0},
        {"a": 3.0, "b": 1.0},
        {"a": 2.0},
        {"b": 2.0, "a": 0.0},
        {"a": 4.0, "c": 1.0},
    ]
    plain, other = (OnlineBaggingClassifier(n_estimators=3, random_state=1) for _ in range(2))
    for i, row in enumerate(rows * 4):
        given = kind(row)
        plain.learn_one(dict(row), i % 2)
        other.learn_one(given, i % 2)
        assert other.predict_proba_one(given) == plain.predict_proba_one(row)
        assert dict(given) == row
    assert state(plain) == state(other)


# Weights of 0 fix nothing.


def test_first_rows_of_weight_0_fix_neither_columns_nor_classes():
    model = OnlineBaggingClassifier(n_estimators=3, random_state=1)
    model.partial_fit(X, Y, classes=[0, 1, 2], sample_weight=np.zeros(60))
    assert not hasattr(model, "classes_")
    labels, proba = model.test_then_train(X, Y, sample_weight=np.zeros(60), output="both")
    assert labels.tolist() == [None] * 60
    assert proba.shape == (60, 0)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        model.partial_fit(X, Y[:3], sample_weight=np.zeros(60))
    model.partial_fit(X[:, :2], Y + 5)
    assert model.classes_.tolist() == [5, 6]


# Parameters that are NumPy scalars, tags of bad parameters, messages.


def test_numpy_scalars_as_parameters_survive_pickle_and_search():
    import copy

    model = OSBoostClassifier(
        NaiveBayes(prior_alpha=np.float64(0.1)), n_estimators=np.int64(4), gamma=np.float64(0.2)
    )
    model.set_params(vote=np.str_("uniform"), monitor=np.bool_(True), random_state=np.int64(3)).fit(X, Y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        twin.partial_fit(X, Y)
        twin.learn_one(dict(enumerate(X[0].tolist())), 1)
    search = GridSearchCV(OSBoostClassifier(n_estimators=3), {"gamma": np.linspace(0.05, 0.3, 3)}, cv=2).fit(
        X, Y
    )
    pickle.loads(pickle.dumps(search)).best_estimator_.partial_fit(X, Y).predict(X)


def test_tags_do_not_depend_on_parameters():
    assert not get_tags(OSBoostClassifier(vote="bad")).classifier_tags.multi_class
    assert get_tags(OnlineBaggingClassifier(fraction=-1)).classifier_tags.multi_class


def test_save_says_why_experts_cannot_be_stored(tmp_path):
    with pytest.raises(ValueError, match="experts of a HedgeClassifier may be any Python objects") as caught:
        HedgeClassifier().fit(X, Y).save(tmp_path / "m.sboost")
    assert "Python-written" not in str(caught.value)


def test_lists_of_dicts_are_named():
    with pytest.raises(TypeError, match=r"list of dicts.*_one.*DataFrame"):
        SingleLearnerClassifier().fit(dicts_of(4), [0, 1, 0, 1])


def test_the_short_way_sees_parameters_again_once_they_are_set_back():
    model = arrays_model()
    row = dict(enumerate(X[0].tolist()))
    model.gamma = 0.3
    with pytest.raises(ValueError, match="gamma"):
        model.predict_one(row)
    model.gamma = 0.1
    before = model.n_learned_
    model.learn_one(row, 1)
    model.learn_one(row, 1)
    assert model.n_learned_ == before + 2


def test_public_facts():
    model = named()
    assert model.n_learned_ == 20
    assert model.columns_.names == ("a", "k")
    assert model.columns_.values == (None, ("k0", "k1", "k2"))
    assert model.has_columns({"a": 1})
    assert not model.has_columns(["a", "z"])
    assert not hasattr(OSBoostClassifier(), "n_learned_")
    assert AdaBoostM1Classifier(n_estimators=2).fit(X, Y).n_learned_ == 60


@pytest.mark.parametrize(("option", "vote"), [({"hedge": "best"}, "exp"), ({"projection": "pivot"}, "ocp")])
def test_what_another_vote_reads_is_refused(option, vote):
    name, value = next(iter(option.items()))
    with pytest.raises(
        ValueError, match=f"{name}={value!r} has no effect with vote='uniform': set vote={vote!r}"
    ):
        OSBoostClassifier(**option).fit(X, Y)
    OSBoostClassifier(vote=vote, n_estimators=3, **option).fit(X, Y)
