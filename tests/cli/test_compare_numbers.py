"""`streamboost compare`, `tune` and the guess of the task, for numbers to predict."""

import csv
import json

import numpy as np
import pytest

from streamboost import SingleLearnerRegressor
from streamboost.baselines import MeanRegressor
from streamboost.evaluate import prequential
from streamboost.streams import FriedmanStream, open_stream


def lines_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def rents(tmp_path):
    """Rows with a column of words."""
    X, y = FriedmanStream(n_rows=240, n_features=5).arrays()
    kinds = np.where(X[:, 0] > 0.5, "new", "old")
    lines = [f"{k},{b:.4f},{c:.4f},{t:.4f}" for k, b, c, t in zip(kinds, X[:, 3], X[:, 4], y, strict=True)]
    path = tmp_path / "rents.csv"
    path.write_text("kind,size,age,rent\n" + "\n".join(lines) + "\n")
    return path


def test_a_table_of_regressors(run, tmp_path, rents):
    out = tmp_path / "out"
    command = (
        "compare",
        "friedman",
        rents,
        "--task",
        "regression",
        "-m",
        "single,gradient-boosting",
        "-n",
        3,
    )
    command += ("--limit", 300, "--jobs", 2, "--seed", 1, "--out", out, "--metrics", "mape")
    result = run(*command)
    assert "MAE" in result.stdout
    cells = lines_of(out / "summary.csv")
    assert [(c["model"], c["data"]) for c in cells[:4]] == [
        (name, "friedman") for name in ("single", "gradient-boosting", "mean", "last-value")
    ]
    expected = prequential(SingleLearnerRegressor(random_state=1), open_stream("friedman", limit=300))
    for measure in ("mae", "rmse", "r2"):
        assert float(cells[0][measure]) == pytest.approx(getattr(expected, measure))
    assert float(cells[2]["mae"]) == pytest.approx(
        prequential(MeanRegressor(), open_stream("friedman", limit=300)).mae
    )
    assert {c["ranked_by"] for c in cells} == {"mae"}
    assert {c["status"] for c in cells} == {"done"}
    best = min(cells[:2], key=lambda c: float(c["mae"]))
    assert best["place"] == "best"
    # The paired test over the rows tells baselines from models.
    assert all(float(c["p"]) < 0.05 for c in cells[2:4])
    page = (out / "report.html").read_text()
    assert "Mean absolute error over time" in page
    assert "targets from" in page
    assert "mean answers the mean of the targets so far, last-value the last one" in page
    assert " classes<" not in page
    assert (out / "friedman-error-over-time.png").stat().st_size > 5_000
    assert "8 of 8 runs were there already." in run(*command).stdout


def test_random_orders_folds_and_other_measures(run, tmp_path, rents):
    out = tmp_path / "o"
    run("compare", rents, "-m", "single-regressor", "--orders", 3, "--rank-by", "r2", "--out", out)
    cells = lines_of(out / "summary.csv")
    assert [c["ranked_by"] for c in cells] == ["r2"] * 3
    assert float(cells[0]["r2"]) > float(cells[1]["r2"])
    assert float(cells[0]["standard_error"]) > 0
    out = tmp_path / "f"
    run("compare", rents, "--task", "regression", "-m", "single", "--folds", 3, "--out", out)
    cells = lines_of(out / "summary.csv")
    assert [c["model"] for c in cells] == ["single", "mean"]
    assert float(cells[0]["mae"]) < float(cells[1]["mae"])


def test_nothing_beats_the_mean_of_noise(run, tmp_path):
    path = tmp_path / "noise.csv"
    rng = np.random.default_rng(3)
    path.write_text("a,y\n" + "\n".join(f"{a:.3f},{b:.3f}" for a, b in rng.normal(size=(60, 2))) + "\n")
    result = run("compare", path, "-m", "gradient-boosting", "-n", 3, "--out", tmp_path / "o")
    assert "is no better than always answering the mean of the targets (MAE" in result.stderr


def test_what_cannot_be_compared(fails, rents, tmp_path):
    out = ("--out", tmp_path / "o")
    assert "are regressors and cannot be compared with classifiers" in fails(
        "compare", rents, "-m", "oza-boost,gradient-boosting", *out
    )
    assert "no regressor 'osboost'" in fails("compare", rents, "--task", "regression", "-m", "osboost", *out)
    assert "is a classifier, but bagging-regressor is a regressor" in fails(
        "compare", rents, "--task", "regression", "-m", "bagging", "-l", "naive-bayes", *out
    )
    assert "these models are regressors" in fails(
        "compare", rents, "-m", "single-regressor", "--positive", "1", *out
    )
    assert "no metric 'auc' for regression" in fails(
        "compare", rents, "-m", "single-regressor", "--metrics", "auc", *out
    )
    assert "expected classification or regression" in fails("compare", rents, "--task", "sums", *out)


def test_the_task_is_guessed_and_said_aloud(run, rents, tmp_path):
    figures = tmp_path / "r.json"
    result = run("run", rents, "-n", 3, "--json", figures)
    assert "rents.csv: regression of column" in result.stderr
    assert "numbers with more than 20 values; --label and --task say otherwise" in result.stderr
    assert json.loads(figures.read_text())["task"] == "regression"
    result = run("compare", rents, "-n", 3, "--out", tmp_path / "o")
    assert ": regression of" in result.stderr
    assert [c["model"] for c in lines_of(tmp_path / "o" / "summary.csv")] == [
        "streamboost",
        "gradient-boosting",
        "bagging",
        "mean",
        "last-value",
    ]
    # Who names a model or a learner of classes means classes; few values and words are classes.
    assert ": regression of" not in run("run", "sea", "--limit", 100, "-n", 2).stderr
    few = tmp_path / "few.csv"
    few.write_text("a,b\n" + "\n".join(f"{i % 7},{i % 20}" for i in range(100)) + "\n")
    assert ": regression of" not in run("run", few, "-n", 2).stderr
    units = tmp_path / "units.csv"
    units.write_text("a,b\n" + "\n".join(f"{i % 7},{i}.5 kW" for i in range(250)) + "\n")
    assert "written without a unit, not as '0.5 kW'" in run("run", units, "-m", "bagging", "-n", 2).stderr
    many = tmp_path / "many.csv"
    many.write_text("a,b\n" + "\n".join(f"{i % 7},{i * i % 97}" for i in range(100)) + "\n")
    assert ": regression of" in run("run", many, "-m", "bagging", "-n", 2).stderr
    assert (
        ": regression of" not in run("run", many, "-m", "bagging", "-n", 2, "--task", "classification").stderr
    )
    assert ": regression of" not in run("run", many, "-m", "bagging", "-l", "naive-bayes", "-n", 2).stderr


def test_the_label_column_and_classes_that_are_numbers(run, tmp_path):
    path = tmp_path / "first.csv"
    path.write_text("Label,x,z\n" + "".join(f"{1 + i * 7 % 40},{i % 13},{i / 7:.3f}\n" for i in range(400)))
    said = run("run", path, "-n", 2).stderr
    assert (
        "classification of column 'Label' (by its name), 40 whole numbers in a row that repeat often" in said
    )
    path.write_text("x,y\n" + "".join(f"{i / 7:.3f},7\n" for i in range(50)))
    assert "classification of column 'y' (the last column), 1 value;" in run("run", path, "-n", 2).stderr
    path.write_text("class,x,z\n" + "".join(f"{i * 1.3:.2f},{i % 13},{i}\n" for i in range(100)))
    said = run("run", path, "-n", 2).stderr
    assert (
        "regression of column 'class' (by its name), numbers with more than 20 values; --label and --task"
        in said
    )
    points = tmp_path / "points.csv"
    points.write_text("x,y,z,price\n" + "".join(f"{i % 7},{i % 5},{i},{i * 1.5}\n" for i in range(200)))
    said = run("run", points, "-n", 2).stderr
    assert "regression of column 'price' (the last column)" in said, "y amid other columns is a coordinate"
    counts = tmp_path / "counts.csv"
    counts.write_text("a,n\n" + "".join(f"{i % 7},{(i * i) % 61 + i % 30}\n" for i in range(300)))
    assert ": regression of column 'n'" in run("run", counts, "-n", 2).stderr
    # Whole numbers that fill their range are counts by their name, or where they begin far above 1.
    for name, least in (("bike_count", 0), ("n", 5)):
        counts.write_text(f"a,{name}\n" + "".join(f"{i % 7},{least + i * 7 % 40}\n" for i in range(400)))
        assert f": regression of column '{name}'" in run("run", counts, "-n", 2).stderr


def test_predict_scores_what_it_was_taught(run, tmp_path):
    path, model = tmp_path / "rent.csv", tmp_path / "m.sboost"
    path.write_text("size,rent,rooms\n" + "".join(f"{i},{10 * i + 0.5},{i % 5}\n" for i in range(100)))
    run("run", path, "--label", "rent", "--save", model)
    assert "mean absolute error" in run("predict", model, path, "--out", tmp_path / "a.csv").stdout
    assert "it predicts numbers" in run("show", model).stdout


def test_a_saved_regressor_knows_words(run, rents, tmp_path):
    model = tmp_path / "m.sboost"
    run("run", rents, "--task", "regression", "-m", "single", "--learner", "hoeffding-tree-regressor",
        "--grace-period", 30, "--delta", 0.1, "--save", model)  # fmt: skip
    found = run("predict", model, rents, "--label", "rent", "--out", tmp_path / "out.csv")
    assert "mean absolute error" in found.output
    run(
        "explain",
        model,
        rents,
        "--label",
        "rent",
        "--limit",
        3,
        "--out",
        tmp_path / "why.csv",
        "--plot",
        tmp_path / "why.png",
    )
    rows = lines_of(tmp_path / "why.csv")
    assert list(rows[0]) == ["label", "base", "kind", "size", "age", "score"]
    for row in rows:
        parts = [float(row[name]) for name in ("base", "kind", "size", "age")]
        assert sum(parts) == pytest.approx(float(row["score"]))


def test_tune(run, rents, tmp_path):
    file = tmp_path / "t.json"
    result = run("tune", rents, "--task", "regression", "-m", "gradient-boosting", "-n", 1,
                 "--grid", "learning_rate=0.01,1", "--seeds", 1, "--budget", 2, "--out", tmp_path, "--json", file)  # fmt: skip
    assert "best: learning_rate=1 (absolute error" in result.stdout
    assert json.loads(file.read_text())["best"] == "learning_rate=1"
    assert "--task regression --model gradient-boosting -n 1 --param learning_rate=1" in result.stdout


def test_bad_targets_in_a_file(run, fails, tmp_path):
    path = tmp_path / "bad.csv"
    good = "\n".join(f"{i},{i * 0.5 + 1}" for i in range(40))

    def said(cell):
        path.write_text(f"a,y\n{good}\n3,{cell}\n")
        return fails("run", path, "--task", "regression", "-m", "single", "--label", "y")

    path.write_text(f"a,y\n{good}\n3,NA\n")
    assert (
        "1 row without a label left out"
        in run("run", path, "--task", "regression", "-m", "single", "--label", "y").stderr
    )
    assert "infin" in said("inf").lower()
    assert "seven" in said("seven")
    assert "1e+300" in said("1e300")
    assert "line 42" in said("1e300")
    assert "line 42" in said("inf")
    path.write_text("a,y\n" + "\n".join(f"{i},red" for i in range(30)) + "\n")
    assert "red" in fails("run", path, "--task", "regression", "-m", "single", "--label", "y")
