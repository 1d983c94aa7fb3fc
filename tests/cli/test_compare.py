"""`streamboost compare`: the table, the files, and one line for what cannot be done."""

import csv
import json

import pytest
from small_data import write_rows

from streamboost.cli.compare import choose
from streamboost.cli.errors import UserError
from streamboost.evaluate import prequential
from streamboost.streams import CsvStream


@pytest.fixture
def two(tmp_path):
    return write_rows(tmp_path / "two.csv")


def lines_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_two_sets_one_with_a_third_class(run, tmp_path, two):
    three = write_rows(tmp_path / "three.csv", k=3)
    out = tmp_path / "deep" / "out"
    command = ("compare", two, three, "--models", "oza-boost,osboost:gamma=0.2", "--learners", "naive-bayes")
    command += ("--no-baselines",)
    result = run(*command, "--orders", 3, "-n", 4, "--jobs", 2, "--seed", 5, "--out", out, "--metrics", "auc")
    assert "n/a on three: osboost:gamma=0.2: Only binary classification is supported." in result.stdout
    assert (out / "report.html").exists()
    cells = lines_of(out / "summary.csv")
    assert [cell["status"] for cell in cells] == ["done", "done", "done", "refused"]
    # The same figures as `run` has, which means the same permutations.
    figures = tmp_path / "r.json"
    options = ("--learner", "naive-bayes", "-n", 4, "--seed", 5, "--orders", 3, "--json", figures)
    for cell, model in zip(cells, (("oza-boost",), ("osboost", "--gamma", 0.2)), strict=False):
        run("run", two, "--model", *model, *options)
        assert float(cell["error"]) == pytest.approx(json.loads(figures.read_text())["error"], abs=1e-15)
    assert all(float(line["auc"]) > 0.5 for line in lines_of(out / "runs.csv") if line["status"] == "done")
    again = run(*command, "--orders", 3, "-n", 4, "--jobs", 2, "--seed", 5, "--out", out, "--metrics", "auc")
    assert "12 of 12 runs were there already." in again.stdout


def test_cross_validation(run, tmp_path, two):
    run(
        "compare",
        two,
        "-m",
        "oza-boost,single",
        "--folds",
        3,
        "--repeats",
        2,
        "--orders",
        2,
        "-n",
        3,
        "--no-baselines",
        "--out",
        tmp_path / "o",
    )
    runs = lines_of(tmp_path / "o" / "runs.csv")
    assert len(runs) == 12
    assert {(line["repeat"], line["fold"]) for line in runs} == {
        (str(r), str(f)) for r in range(2) for f in range(3)
    }


def test_a_run_that_fails_is_told_and_the_rest_is_there(run, tmp_path, two, monkeypatch):
    import os
    import sys

    from streamboost.experiments import runner

    code = "import sys; from streamboost.experiments import worker as w\ne = w.execute\ndef f(run, *a):\n"
    code += "    if run.algorithm.model == 'single': raise RuntimeError('no luck')\n    return e(run, *a)\n"
    code += "w.execute = f; w.serve(sys.argv[1])"
    monkeypatch.setattr(
        runner, "worker_command", lambda folder: [sys.executable, "-c", code, os.fspath(folder)]
    )
    options = ("--orders", 2, "-n", 3, "--no-baselines", "--out", tmp_path / "o")
    result = run("compare", two, "-m", "oza-boost,single", *options, code=1)
    assert "failed on two: single: RuntimeError: no luck" in result.stderr
    assert [c["status"] for c in lines_of(tmp_path / "o" / "summary.csv")] == ["done", "failed"]


def test_every_model_with_every_learner_and_size():
    options = {"scale": "maxabs", "flags": [("gamma", "0.3")], "seed": 0}
    found = choose("osboost,single,oza-boost:tie=random", "ogd,stump", "5,50", **options)
    assert [a.name for a in found] == [
        "osboost · ogd N=5",
        "osboost · ogd N=50",
        "osboost · stump N=5",
        "osboost · stump N=50",
        "single · ogd",
        "single · stump",
        "oza-boost:tie=random · ogd N=5",
        "oza-boost:tie=random · ogd N=50",
        "oza-boost:tie=random · stump N=5",
        "oza-boost:tie=random · stump N=50",
    ]
    assert found[0].params == {"n_estimators": 5, "gamma": 0.3}
    assert found[0].learner_params == {"scale": "maxabs"}
    assert found[2].learner_params == {}
    assert found[-1].params == {"n_estimators": 50, "tie": "random"}


def test_a_flag_that_nobody_has():
    with pytest.raises(UserError, match="--gamma is no parameter of any"):
        choose("oza-boost", "stump", None, scale=None, flags=[("gamma", "1")], seed=0)
    with pytest.raises(UserError, match="--scale is no parameter of any"):
        choose("oza-boost", "stump", None, scale="maxabs", flags=[], seed=0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--models", "ozaboost"], "There is no model 'ozaboost'; did you mean oza-boost?"),
        (["--models", ","], "--models: name at least one."),
        (["--learners", "stumps"], "There is no learner 'stumps'; did you mean stump?"),
        (["--models", "osboost:gama=1"], "no parameter 'gama'"),
        (["--models", "osboost:gamma=7"], "gamma"),
        (["--gama", "1"], "There is no option --gama; did you mean --gamma?"),
        (["-n", "ten"], "-n ten: expected a number of learners"),
        (["-n", "0"], "n_estimators"),
        (["--test", "magic"], "There is no test 'magic'"),
        (["--test", "corrected-t"], "The corrected t test is for folds"),
        (["--folds", "400"], "two: has 150 rows, too few for 400 folds."),
        (["--folds", "1"], "no runs like these"),
        (["--metrics", "acc"], "There is no metric 'acc' for classification; did you mean accuracy?"),
        (["--rank-by", "beauty"], "There is no metric 'beauty'"),
        (["--rank-by", "auc", "--folds", "3"], "Late labels and metrics over time belong to a stream"),
        (["--label", "nothing"], "nothing"),
        (["missing.csv"], "missing.csv: no such file"),
        (["-"], "Standard input can be read only once"),
    ],
)
def test_one_line_for_what_cannot_be_done(run, tmp_path, two, arguments, message):
    result = run("compare", two, *arguments, "--out", tmp_path / "o", code=2)
    (line,) = (line for line in result.stderr.splitlines() if "otherwise" not in line)
    assert message in line
    assert not (tmp_path / "o").exists()


def test_out_must_be_a_folder(run, two):
    assert "is not a directory" in run("compare", two, "--out", two, code=2).stderr


def test_run_shows_metrics_and_late_labels(run, tmp_path, two):
    figures = tmp_path / "r.json"
    options = ("--metrics", "auc,g_mean", "--fading", 0.99, "--delay", 7, "--window", 50, "--json", figures)
    result = run("run", two, "--model", "oza-boost", "-n", 4, *options)
    assert "last 50 rows" in result.stdout
    assert "g mean" in result.stdout
    found = json.loads(figures.read_text())
    assert found["delay"] == 7
    assert set(found["metrics"]["auc"]) == {"cumulative", "window", "fading"}
    stream = CsvStream(two)
    model = choose("oza-boost", "naive-bayes", "4", scale=None, flags=[], seed=0)[0].build(0, stream.nominal)
    expected = prequential(model, stream, delay=7, metrics=["auc"])
    assert found["error"] == expected.error
    assert found["metrics"]["auc"]["cumulative"]["value"] == expected.metrics["auc"]["cumulative"].value
    assert "between 0 and 1" in run("run", two, "--fading", 2, code=2).stderr


def rare(path, n=400):
    """One row in 20 is positive, and the column says little of it."""
    rows = [f"{(i * 7919 % 100) / 100:.2f},{'rare' if i % 20 == 7 else 'usual'}" for i in range(n)]
    path.write_text("x,label\n" + "\n".join(rows) + "\n")
    return path


def test_a_winner_that_never_finds_the_rare_class_is_not_praised(run, tmp_path):
    data, out = rare(tmp_path / "rare.csv"), tmp_path / "o"
    command = ("compare", data, "-m", "bagging", "-l", "stump", "-n", 3, "--jobs", 1, "--out", out)
    result = run(*command)
    assert (
        "the best model, bagging · stump, is no better than always answering the most frequent"
        in result.stderr
    )
    assert "Rare classes are judged by --metrics" in run("run", *command[1:-4]).stderr
    assert "Rows in the order of the data; --orders K shuffles them K times." in result.stdout
    cells = lines_of(out / "summary.csv")
    assert [cell["model"] for cell in cells] == ["bagging", "majority", "no-change"]
    assert [cell["place"] for cell in cells] == ["best", "baseline", "baseline"]
    page = (out / "report.html").read_text()
    assert "is no better than always answering" in page
    assert "in the order of the data, not shuffled" in page
    assert page.count(">G-mean<") == page.count(">kappa<") == 1


def test_models_are_ranked_by_the_metric_that_was_asked_for(run, tmp_path):
    data, out = rare(tmp_path / "rare.csv"), tmp_path / "o"
    models = ("-m", "bagging,oza-boost", "-l", "naive-bayes", "-n", 3, "--jobs", 1, "--out", out)
    asked = ("--metrics", "g_mean,average_precision", "--rank-by", "average_precision")
    result = run("compare", data, *models, *asked)
    cells = lines_of(out / "summary.csv")
    best = max(cells[:2], key=lambda cell: float(cell["average_precision"]))
    assert best["place"] == "best"
    assert {cell["ranked_by"] for cell in cells} == {"average_precision"}
    assert {cell["positive"] for cell in cells} == {"rare"}
    with open(out / "summary.csv") as file:
        heads = file.readline().strip().split(",")
    assert len(heads) == len(set(heads))
    for word in ("average precision", "G-mean", "error"):
        assert result.stdout.count(word) == 1, word
    page = (out / "report.html").read_text()
    assert "Bold: the best mean average precision. One order gives one value each" in page
    assert page.count(">G-mean<") == page.count(">average precision</th>") == 1
    shuffled = run("compare", data, *models, *asked, "--orders", 3, "--positive", "usual")
    assert "Mean over 3 random orders" in shuffled.stdout
    cells = lines_of(out / "summary.csv")
    assert {cell["positive"] for cell in cells} == {"usual"}
    assert float(cells[0]["average_precision"]) > 0.8
