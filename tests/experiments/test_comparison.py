"""`compare` in Python: models of any make beside ours, in the same orders."""

import numpy as np
import pytest
from river import linear_model, preprocessing
from sklearn.linear_model import SGDClassifier
from sklearn.tree import DecisionTreeClassifier

from streamboost import (
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBBMClassifier,
    OSBoostClassifier,
    Perceptron,
)
from streamboost.evaluate import SlidingWindow, prequential
from streamboost.evaluate.prequential import permutation
from streamboost.experiments import compare
from streamboost.streams import DataError


def data(n=200, k=2):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 3))
    return X, np.array(["no", "yes", "perhaps"])[(np.abs(X[:, 0]) * 1.4).astype(int) % k]


def models():
    return {
        "bagging": OnlineBaggingClassifier(NaiveBayes(), n_estimators=4, random_state=1),
        "osboost": OSBoostClassifier(NaiveBayes(), n_estimators=4, random_state=1),
        "window": SlidingWindow(DecisionTreeClassifier(max_depth=2, random_state=0), window=80, every=20),
        "sgd": SGDClassifier(loss="log_loss", random_state=0),
        "river": preprocessing.StandardScaler() | linear_model.ALMAClassifier(),
    }


def test_every_model_gets_the_same_rows_and_keeps_its_own_state():
    X, y = data()
    given = models()
    found = compare(given, {"toy": (X, y == "yes")}, orders=2, seed=3, metrics=["kappa_majority"])
    assert not given["bagging"].started
    for name, model in models().items():
        errors = []
        for order in range(2):
            rows = permutation(3, order, 200)
            fresh = model.clone() if name == "river" else __import__("sklearn.base").base.clone(model)
            errors.append(prequential(fresh, (X[rows], (y == "yes")[rows])).error)
            assert found.results["toy", name, order].error == errors[-1]
        frame = found.to_frame().set_index("model")
        assert frame.loc[name, "error"] == pytest.approx(np.mean(errors))
    assert frame.index.tolist() == [*models(), "majority", "no-change"]
    assert found.best["toy"] == frame["error"][:5].idxmin()
    assert found.summary.test_name == "paired t test"


def test_one_that_cannot_is_said_and_the_rest_is_there(tmp_path):
    X, y = data(k=3)
    found = compare({**models(), "bbm": OnlineBBMClassifier(Perceptron())}, {"three": (X, y)}, rank_by="mcc")
    frame = found.to_frame().set_index("model")
    assert "Only binary" in frame.loc["osboost", "message"]
    assert np.isnan(frame.loc["bbm", "mcc"])
    assert frame.loc["window", "mcc"] > 0
    assert found.best["three"] == frame["mcc"].idxmax()
    assert "osboost on three: Only binary" in found._repr_html_()
    assert repr(found).splitlines()[0].split() == ["model", "data", "MCC", "error"]
    page = found.report(tmp_path / "out")
    assert page.read_text().count("<h1>6 models on 1 data set</h1>") == 1
    assert (tmp_path / "out" / "summary.csv").exists()


class Yes:
    """A metric of a user's own, where less is better."""

    name, greater_is_better = "yes answers", False

    def __init__(self):
        self.n = 0

    def update(self, rows):
        self.n += int((rows.y_pred == "yes").sum())

    def value(self):
        return float(self.n)


def test_ranked_by_a_metric_of_ones_own():
    found = compare(models(), data(), metrics=[Yes()], rank_by="yes answers", limit=100)
    frame = found.to_frame().set_index("model")
    assert frame.loc[found.best["data"], "yes answers"] == frame["yes answers"][:5].min()
    assert found.results["data", "sgd", 0].n_rows == 100


def test_dicts_and_iterators_are_held():
    X, y = data()
    pairs = [
        (dict(zip("abc", row, strict=True)), bool(label == "yes"))
        for row, label in zip(X.tolist(), y, strict=True)
    ]
    chosen = {name: models()[name] for name in ("bagging", "river")}
    once = compare(chosen, iter(pairs), orders=2).to_frame()
    again = compare(chosen, pairs, orders=2).to_frame()
    assert once["error"].tolist() == again["error"].tolist()


def test_a_winner_no_better_than_a_baseline_is_named():
    X = np.zeros((100, 1))
    y = np.repeat([0, 1], 50)
    found = compare({"bagging": models()["bagging"]}, (X, y))
    (line,) = [text for text in found.warnings if "repeating the last label" in text]
    assert line.startswith(
        "data: the best model, bagging, is no better than repeating the last label (error 0.4"
    )
    assert line in repr(found)
    assert not compare({"bagging": models()["bagging"]}, (X, y), with_baselines=False).warnings


def test_nonsense_is_refused():
    with pytest.raises(ValueError, match="no models"):
        compare({}, data())
    with pytest.raises(TypeError, match="pass a dict of names and models"):
        compare(list(models().values()), data())
    with pytest.raises(ValueError, match="belongs to a baseline"):
        compare({"majority": models()["sgd"]}, data())
    with pytest.raises(ValueError, match="no metric 'beauty'"):
        compare(models(), data(), rank_by="beauty")
    with pytest.raises(DataError, match="no rows"):
        compare(models(), (np.zeros((0, 2)), np.zeros(0)))


def test_the_page_on_comparisons_runs(tmp_path, monkeypatch):
    import re
    from pathlib import Path

    page = (Path(__file__).resolve().parents[2] / "docs" / "compare.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)
    monkeypatch.chdir(tmp_path)
    X, y = data()
    exec(compile(block, "compare.md", "exec"), {"X": X, "y": y})
    assert (tmp_path / "out" / "report.html").exists()
