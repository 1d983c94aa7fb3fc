"""Models and learners of the user's own on the command line, and those of several learners."""

from __future__ import annotations

import sys

import pytest

OWN = '''
import numpy as np
from streamboost import PythonBooster


class Doubler(PythonBooster):
    """Twice the weight where a learner fails."""

    def __init__(self, estimator=None, *, factor=2.0, **options):
        super().__init__(estimator, **options)
        self.factor = factor

    def weigh(self, state, lane, answer, example):
        return self.factor if answer[example.label] < 0.5 else 1.0


class Last:
    """A learner that repeats the last label."""

    def __init__(self, start=0):
        self.label = start

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.label = int(y[-1])
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


thing = 3
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_ideas.py").write_text(OWN)
    rows = "".join(f"{i % 7},{(i * 5) % 11},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(200))
    (tmp_path / "data.csv").write_text("a,b,label\n" + rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_model_of_my_own(run, folder):
    result = run("run", "data.csv", "--model", "my_ideas:Doubler", "-l", "naive-bayes", "-n", "3")
    assert "200" in result.stdout


def test_a_model_of_my_own_has_parameters_and_a_place_in_comparisons(run, fails, folder):
    run("run", "data.csv", "--model", "my_ideas:Doubler", "--param", "factor=3", "-n", "3")
    assert "has no parameter 'facto'" in fails(
        "run", "data.csv", "--model", "my_ideas:Doubler", "--param", "facto=3"
    )
    models = "oza-boost,my_ideas:Doubler,my_ideas:Doubler:factor=4"
    command = [
        "compare",
        "data.csv",
        "-m",
        models,
        "-l",
        "naive-bayes,my_ideas:Last:start=1",
        "-n",
        "3",
        "-j",
        "1",
    ]
    said = run(*command).stdout
    assert "my_ideas:Doubler:factor=4" in said.replace("\n", "")
    assert "8 of 8 runs" in run(*command).stdout
    (folder / "my_ideas.py").write_text(OWN + "# another thought\n")
    sys.modules.pop("my_ideas")
    assert "3 of 8 runs" in run(*command).stdout


def test_a_learner_of_my_own(run, folder):
    options = ["--learner", "my_ideas:Last", "--learner-param", "start=1", "-n", "2"]
    assert "200" in run("run", "data.csv", "--model", "oza-boost", *options).stdout
    assert "200" in run("run", "data.csv", "--model", "sklearn.naive_bayes:GaussianNB").stdout


@pytest.mark.parametrize("model", ["hedge", "weighted-majority", "winnow"])
def test_several_learners(run, folder, model):
    result = run("run", "data.csv", "--model", model, "--learner", "naive-bayes,logistic")
    assert "200" in result.stdout


def test_parameters_of_several_learners(run, fails, folder):
    run("run", "data.csv", "--model", "weighted-majority", "--beta", "0.7")
    assert "beta" in fails("run", "data.csv", "--model", "weighted-majority", "--beta", "7")
    said = fails("run", "data.csv", "--model", "hedge", "--save", "m.sboost")
    assert "pickle" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--model", "no_such_module:Thing"],
            "--model no_such_module:Thing: there is no module 'no_such_module'",
        ),
        (["--model", "my_ideas:Thing"], "the module 'my_ideas' has no 'Thing'"),
        (["--model", "my_ideas:thing"], "'thing' is no class"),
        (
            ["--learner", "my_ideas:Last", "--learner-param", "depth=3"],
            "Last has no parameter 'depth'; it has start",
        ),
        (["--model", "my_ideas:Doubler", "--param", "n_estimators"], "expected NAME=VALUE"),
        (["--model", "my_ideas:Doubler", "--gamma", "3"], "given as --param gamma=VALUE"),
        (["--model", "hedge", "--learner", "naive-bayes,nothing"], "There is no learner 'nothing'"),
        (["--model", "my_ideas:Last", "-n", "4"], "-n: Last has no parameter 'n_estimators'"),
    ],
)
def test_mistakes_are_one_line(fails, folder, options, message):
    assert message in fails("run", "data.csv", *options)
