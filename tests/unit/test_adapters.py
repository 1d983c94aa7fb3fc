"""Python-written learners: any object with the right verbs, driven by the same boosters."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from streamboost import (
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    OSBoostClassifier,
    SingleLearnerClassifier,
)
from tests.inside.handles import lane_objects

RNG = np.random.default_rng(11)
X = RNG.normal(size=(80, 3))
Y = (X[:, 0] > 0).astype(int)


class CountingDict:
    """River style, majority class, no weights; remembers what it was given."""

    def __init__(self, seed=None):
        self.seed = seed
        self.seen = []

    def learn_one(self, x, y):
        self.seen.append((x, y))

    def predict_one(self, x):
        labels = [y for _, y in self.seen]
        return max(sorted(set(labels)), key=labels.count) if labels else None

    def clone(self, new_params=None):
        return type(self)(**{"seed": self.seed, **(new_params or {})})


class WeightedDict(CountingDict):
    def learn_one(self, x, y, w=1.0):
        self.seen.append((x, y, w))

    def predict_proba_one(self, x):
        total = sum(w for *_, w in self.seen)
        return {c: sum(w for _, y, w in self.seen if y == c) / total for c in {y for _, y, _ in self.seen}}


class Breaking(CountingDict):
    def learn_one(self, x, y):
        if len(self.seen) == 5:
            raise OSError("disk full")
        super().learn_one(x, y)


@pytest.mark.parametrize("cls", [OnlineBaggingClassifier, OnlineBoostingClassifier, OSBoostClassifier])
@pytest.mark.parametrize(
    "learner", [GaussianNB(), SGDClassifier(loss="log_loss"), SGDClassifier(loss="hinge")]
)
def test_scikit_learn_learners_learn(cls, learner):
    model = cls(learner, n_estimators=4, random_state=3).fit(X, Y)
    assert model.score(X, Y) > 0.7


@pytest.mark.parametrize("learner", [CountingDict(), WeightedDict()])
@pytest.mark.parametrize("cls", [OnlineBaggingClassifier, OnlineBoostingClassifier, OSBoostClassifier])
def test_dict_learners_learn_and_chunks_do_not_matter(cls, learner):
    whole = cls(learner, n_estimators=3, random_state=3).partial_fit(X, Y)
    parts = cls(learner, n_estimators=3, random_state=3)
    for i in range(0, len(X), 7):
        parts.partial_fit(X[i : i + 7], Y[i : i + 7])
    assert np.array_equal(whole.predict_proba(X), parts.predict_proba(X))
    for a, b in zip(lane_objects(whole), lane_objects(parts), strict=True):
        assert a.learner.seen == b.learner.seen


def test_dict_learners_get_names_categories_and_no_missing_keys():
    model = SingleLearnerClassifier(CountingDict())
    model.partial_fit(pl.DataFrame({"age": [1.0, None], "job": ["clerk", "boss"]}), ["b", "a"])
    seen = lane_objects(model)[0].learner.seen
    assert seen == [({"age": 1.0, "job": "clerk"}, 0), ({"job": "boss"}, 1)]


def test_copies_are_repeated_and_capped():
    model = OnlineBaggingClassifier(CountingDict(), n_estimators=1, random_state=0)
    model.partial_fit(X[:1], [1], sample_weight=[1e6])
    assert len(lane_objects(model)[0].learner.seen) == 100


def test_weights_pass_through_and_fractions_fall_to_a_coin():
    weighted = SingleLearnerClassifier(WeightedDict()).partial_fit(X[:2], [0, 1], sample_weight=[0.25, 3.5])
    assert [w for *_, w in lane_objects(weighted)[0].learner.seen] == [0.25, 3.5]
    plain = SingleLearnerClassifier(CountingDict(), random_state=0)
    plain.partial_fit(np.zeros((200, 1)), np.zeros(200, int), sample_weight=np.full(200, 0.25))
    assert 25 <= len(lane_objects(plain)[0].learner.seen) <= 75  # 50 +- 4 standard deviations


def test_every_lane_has_its_own_copy_and_seed():
    template = SGDClassifier(random_state=1)
    model = OnlineBaggingClassifier(template, n_estimators=5, random_state=3).fit(X, Y)
    lanes = [lane.learner for lane in lane_objects(model)]
    assert len({lane.random_state for lane in lanes}) == 5
    assert not hasattr(template, "coef_")
    rivers = OnlineBaggingClassifier(CountingDict(seed=1), n_estimators=5, random_state=3).partial_fit(X, Y)
    assert len({lane.learner.seed for lane in lane_objects(rivers)}) == 5


def test_learners_that_cannot_stream_are_named():
    with pytest.raises(TypeError, match="SVC has neither partial_fit"):
        OSBoostClassifier(SVC()).fit(X, Y)
    with pytest.raises(TypeError, match="'naive-bayes' is a text; pass a learner"):
        OnlineBaggingClassifier("naive-bayes").fit(X, Y)
    with pytest.raises(TypeError, match="estimator=10 is a number; pass a learner, or n_estimators=10"):
        OnlineBaggingClassifier(10).fit(X, Y)
    with pytest.raises(TypeError, match=r"is a class; pass an instance: GaussianNB\(\)"):
        OSBoostClassifier(GaussianNB).fit(X, Y)


def test_array_learners_need_their_classes_up_front_unless_there_are_two():
    with pytest.raises(ValueError, match=r"GaussianNB .*classes="):
        OnlineBaggingClassifier(GaussianNB(), n_estimators=2).partial_fit(X, Y)
    OSBoostClassifier(GaussianNB(), n_estimators=2).partial_fit(X, Y)


def test_missing_values_become_zero_where_they_are_not_allowed():
    holes = X.copy()
    holes[::3, 1] = np.nan
    zeros = np.nan_to_num(holes)
    a = OSBoostClassifier(GaussianNB(), n_estimators=2).fit(holes, Y)
    b = OSBoostClassifier(GaussianNB(), n_estimators=2).fit(zeros, Y)
    assert np.array_equal(a.predict_proba(holes), b.predict_proba(zeros))


def test_a_learner_that_raises_breaks_the_model_until_fit():
    model = OnlineBaggingClassifier(Breaking(), n_estimators=3, random_state=0)
    with pytest.raises(OSError, match="disk full"):
        model.partial_fit(X, Y)
    assert not hasattr(model, "classes_"), "a first call that fails has never begun"
    model.partial_fit(X[:2], Y[:2])
    with pytest.raises(OSError, match="disk full"):
        model.partial_fit(X, Y)
    for verb in (
        lambda: model.predict(X),
        lambda: model.partial_fit(X, Y),
        lambda: model.predict_one({0: 1.0}),
    ):
        with pytest.raises(RuntimeError, match=r"broken.*disk full.*Call fit"):
            verb()
    with pytest.raises(RuntimeError, match="broken"):
        pickle.dumps(model)
    model.set_params(estimator=CountingDict()).fit(X, Y).predict(X)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
@pytest.mark.parametrize("learner", [GaussianNB(), WeightedDict()])
def test_pickles_carry_the_learners(duplicate, learner):
    model = OnlineBoostingClassifier(learner, n_estimators=3, random_state=5)
    model.partial_fit(X[:40], Y[:40], classes=[0, 1])
    other = duplicate(model)
    whole = OnlineBoostingClassifier(learner, n_estimators=3, random_state=5).partial_fit(
        X, Y, classes=[0, 1]
    )
    before = model.predict_proba(X)
    other.partial_fit(X[40:], Y[40:])
    assert np.array_equal(other.predict_proba(X), whole.predict_proba(X))
    assert np.array_equal(model.predict_proba(X), before)


def test_save_says_what_to_do_instead(tmp_path):
    model = OSBoostClassifier(GaussianNB(), n_estimators=2).fit(X, Y)
    with pytest.raises(ValueError, match=r"GaussianNB.*pickle or joblib"):
        model.save(tmp_path / "m.sboost")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", ["naive_bayes.GaussianNB", "linear_model.LogisticRegression", "tree.HoeffdingTreeClassifier"]
)
def test_river_learners_learn(name):
    river = pytest.importorskip("river")
    module, cls = name.split(".")
    import importlib

    learner = getattr(importlib.import_module(f"{river.__name__}.{module}"), cls)()
    model = OnlineBoostingClassifier(learner, n_estimators=4, random_state=1)
    for row, label in zip(X.tolist(), Y.tolist(), strict=True):
        model.learn_one(dict(zip("abc", row, strict=True)), label)
    right = [
        model.predict_one(dict(zip("abc", r, strict=True))) == t
        for r, t in zip(X.tolist(), Y.tolist(), strict=True)
    ]
    assert np.mean(right) > 0.75
