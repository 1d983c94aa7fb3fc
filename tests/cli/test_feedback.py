"""Budgets, bandit feedback, sets of labels and rows without labels on the command line."""

import json

import numpy as np
import pytest

import streamboost
from streamboost import BanditBoostingClassifier, BinaryRelevanceClassifier, OnlineBMRClassifier
from streamboost.evaluate import prequential
from streamboost.streams import open_stream
from streamboost.streams.label_sets import open_label_sets


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 2))
    y = np.where(X[:, 0] > 0.5, "up", np.where(X[:, 1] > 0, "mid", "down"))
    path = tmp_path / "rows.csv"
    lines = [f"{a:.3f},{b:.3f},{label}" for (a, b), label in zip(X, y, strict=True)]
    path.write_text("a,b,label\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def songs(tmp_path):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2))
    path = tmp_path / "songs.csv"
    lines = [f"{a:.3f},{b:.3f},{int(a > 0)},{int(b > 0)},{int(a + b > 0)}" for a, b in X]
    path.write_text("a,b,label:calm,label:happy,label:sad\n" + "\n".join(lines) + "\n")
    return path


def figures(run, *args):
    return json.loads(run("run", *args, "--json", "-").stdout)


@pytest.mark.parametrize("query", ["random", "split", "disagreement"])
def test_a_budget(run, table, query):
    model = streamboost.OnlineBaggingClassifier(n_estimators=3, random_state=0)
    expected = prequential(model, open_stream(table), budget=0.2, query=query, seed=0)
    options = ("--model", "bagging", "-n", 3, "--budget", 0.2, "--query", query)
    found = figures(run, table, *options)
    assert (found["error"], found["asked"]) == (expected.error, expected.asked)
    assert "labels asked for: " in run("run", table, *options).stdout


def test_a_budget_that_cannot_be(fails, table):
    assert "budget" in fails("run", table, "--budget", 0)
    assert "query" in fails("run", table, "--budget", 0.1, "--query", "best")


def test_bandit_feedback(run, fails, table, tmp_path):
    model = streamboost.OnlineBaggingClassifier(n_estimators=3)
    expected = prequential(model, open_stream(table), feedback="bandit", exploration=0.2, seed=0)
    options = ("--model", "bagging", "-n", 3, "--feedback", "bandit", "--exploration", 0.2)
    found = figures(run, table, *options)
    assert (found["error"], found["regret"]) == (expected.error, expected.regret)
    file = tmp_path / "bandit.sboost"
    said = run("run", table, *options, "--save", file).stdout
    assert "mistakes more than with all labels" in said
    saved = streamboost.load(file)
    assert isinstance(saved, BanditBoostingClassifier)
    assert saved.n_learned_ == 600
    assert "neither with a delay" in fails("run", table, *options, "--delay", 3)
    assert "feedback" in fails("run", table, "--feedback", "praise")


def test_sets_of_labels(run, fails, songs):
    expected = prequential(OnlineBMRClassifier(random_state=0), open_label_sets(songs, "label:*"))
    found = figures(run, songs, "--labels", "label:*", "--model", "online-bmr")
    assert found["task"] == "multilabel"
    assert found["error"] == expected.error
    each = BinaryRelevanceClassifier(streamboost.OnlineBaggingClassifier(n_estimators=2, random_state=0))
    names = "label:calm,label:sad"
    expected = prequential(each, open_label_sets(songs, names))
    found = figures(run, songs, "--labels", names, "--model", "bagging", "-n", 2)
    assert found["error"] == expected.error
    assert "loud" in fails("run", songs, "--labels", "loud")
    assert "--labels goes neither" in fails("run", songs, "--labels", "label:*", "--task", "regression")


def test_rows_without_a_label_are_left_out_and_said(run, table, tmp_path):
    lines = table.read_text().splitlines()
    gaps = tmp_path / "gaps.csv"
    gaps.write_text("\n".join([lines[0], *(f"{line}\n9,9," for line in lines[1:])]) + "\n")
    options = ("--model", "bagging", "-n", 3)
    whole, part = figures(run, table, *options), figures(run, gaps, *options)
    assert (part["n_rows"], part["error"]) == (600, whole["error"])
    file = tmp_path / "model.sboost"
    said = run("run", gaps, *options, "--save", file)
    assert "600 rows without a label left out" in said.stderr
    assert "600 rows without a label left out" in run("learn", file, gaps).stderr
    assert streamboost.load(file).n_learned_ == 1200


def test_rows_without_a_label_in_python():
    X = np.arange(90.0).reshape(30, 3)
    y = np.array(["a", "b", None] * 10, dtype=object)
    model = streamboost.OnlineBaggingClassifier(n_estimators=2, random_state=1)
    with pytest.warns(UserWarning, match="10 rows without a label are left out"):
        found = prequential(model, (X, y))
    kept = y != None  # noqa: E711
    expected = prequential(
        streamboost.OnlineBaggingClassifier(n_estimators=2, random_state=1), (X[kept], y[kept])
    )
    assert (found.n_rows, found.error) == (20, expected.error)
    pairs = [({"x": float(t)}, None if t % 3 else "a") for t in range(9)]
    with pytest.warns(UserWarning, match="6 rows without a label"):
        assert prequential(streamboost.OnlineBaggingClassifier(n_estimators=2), pairs).n_rows == 3
    numbers = np.where(np.arange(30) % 3 == 2, np.nan, np.arange(30.0))
    with pytest.warns(UserWarning, match="10 rows without a label"):
        assert prequential(streamboost.OnlineBaggingRegressor(n_estimators=2), (X, numbers)).n_rows == 20
