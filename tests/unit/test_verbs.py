"""The verbs: what they accept, refuse, answer and leave untouched."""

from __future__ import annotations

import copy
import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError

import streamboost
from streamboost import (
    OGD,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    OSBoostClassifier,
    Perceptron,
    SingleLearnerClassifier,
    StreamBoostClassifier,
)
from tests.catalogue import STREAMING
from tests.catalogue import model as catalogue_model
from tests.inside.handles import session_of

RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)
ENSEMBLES = [OnlineBaggingClassifier, OnlineBoostingClassifier, OSBoostClassifier]
EVERY = [*ENSEMBLES, SingleLearnerClassifier]


def small(cls, learner=None, **params):
    params.setdefault("random_state", 7)
    if cls is not SingleLearnerClassifier:
        params.setdefault("n_estimators", 6)
    return cls(learner, **params)


def test_public_names_load_on_demand():
    for name in streamboost.__all__:
        assert getattr(streamboost, name) is not None
        assert name in dir(streamboost)
    with pytest.raises(AttributeError, match="nonsense"):
        streamboost.nonsense  # noqa: B018


def test_discovery_does_not_peek():
    model = small(OnlineBaggingClassifier)
    labels = model.test_then_train(X[:4], ["b", "b", "a", "c"])
    assert labels[0] is None
    assert labels[1] == "b"
    proba = small(OnlineBaggingClassifier).test_then_train(X[:4], ["b", "b", "a", "c"], output="proba")
    assert proba.shape == (4, 3)
    assert np.isnan(proba[0]).all()
    assert proba[1].tolist() == [0.0, 1.0, 0.0], "columns are classes_, unknown labels have probability 0"
    assert proba[3, 2] == 0.0
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_score_before_any_class_is_nan_even_after_rows_of_weight_zero():
    model = small(OSBoostClassifier)
    score = model.test_then_train(X[:4], [1, 0, 1, 0], sample_weight=[0, 0, 1, 1], output="score")
    assert np.isnan(score[:3]).all()
    assert np.isfinite(score[3]).all()


@pytest.mark.parametrize("cls", EVERY)
def test_flipped_labels_flip_the_answers(cls):
    plain = small(cls).partial_fit(X, Y)
    first = Y[0]
    # The first label sorts last: classes_ is not the order of the codes.
    named = np.where(first == Y, "z", "a")
    other = small(cls).partial_fit(X, named)
    sign = 1 if first == 0 else -1
    assert np.array_equal(other.decision_function(X), -sign * plain.decision_function(X))
    assert np.array_equal(other.predict(X) == "z", plain.predict(X) == first)
    column = list(other.classes_).index("z")
    assert np.array_equal(other.predict_proba(X)[:, column], plain.predict_proba(X)[:, first])


def test_fit_starts_again_and_partial_fit_goes_on():
    model = small(OSBoostClassifier)
    first = model.fit(X, Y).predict_proba(X)
    again = model.fit(X, Y).predict_proba(X)
    more = model.partial_fit(X, Y).predict_proba(X)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, more)


def test_random_state_none_draws_anew_only_in_fit():
    model = small(OSBoostClassifier, Perceptron(), random_state=None)
    key = model.fit(X, Y).session.seed
    assert model.partial_fit(X, Y).session.seed == key
    assert pickle.loads(pickle.dumps(model)).session.seed == key
    assert model.fit(X, Y).session.seed != key
    assert not hasattr(clone(model), "n_features_in_")


def test_nothing_known_nothing_said():
    model = small(OSBoostClassifier)
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}
    assert model.memory_bytes() == 0
    for verb in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(NotFittedError, match="not fitted"):
            verb(X)
    model.partial_fit(X[:2], Y[:2], sample_weight=[0, 0])
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert not hasattr(small(OSBoostClassifier), "classes_")


def test_all_weights_zero_is_an_error_in_fit_only():
    with pytest.raises(ValueError, match="non-zero"):
        small(OSBoostClassifier).fit(X, Y, sample_weight=np.zeros(len(X)))
    model = small(OSBoostClassifier).fit(X, Y)
    before = model.predict_proba(X)
    model.partial_fit(X, Y, sample_weight=np.zeros(len(X)))
    assert np.array_equal(before, model.predict_proba(X))


@pytest.mark.parametrize(
    ("cls", "params", "words"),
    [
        (OSBoostClassifier, {"gamma": 0.7}, r"'gamma' parameter.*0\.5.*Got 0\.7"),
        (OSBoostClassifier, {"vote": "acp"}, "'vote' parameter.*Got 'acp'"),
        (OSBoostClassifier, {"n_estimators": 0}, "'n_estimators' parameter.*Got 0"),
        (OnlineBaggingClassifier, {"fraction": 0.0}, "'fraction' parameter"),
        (OnlineBoostingClassifier, {"order": "x"}, "'order' parameter.*test_first"),
        (OnlineBoostingClassifier, {"lambda_cap": -1}, "'lambda_cap' parameter"),
        (OSBoostClassifier, {"n_jobs": 0}, "n_jobs=0.*number of threads"),
        (OSBoostClassifier, {"n_jobs": -2}, "n_jobs=-2.*number of threads"),
        (OSBoostClassifier, {"tie": "coin"}, "'tie' parameter"),
        (OSBoostClassifier, {"estimator": NaiveBayes(alpha=-1)}, "'alpha' parameter of NaiveBayes.*Got -1"),
        (OSBoostClassifier, {"estimator": Perceptron(scale="log")}, "'scale' parameter of Perceptron"),
    ],
)
def test_bad_parameters_name_themselves_and_what_is_allowed(cls, params, words):
    with pytest.raises(ValueError, match=words):
        cls(**params).fit(X, Y)


@pytest.mark.parametrize("classes", [None, ["a", "b", "c"]])
def test_both_is_label_and_proba_of_one_pass(classes):
    labels = np.array(["b", "b", "a", "c", "a", "c", "b", "a"])
    options = {"classes": classes, "sample_weight": [0, 1, 1, 1, 0, 1, 1, 1]}
    found = [
        small(OnlineBoostingClassifier, tie="random").test_then_train(X[:8], labels, **options, output=output)
        for output in ("label", "proba", "both")
    ]
    np.testing.assert_array_equal(found[2][0], found[0])
    np.testing.assert_array_equal(found[2][1], found[1])


def test_both_before_any_class_is_known():
    labels, proba = small(OnlineBaggingClassifier).test_then_train(
        X[:2], ["a", "b"], sample_weight=[0, 0], output="both"
    )
    assert labels.tolist() == [None, None]
    assert proba.shape == (2, 0)


def test_output_is_one_of_four():
    with pytest.raises(ValueError, match=r"output='logit'.*'label', 'proba', 'score', 'both'"):
        small(OSBoostClassifier).test_then_train(X, Y, output="logit")


@pytest.mark.parametrize(
    "change", [{"n_estimators": 9}, {"gamma": 0.2}, {"estimator__alpha": 1}, {"estimator": OGD()}]
)
def test_parameters_are_frozen_until_fit(change):
    model = small(OSBoostClassifier, NaiveBayes()).fit(X, Y)
    model.set_params(**change)
    for verb in (model.predict, lambda rows: model.partial_fit(rows, Y)):
        with pytest.raises(ValueError, match=f"{next(iter(change))}.*Call fit"):
            verb(X)
    with pytest.raises(ValueError, match="Call fit"):
        model.learn_one({0: 1.0, 1: 1.0, 2: 1.0}, 0)
    model.fit(X, Y).predict(X)


def test_free_parameters_may_change():
    small(OSBoostClassifier).fit(X, Y).set_params(n_jobs=1, random_state=3).partial_fit(X, Y)


def test_nothing_is_learned_from_a_rejected_call():
    model = small(OSBoostClassifier).fit(X, Y)
    before = model.to_bytes()
    bad = X.copy()
    bad[-1, 0] = np.inf
    for args in [(bad, Y), (X[:, :2], Y), (X, np.append(Y[:-1], 5))]:
        with pytest.raises(ValueError):
            model.partial_fit(*args)
    with pytest.raises(ValueError):
        model.fit(bad, Y)
    assert model.to_bytes() == before


# Dicts.


def rows_of(X):
    return [dict(zip(("a", "b", "c"), row, strict=True)) for row in X.tolist()]


@pytest.mark.parametrize("cls", EVERY)
@pytest.mark.parametrize("learner", [NaiveBayes(), Perceptron()])
def test_dicts_are_frames(cls, learner):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    by_frame, by_dict = small(cls, clone(learner)), small(cls, clone(learner))
    by_frame.partial_fit(frame, Y)
    for row, label in zip(rows_of(X), Y.tolist(), strict=True):
        by_dict.learn_one(row, label)
    assert np.array_equal(by_frame.predict_proba(frame), by_dict.predict_proba(frame))
    row = rows_of(X)[0]
    assert by_dict.predict_one(row) == by_frame.predict(frame)[0]
    assert list(by_dict.predict_proba_one(row).values()) == by_frame.predict_proba(frame)[0].tolist()


def test_fast_way_and_long_way_agree():
    fast, long = small(OSBoostClassifier, Perceptron()), small(OSBoostClassifier, Perceptron())
    for row, label in zip(rows_of(X), Y.tolist(), strict=True):
        fast.learn_one(row, label)
        if hasattr(long, "n_features_in_"):
            session_of(long).fast = None
        long.learn_one(row, label)
    assert session_of(fast).fast is not None
    assert fast.to_bytes() == long.to_bytes()


@pytest.mark.parametrize("entry", [e for e in STREAMING if not e.experts], ids=lambda e: e.name)
def test_rows_of_dicts_take_the_short_way(entry):
    model = catalogue_model(entry)
    numbers = is_regressor(model)
    rows, truth = rows_of(X), (X[:, 0] if numbers else Y).tolist()
    model.learn_one(rows[0], truth[0], **({} if numbers else {"classes": [0, 1]}))
    for row, true in zip(rows[1:30], truth[1:30], strict=True):
        model.learn_one(row, true)
    assert session_of(model).fast.learn(rows[30], truth[30]) == 31


def test_rows_that_are_learned_are_no_failure(monkeypatch):
    """Out of memory, while looking back at what was learned, is not said of the call."""
    model = small(OnlineBaggingClassifier, NaiveBayes())
    model.partial_fit(X, Y)

    def no_memory(session):
        raise MemoryError

    monkeypatch.setattr(model, "_remarks", no_memory)
    model.partial_fit(X, Y)
    assert model.n_learned_ == 2 * len(X)


def test_new_keys_widen_and_absent_keys_are_missing():
    model = small(OSBoostClassifier, Perceptron())
    model.learn_one({"a": 1.0}, "no")
    model.learn_one({"a": -1.0, "b": 2.0}, "yes")
    model.learn_one({"b": 1.0, "job": "clerk"}, "yes")
    assert model.feature_names_in_.tolist() == ["a", "b", "job"]
    assert model.n_features_in_ == 3
    assert model.predict_one({}) in ("no", "yes")
    assert model.predict_one({"never": 1, "a": 1.0}) == model.predict_one({"a": 1.0})
    assert model.predict_one({"a": None, "b": 1.0}) == model.predict_one({"b": 1.0})
    assert model.n_features_in_ == 3, "predict discovers nothing"


def test_order_of_keys_does_not_matter_and_the_dict_stays():
    one, two = small(OSBoostClassifier), small(OSBoostClassifier)
    for row, label in zip(rows_of(X), Y.tolist(), strict=True):
        given = dict(reversed(row.items())) if hasattr(one, "n_features_in_") else dict(row)
        kept = dict(given)
        one.learn_one(given, label)
        two.learn_one(row, label)
        assert given == kept
    assert one.to_bytes() == two.to_bytes()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"a": "text", "b": 0.0, "c": 0.0}, "column 'a' is numeric.*'text'"),
        ({"a": float("inf"), "b": 0.0, "c": 0.0}, "infinity in column 'a'"),
        ({("a", 1): 0.0}, "keys of x"),
        ([1, 2, 3], "must be a dict"),
        (pd.Series({"a": 1.0}), r"must be a dict of feature values, got Series: pass x.to_dict\(\)"),
        ({"a": [1]}, "column 'a' holds .* of type list.*Give its parts columns of their own"),
        ({"new": float("inf")}, "infinity in column 'new'"),
    ],
)
def test_bad_dicts_say_what_is_wrong(row, words):
    model = small(OSBoostClassifier)
    model.learn_one(rows_of(X)[0], 0)
    before = model.to_bytes()
    with pytest.raises((ValueError, TypeError), match=words):
        model.learn_one(row, 1)
    assert model.to_bytes() == before


def test_dicts_on_a_positional_model_need_column_numbers():
    model = small(OSBoostClassifier).fit(X, Y)
    assert model.predict_one(dict(enumerate(X[0].tolist()))) == model.predict(X[:1])[0]
    for row in ({"a": 1.0}, {3: 1.0}):
        with pytest.raises(ValueError, match="column numbers from 0 to 2"):
            model.predict_one(row)


def test_dicts_of_categories_alone():
    model = small(SingleLearnerClassifier)
    model.learn_one({"a": "x", "b": True}, "one")
    model.learn_one({"a": "y", "b": False}, "two")
    assert model.predict_one({"a": "y"}) == "two"


def test_weights_of_dicts():
    heavy, twice = small(SingleLearnerClassifier), small(SingleLearnerClassifier)
    for row, label in zip(rows_of(X), Y.tolist(), strict=True):
        heavy.learn_one(row, label, sample_weight=2.0)
        twice.learn_one(row, label)
        twice.learn_one({**row, "zero": 1.0}, label, sample_weight=0.0)
    assert twice.n_features_in_ == 3, "weight 0 discovers nothing"
    assert heavy.report().lanes["weight_sum"][0] == 2 * twice.report().lanes["weight_sum"][0]


# Report, copies.


@pytest.mark.parametrize("cls", EVERY)
def test_report_is_a_table(cls):
    report = small(cls).fit(X, Y).report()
    assert report.n_estimators == (1 if cls is SingleLearnerClassifier else 6)
    assert {"weight_sum", "edge", "error_rate"} <= set(report.lanes)
    assert ((report.lanes["error_rate"] >= 0) & (report.lanes["error_rate"] <= 1)).all()
    assert "NaiveBayes" in str(report)
    assert str(report.n_learned) in repr(report)
    assert report.to_dict()["n_learned"] == len(X)
    assert all(bound.holds for bound in report.bounds if bound.premise == "none")


def test_a_report_fits_a_terminal():
    report = StreamBoostClassifier(n_estimators=12, random_state=1).fit(X, Y).report()
    text = str(report)
    assert max(map(len, text.splitlines())) <= 80
    assert "... 2 more learners" in text
    words = text.replace("\n    ", " ")
    assert re.search(r"all learners: age \d+, .*drifts 0", words), "what does not differ is said once"
    pool = {name: value for name, value in report.totals.items() if name.startswith("pool_weight/")}
    line = next(line for line in words.splitlines() if line.startswith("pool_weight: "))
    shown = [part.split()[0] for part in line.removeprefix("pool_weight: ").split(", ")]
    assert shown == [name.split("/")[1] for name in sorted(pool, key=lambda name: -pool[name])]
    assert "<th" in report._repr_html_()
    odd = replace(
        report, lanes={"edge": np.array([np.nan, 0.5, np.inf])}, totals={"least": -np.inf, "nothing": np.nan}
    )
    assert {"nan", "0.5", "inf", "-inf"} <= set(str(odd).split())


def test_report_needs_the_monitor():
    with pytest.raises(ValueError, match="monitor=True"):
        small(OSBoostClassifier, monitor=False).fit(X, Y).report()


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
@pytest.mark.parametrize("learner", [NaiveBayes(), Perceptron()])
def test_copies_go_on_alone(duplicate, learner):
    model = small(OnlineBoostingClassifier, learner).partial_fit(X[:60], Y[:60])
    other = duplicate(model)
    whole = small(OnlineBoostingClassifier, learner).partial_fit(X, Y)
    before = model.predict_proba(X)
    other.partial_fit(X[60:], Y[60:])
    assert np.array_equal(other.predict_proba(X), whole.predict_proba(X))
    assert np.array_equal(model.predict_proba(X), before)
    assert other.get_params(deep=False).keys() == model.get_params(deep=False).keys()


def test_html_and_text_representations():
    model = small(OSBoostClassifier, Perceptron(scale="maxabs"))
    assert (
        " ".join(repr(model).split())
        == "OSBoostClassifier(estimator=Perceptron(scale='maxabs'), n_estimators=6, random_state=7)"
    )
    assert "OSBoostClassifier" in model._repr_html_()


def test_predict_both_is_predict_and_predict_proba():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.tile(["a", "b", "c"], 20)
    model = streamboost.OnlineBaggingClassifier(n_estimators=5, random_state=1).partial_fit(X, y)
    labels, proba = model.predict_both(X)
    assert labels.tolist() == model.predict(X).tolist()
    assert proba.tobytes() == model.predict_proba(X).tobytes()


@pytest.mark.parametrize("cls", EVERY)
def test_one_row_is_answered_and_learned_as_by_two_verbs(cls):
    """`test_then_train_one` says what `predict_one` and `predict_proba_one` would have said, and learns what `learn_one` does."""
    one, two = small(cls, NaiveBayes()), small(cls, NaiveBayes())
    colours = ["red", "blue", "green"]
    for t, (row, label) in enumerate(zip(X.tolist(), Y.tolist(), strict=True)):
        x = {"a": row[0], "b": row[1], "colour": colours[t % (2 + (t > 60))]}
        if t % 40 == 39:
            x["late"] = row[2]  # rows that are not as usual take the long way
        weight = (1.0, 1.0, 0.0, 2.0)[t % 4]
        before = two.predict_one(x), two.predict_proba_one(x)
        assert two.predict_both_one(x) == before
        assert one.test_then_train_one(x, label, weight) == before
        two.learn_one(x, label, weight)
    assert one.to_bytes() == two.to_bytes()


def test_one_row_of_a_regressor_is_answered_and_learned_as_by_two_verbs():
    one, two = (streamboost.OnlineBaggingRegressor(n_estimators=4, random_state=1) for _ in range(2))
    for t, row in enumerate(X.tolist()):
        x = {"a": row[0], "b": row[1], **({"late": 1.0} if t % 40 == 39 else {})}
        weight = (1.0, 1.0, 0.0, 2.0)[t % 4]
        before = two.predict_one(x)
        assert one.test_then_train_one(x, row[2], weight) == before
        two.learn_one(x, row[2], weight)
    assert one.to_bytes() == two.to_bytes()
