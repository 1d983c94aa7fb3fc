"""Explanations add up, are Shapley values by brute force, and say nothing about columns that do nothing."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from oracle.explain import shapley
from rich.cells import cell_len
from sklearn.exceptions import NotFittedError

import streamboost as sb
from streamboost.report.explanation import (
    Explanation,
    bars,
    plot_importances,
    plot_importances_over_time,
)
from tests.catalogue import state_bytes
from tests.inside.handles import tree_nodes

LEARNERS = {
    "naive Bayes": sb.NaiveBayes,
    "logistic": sb.LogisticRegression,
    "perceptron": lambda: sb.Perceptron(scale="standard"),
    "tree": lambda: sb.HoeffdingTree(grace_period=20, delta=0.1),
    "iti": sb.IncrementalTree,
    "stump": sb.DecisionStump,
    "mlp": sb.MLP,
    "nearest-neighbors": sb.NearestNeighbors,
}
ENSEMBLES = {
    "single": sb.SingleLearnerClassifier,
    "bagging": lambda learner, **o: sb.OnlineBaggingClassifier(learner, n_estimators=4, **o),
    "oza": lambda learner, **o: sb.OnlineBoostingClassifier(learner, n_estimators=4, **o),
    "osboost": lambda learner, **o: sb.OSBoostClassifier(learner, n_estimators=4, **o),
    "streamboost": lambda learner, **o: sb.StreamBoostClassifier(learner, n_estimators=3, **o),
}


def rows(n=400, columns=5, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns))
    X[rng.random(X.shape) < 0.05] = np.nan
    X[:, -1] = rng.integers(0, 3, n)
    score = np.nan_to_num(X[:, 0]) + 0.6 * np.nan_to_num(X[:, 1]) * (X[:, -1] == 1)
    return X, np.digitize(score + 0.3 * rng.normal(size=n), np.linspace(-0.4, 0.6, classes - 1))


def scores_of(model, row, column=None):
    """The score of the row with only some of its columns."""

    def value(subset):
        x = np.array([row[j] if j in subset else np.nan for j in range(len(row))])[None]
        found = model.decision_function(x)[0]
        return float(found if column is None else found[column])

    return value


@pytest.mark.parametrize("ensemble", ENSEMBLES)
@pytest.mark.parametrize("learner", LEARNERS)
def test_contributions_add_up_and_are_shapley_values(ensemble, learner):
    X, y = rows()
    model = ENSEMBLES[ensemble](LEARNERS[learner](), random_state=2, categorical_features=[4])
    model.partial_fit(X, y, classes=[0, 1])
    scores = model.decision_function(X[:12])
    trees = learner in ("tree", "iti", "stump")
    for told in (model.explain(X[:12]), model.explain(X[:12], n_orders=3), model.explain(X[:12], exact=True)):
        np.testing.assert_allclose(told.base + told.contributions.sum(axis=1), scores, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(told.score, scores)
        assert trees or (told.contributions[np.isnan(X[:12])] == 0).all()
    if learner in ("tree", "iti") and ensemble != "streamboost":
        return  # their own game: test_closed_explanations.py
    exact = model.explain(X[:2], exact=True)
    for r in range(2):
        wanted = shapley(scores_of(model, X[r]), 5)
        np.testing.assert_allclose(exact.contributions[r], wanted, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("label", [None, 0, 2])
def test_more_classes(label):
    X, y = rows(classes=3)
    model = sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=4, random_state=2)
    model.partial_fit(X, y)
    told = model.explain(X[:6], label, exact=True)
    scores = model.decision_function(X[:6])
    named = scores.argmax(axis=1) if label is None else np.full(6, label)
    assert told.labels.tolist() == named.tolist()
    np.testing.assert_allclose(
        told.base + told.contributions.sum(axis=1), scores[np.arange(6), named], atol=1e-12
    )
    wanted = shapley(scores_of(model, X[0], named[0]), 5)
    np.testing.assert_allclose(told.contributions[0], wanted, atol=1e-10)


def test_where_the_score_is_a_sum_it_is_the_closed_form():
    """One perceptron: what a column gives does not depend on the others; naive Bayes: the same on the scale of log odds."""
    X, y = rows()
    X = np.nan_to_num(X) / 4
    model = sb.OSBoostClassifier(sb.Perceptron(start="zero"), n_estimators=1).partial_fit(X, y)
    told = model.explain(X[:5], n_orders=1)
    for r in range(5):
        alone = [
            model.decision_function(X[r : r + 1])[0]
            - model.decision_function(np.where(np.arange(5) == j, np.nan, X[r])[None])[0]
            for j in range(5)
        ]
        np.testing.assert_allclose(told.contributions[r], alone, atol=1e-9)


def test_more_orders_come_closer_to_the_exact_values():
    X, y = rows()
    model = sb.OnlineBaggingClassifier(sb.MLP(), n_estimators=5, random_state=1).partial_fit(X, y)
    exact = model.explain(X[:30], exact=True).contributions
    gap = [np.abs(model.explain(X[:30], n_orders=n).contributions - exact).mean() for n in (1, 8, 200)]
    assert gap[2] < 0.4 * gap[0]


def test_the_second_of_two_classes_whatever_their_codes():
    X, y = rows()
    names = np.where(y == 1, "a", "b")
    first = sb.OnlineBaggingClassifier(n_estimators=3, random_state=1)
    first.partial_fit(X[np.argsort(y, kind="stable")], names[np.argsort(y, kind="stable")])  # finds b, then a
    told = first.explain(X[:5])
    assert told.labels.tolist() == ["b"] * 5
    np.testing.assert_allclose(told.score, first.decision_function(X[:5]), atol=1e-12)
    other = first.explain(X[:5], "a")
    np.testing.assert_allclose(other.contributions, -told.contributions, atol=1e-12)


def test_explanations_print_the_columns_that_matter():
    X, y = rows()
    model = sb.OnlineBaggingClassifier(n_estimators=3, random_state=1).partial_fit(X, y)
    told = model.explain(X[:7])
    head, _, *lines = str(told).splitlines()
    assert head.startswith(f"7 rows explained ({told.method})")
    first = int(np.argmax(told.importances))
    assert lines[0].split()[:2] == [str(told.columns[first]), f"{told.importances[first]:.4g}"]
    assert len(lines) == X.shape[1]
    assert repr(told).startswith("<explanations of 7 rows")


def test_one_row_is_one_and_rounding_errors_are_nothing():
    X = np.random.default_rng(0).normal(size=(400, 3))
    told = sb.StreamBoostRegressor(random_state=1).fit(X, X[:, 0]).explain(X[:1])
    head, _, first, *others = str(told).splitlines()
    assert head.startswith("1 row explained")
    assert first.split()[0] == "0"
    assert [line.split()[1] for line in others] == ["0", "0"]


def test_asking_why_changes_nothing_and_answers_the_same(tmp_path):
    X, y = rows()
    model = sb.StreamBoostClassifier(n_estimators=3, random_state=1, calibration="platt").partial_fit(X, y)
    before = state_bytes(model)
    one, two = model.explain(X[:9]), model.explain(X[:9])
    assert one.contributions.tobytes() == two.contributions.tobytes()
    assert before == state_bytes(model)
    model.save(tmp_path / "m.sboost")
    again = sb.load(tmp_path / "m.sboost").explain(X[:9])
    assert again.contributions.tobytes() == one.contributions.tobytes()
    assert model.snapshot().explain(X[:9]).base.tobytes() == one.base.tobytes()
    row = model.explain_one(dict(enumerate(X[0].tolist())))
    assert list(row.contributions.values()) == one.contributions[0].tolist()
    assert row.score == one.score[0]


def test_sparse_rows_are_explained_by_the_cells_they_have():
    X = sp.random(300, 8, 0.3, format="csr", random_state=1)
    y = (np.asarray(X[:, 0].todense()).ravel() > 0.2).astype(int)
    model = sb.OnlineBaggingClassifier(sb.Perceptron(), n_estimators=3, random_state=1)
    model.partial_fit(X, y, classes=[0, 1])
    told = model.explain(X[:20])
    np.testing.assert_allclose(
        told.base + told.contributions.sum(axis=1), model.decision_function(X[:20]), atol=1e-12
    )
    assert (told.contributions[np.asarray(X[:20].todense()) == 0] == 0).all()


def test_importances_follow_the_stream():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 4))
    y = np.where(np.arange(40_000) < 20_000, X[:, 0] > 0, X[:, 2] > 0).astype(int)
    model = sb.SingleLearnerClassifier(sb.LogisticRegression(), random_state=1, importances=True)
    model.partial_fit(X[:20_000], y[:20_000], classes=[0, 1])
    assert model.feature_importances_.argmax() == 0
    assert (model.feature_importances_ >= 0).all()
    model.partial_fit(X[20_000:], y[20_000:])
    assert model.feature_importances_.argmax() == 2
    assert "importances/columns" not in model.report().lanes


@pytest.mark.parametrize(
    "learner", [lambda: sb.HoeffdingTree(grace_period=20, delta=0.1), sb.IncrementalTree]
)
def test_impurity_importances(learner):
    """By hand from the nodes: weighted Gini of a node less that of its children, over the weight of all rows."""
    X, y = rows(columns=6)
    model = sb.OnlineBaggingClassifier(learner(), n_estimators=3, random_state=1, categorical_features=[5])
    model.partial_fit(X, y)

    def masses(nodes, n):
        kids = nodes[n][5]
        return np.sum([masses(nodes, kid) for kid in kids], axis=0) if kids else np.array(nodes[n][6])

    def gini(mass):
        return mass.sum() - (mass**2).sum() / mass.sum() if mass.sum() > 0 else 0.0

    wanted = np.zeros(6)
    for lane in range(3):
        nodes = tree_nodes(model, lane)
        for n, node in enumerate(nodes):
            if node[5]:
                gain = gini(masses(nodes, n)) - sum(gini(masses(nodes, kid)) for kid in node[5])
                wanted[node[1]] += gain / masses(nodes, 0).sum()
    found = model.impurity_importances_
    np.testing.assert_allclose(found, wanted / wanted.sum(), atol=1e-12)
    assert found.argmax() == 0
    with pytest.raises(AttributeError, match="are those of trees"):
        _ = (
            sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=2)
            .partial_fit(X, y)
            .impurity_importances_
        )


def test_refusals():
    X, y = rows()
    new = sb.OnlineBaggingClassifier(n_estimators=2)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        new.explain(X)
    with pytest.raises(NotFittedError):
        new.explain_one({"a": 1})
    model = new.partial_fit(X, y)
    with pytest.raises(AttributeError, match="start the model with importances=True"):
        _ = model.feature_importances_
    assert not hasattr(model, "feature_importances_")
    with pytest.raises(ValueError, match="label=7 is none of the classes"):
        model.explain(X, 7)
    with pytest.raises(ValueError, match="n_orders=0 must be at least 1"):
        model.explain(X, n_orders=0)
    wide = sb.OnlineBaggingClassifier(n_estimators=2, random_state=1).partial_fit(np.zeros((2, 13)), [0, 1])
    with pytest.raises(ValueError, match="at most 12 columns, these have 13"):
        wide.explain(np.zeros((1, 13)), exact=True)


def test_pictures_and_texts(tmp_path):
    X, y = rows()
    model = sb.OnlineBaggingClassifier(n_estimators=2, random_state=1).partial_fit(X, y)
    told = model.explain(X[:20])
    told.plot(tmp_path / "bars.png")
    told[0].plot(tmp_path / "waterfall.png", top=3)
    plot_importances({"a": 1.0, "b": 2.0}, tmp_path / "importances.png")
    plot_importances_over_time([1, 2], np.ones((2, 3)), "abc", tmp_path / "time.png")
    assert all(
        (tmp_path / f"{name}.png").stat().st_size > 3000
        for name in ("bars", "waterfall", "importances", "time")
    )
    alone, first = model.explain(X[:1]).plot().axes[0], told[0].plot().axes[0]
    assert alone.get_title("left") == first.get_title("left")  # the picture of one row is its waterfall
    assert str(told[0]).startswith("score ")
    assert "<table" in told[0]._repr_html_()
    with pytest.raises(ValueError, match="no importance"):
        plot_importances({})
    with pytest.raises(ValueError, match="shape"):
        plot_importances_over_time([1], np.ones((2, 3)), "abc")


@pytest.mark.parametrize(
    "make", [sb.StreamBoostRegressor, sb.OnlineBaggingRegressor, sb.ReplayBoostingRegressor]
)
@pytest.mark.parametrize("target", ["raw", "log1p"])
def test_importances_of_regressors_find_the_columns_and_stand_in_reports(make, target):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 4))
    y = 5 + np.abs(3 * X[:, 2] + X[:, 1])
    whole, rows = (make(importances=True, random_state=1, target=target) for _ in range(2))
    frame = pd.DataFrame(X, columns=list("abcd"))
    whole.partial_fit(frame, y)
    for start in range(0, 600, 7):
        rows.partial_fit(frame[start : start + 7], y[start : start + 7])
    assert np.array_equal(whole.feature_importances_, rows.feature_importances_)
    assert np.array_equal(sb.load(whole.to_bytes()).feature_importances_, whole.feature_importances_)
    assert whole.feature_importances_.argmax() == 2
    report = whole.report()
    assert report.importances == dict(zip("abcd", whole.feature_importances_.tolist(), strict=True))
    assert report.to_dict()["importances"] == report.importances
    assert "What the model looks at" in str(report)
    assert "looks most at c" in report._repr_html_()
    assert make().partial_fit(X, y).report().importances is None


def test_names_of_wide_characters_stand_in_line():
    """A Chinese or Japanese character takes two places of a terminal, an accent that is put on another none."""
    named = {"金額 = 5": 0.5, "ville = Bogota\u0301": -0.25, "hour": 0.125}
    lines = bars(list(named.items()), signed=True)
    starts = [cell_len(line[: line.index("█")]) for line in lines]
    assert starts == [2 + len("ville = Bogota") + 2 + 12] * 3
    assert [line.count("█") for line in lines] == [24, 12, 6]
    told = str(Explanation(0.0, named, 0.375, "good")).splitlines()[1:]
    assert {cell_len(line) for line in told} == {2 + len("ville = Bogota") + 2 + len("+0.5000")}
