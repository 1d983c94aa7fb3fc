"""River's own checks with their number, River's pipelines and evaluation, and River's classifiers inside our boosters."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

river = pytest.importorskip("river")
from river import datasets, evaluate, linear_model, metrics, preprocessing, tree  # noqa: E402

from streamboost import (  # noqa: E402
    ActiveClassifier,
    BanditBoostingClassifier,
    HoeffdingTree,
    OnlineBaggingClassifier,
    OnlineBaggingRegressor,
    OnlineBoostingClassifier,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    Perceptron,
    PrimedOnlineBoostingClassifier,
    SingleLearnerClassifier,
    WinnowClassifier,
    catalogue,
)
from streamboost.compat.river import RiverActiveClassifier, RiverClassifier, RiverPolicy  # noqa: E402
from streamboost.models import MODELS  # noqa: E402
from tests.conformance.river_checks import passed_checks  # noqa: E402

# Of River 0.26: a multiclass model sees a third data set, a binary one one check more.
MULTICLASS_CHECKS, BINARY_CHECKS = (
    65,
    50,
)
BOOL = [False, True]
BOOSTERS = [
    MODELS[entry.name]
    for entry in catalogue.MODELS
    if entry.name in MODELS and entry.sized and not entry.regressors
]
CHECKED = [
    (RiverClassifier(OnlineBaggingClassifier(n_estimators=3)), MULTICLASS_CHECKS),
    (RiverClassifier(OnlineBoostingClassifier(Perceptron(scale="standard"), n_estimators=3)), BINARY_CHECKS),
    (RiverClassifier(OnlineMBBMClassifier(n_estimators=3), classes=BOOL), BINARY_CHECKS),
    (RiverClassifier(WinnowClassifier([SingleLearnerClassifier()])), BINARY_CHECKS),
]


@pytest.mark.parametrize(
    ("adapter", "expected"), CHECKED, ids=lambda value: repr(getattr(value, "model", value))
)
def test_every_check_of_river_passes(adapter, expected):
    done = passed_checks(adapter)
    if river.__version__.startswith("0.26."):
        assert done == expected
    else:
        assert done >= 30


def phishing(n=400):
    return list(datasets.Phishing().take(n))


def test_pipelines_and_progressive_validation():
    model = preprocessing.StandardScaler() | RiverClassifier(OSBoostClassifier(n_estimators=10), seed=7)
    accuracy = evaluate.progressive_val_score(phishing(1250), model, metrics.Accuracy())
    assert accuracy.get() > 0.82
    images = RiverClassifier(OnlineBoostingClassifier(HoeffdingTree(), n_estimators=5), seed=7)
    assert (
        evaluate.progressive_val_score(datasets.ImageSegments().take(600), images, metrics.Accuracy()).get()
        > 0.5
    )


def test_river_names_the_adapter_of_a_model_that_has_none():
    for model, metric, adapter in (
        (OSBoostClassifier(), metrics.Accuracy(), "RiverClassifier"),
        (OnlineBaggingRegressor(), metrics.MAE(), "RiverRegressor"),
    ):
        with pytest.raises(ValueError, match=rf"wrap it, {adapter}\({type(model).__name__}"):
            evaluate.progressive_val_score(datasets.Phishing(), model, metric)
        assert f"{model}" == str(model)


def test_the_adapter_learns_what_the_model_learns():
    ours, adapter = (OSBoostClassifier(n_estimators=4, random_state=3) for _ in range(2))
    adapter = RiverClassifier(adapter)
    for x, y in phishing(60):
        x = dict(sorted(x.items()))
        assert adapter.predict_one(x) == ours.predict_one(x)
        adapter.learn_one(x, y, w=2.0)
        ours.learn_one(x, y, sample_weight=2.0)
    assert adapter.model.to_bytes() == ours.to_bytes()
    assert adapter._raw_memory_usage > ours.memory_bytes() > 0


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_row_by_row_or_at_once(kind):
    rows = [{**x, "words": "ab"[int(x["age_of_domain"])]} for x, _ in phishing(40)]
    labels = [y for _, y in phishing(40)]
    one, many = (RiverClassifier(OnlineBaggingClassifier(n_estimators=4, random_state=1)) for _ in range(2))
    for x, y in zip(rows, labels, strict=True):
        one.learn_one(x, y)
    many.learn_many(kind(rows[:5]), labels[:5])
    fewer = [{k: v for k, v in row.items() if k != "anchor_from_other_domain"} for row in rows]
    many.learn_many(kind(rows[5:]), labels[5:])
    assert one.model.to_bytes() == many.model.to_bytes()
    proba = many.predict_proba_many(kind(fewer))
    assert isinstance(proba, kind)
    expected = [one.predict_proba_one(x)[True] for x in fewer]
    assert proba[True if kind is pd.DataFrame else "True"].to_numpy().tolist() == expected
    assert many.predict_many(kind(fewer)).to_list() == [one.predict_one(x) for x in fewer]


def test_nothing_is_known_before_the_first_row():
    many = RiverClassifier(OnlineBaggingClassifier())
    x = {"a": 1.0}
    assert many.predict_one(x) is None
    assert many.predict_proba_one(x) == {}
    assert many.predict_many(pd.DataFrame([x])).tolist() == [None]
    assert many.predict_proba_many(pd.DataFrame([x])).shape == (1, 0)
    assert RiverClassifier(OSBoostClassifier()).predict_proba_one(x) == {False: 0.5, True: 0.5}


def test_clone_forgets_and_seed_is_random_state():
    adapter = RiverClassifier(OSBoostClassifier(n_estimators=2), seed=5)
    assert adapter.model.random_state == 5
    adapter.learn_one({"a": 1.0}, True)
    assert not hasattr(adapter.clone().model, "n_features_in_")
    assert adapter.clone(include_attributes=True).model.classes_.tolist() == [True]
    assert pickle.loads(pickle.dumps(adapter)).model.classes_.tolist() == [True]
    with pytest.raises(ValueError, match=r"seed=6 comes too late"):
        RiverClassifier(adapter.model, seed=6)
    with pytest.raises(TypeError, match="is no ensemble of streamboost"):
        RiverClassifier(tree.HoeffdingTreeClassifier())


@pytest.mark.parametrize("booster", BOOSTERS)
@pytest.mark.parametrize(
    "learner", [tree.HoeffdingTreeClassifier(grace_period=30), linear_model.LogisticRegression()]
)
def test_river_classifiers_as_weak_learners_of_every_booster(booster, learner):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    y = X[:, 0] > 0
    options = {"n_prime": 40} if booster is PrimedOnlineBoostingClassifier else {}
    model = booster(learner, n_estimators=3, random_state=1, **options)
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(
            dict(zip("ab", row, strict=True)),
            label,
            classes=BOOL if not hasattr(model, "n_features_in_") else None,
        )
    answers = [model.predict_one(dict(zip("ab", row, strict=True))) for row in X.tolist()]
    assert np.mean(np.array(answers) == y) > 0.6


def test_one_missing_value_does_not_poison():
    """River's boosted perceptron answers nan for ever after one NaN."""
    rights = []
    for hole in ({}, {"empty_server_form_handler": float("nan")}):
        model = RiverClassifier(OSBoostClassifier(Perceptron(), n_estimators=5), seed=1)
        for number, (x, y) in enumerate(phishing(300)):
            model.learn_one({**x, **hole} if number == 10 else x, y)
        rights.append(np.mean([model.predict_one(x) == y for x, y in phishing(300)]))
        assert all(0 <= p <= 1 for x, _ in phishing(20) for p in model.predict_proba_one(x).values())
    assert min(rights) > 0.7


def test_an_active_learner_asks_for_what_ours_asks():
    def make():
        return ActiveClassifier(
            OnlineBaggingClassifier(n_estimators=4, random_state=3), budget=0.3, random_state=5
        )

    ours, score = make(), metrics.Accuracy()
    for x, y in phishing(300):
        answer, _ = ours.test_then_train_one(x, y)
        if answer is not None:
            score.update(y, answer)
    face = RiverActiveClassifier(make())
    data = [(dict(x), y) for x, y in phishing(300)]
    found = evaluate.progressive_val_score(data, face, metrics.Accuracy())
    assert found.get() == score.get()
    assert face.model.to_bytes() == ours.to_bytes()
    assert 0 < face.model.n_asked_ < 150
    again = face.clone()
    assert again.model.n_rows_ == 0
    with pytest.raises(TypeError, match="no active learner"):
        RiverActiveClassifier(OSBoostClassifier())


def test_a_policy_pulls_what_ours_shows():
    def make():
        inside = OnlineBaggingClassifier(n_estimators=3)
        return BanditBoostingClassifier(inside, labels=[False, True], exploration=0.3, random_state=5)

    ours, policy = make(), RiverPolicy(make())
    for x, y in phishing(200):
        arm = policy.pull([False, True], context=x)
        label, p = ours.act_one(x)
        assert arm == label
        policy.update(arm, x, float(arm == y))
        ours.learn_bandit_one(x, label, label == y, p)
    assert policy.model.to_bytes() == ours.to_bytes()
    assert policy.clone().model.n_acts_ == 0
    with pytest.raises(ValueError, match="are not the labels"):
        policy.pull(["a", "b"], context=x)
    with pytest.raises(ValueError, match="was never pulled"):
        RiverPolicy(make()).update(True, x, 1.0)
    with pytest.raises(TypeError, match="no bandit"):
        RiverPolicy(OSBoostClassifier())
