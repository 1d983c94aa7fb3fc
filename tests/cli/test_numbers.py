"""Regressors on the command line: run, save, learn, predict, intervals."""

import csv
import io

import numpy as np
import pytest

import streamboost


@pytest.fixture
def prices(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = 3 * X[:, 0] - X[:, 1] + 50 + rng.normal(size=400)
    path = tmp_path / "prices.csv"
    lines = [f"{a:.6f},{b:.6f},{target:.6f}" for (a, b), target in zip(X, y, strict=True)]
    path.write_text("size,age,price\n" + "\n".join(lines) + "\n")
    return path


def test_a_regressor_lives_on_the_command_line(run, prices, tmp_path):
    model = tmp_path / "m.sboost"
    run(
        "run", prices, "--task", "regression", "-m", "single-regressor", "--label", "price", "--coverages", "0.9",
        "--save", model,
    )  # fmt: skip
    found = run(
        "predict", model, prices, "--label", "price", "--interval", "0.9", "--out", tmp_path / "out.csv"
    )
    assert "mean absolute error" in found.output
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert list(rows[0]) == ["prediction", "low", "high"]
    run("learn", model, prices, "--label", "price", "--save", tmp_path / "more.sboost")
    assert streamboost.load(tmp_path / "more.sboost").n_learned_ == 800
    loaded = streamboost.load(model)
    assert loaded.n_learned_ == 400
    ends = np.array([[float(row["low"]), float(row["high"])] for row in rows])
    truth = np.loadtxt(prices, delimiter=",", skiprows=1)[:, 2]
    assert 0.8 < np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])) < 1
    assert all(float(row["low"]) < float(row["prediction"]) < float(row["high"]) for row in rows)


def test_what_does_not_fit_is_said(run, fails, prices, tmp_path):
    model = tmp_path / "m.sboost"
    run("run", prices, "--task", "regression", "-m", "single-regressor", "--label", "price", "--save", model)
    assert "keeps intervals of no coverage" in fails(
        "predict", model, prices, "--label", "price", "--interval", "0.9"
    )
    assert "is a regressor" in fails("predict", model, prices, "--label", "price", "--proba")


def test_a_season_is_scored_beside_and_the_model_is_told_of_late_targets(run, fails, tmp_path):
    told = run("run", "sensor", "--limit", 600, "--season", 24, "--delay", 5).output
    assert "seasonal-24" in told
    assert "as if they came" not in told
    assert "--season" in fails("run", "sea", "--limit", 100, "--season", 24)
    compared = run(
        "compare", "sensor", "--models", "streamboost", "-n", 2, "--limit", 300, "--season", 24,
        "--delay", 2, "--out", tmp_path / "out", "--jobs", 1,
    )  # fmt: skip
    assert "seasonal-24" in compared.output
    assert "--season" in fails("compare", "sea", "--limit", 100, "--season", 24)


def test_a_picture_of_the_run_shows_the_last_rows_with_their_intervals(run, prices, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("streamboost.evaluate.plot.write_figure", lambda path, figure: drawn.append(figure))
    for coverages in ([], ["--coverages", "0.5,0.9"]):
        run("run", prices, "--label", "price", *coverages, "--plot", tmp_path / "picture.png")
    assert [len(figure.axes[1].collections) for figure in drawn] == [0, 1]


def test_a_run_names_the_nearest_baseline_and_the_lags_that_would_help(run, prices, tmp_path):
    told = run("run", prices, "--task", "regression", "-m", "single-regressor").output
    assert "nearest baseline: always answering the mean of the targets, MAE" in told
    assert "% smaller" in told
    assert "lags may help" not in told
    path = tmp_path / "waves.csv"
    rng = np.random.default_rng(1)
    rows = [f"{a:.4f},{20 + 9 * np.sin(i / 9) + a:.4f}\n" for i, a in enumerate(rng.normal(size=1200))]
    path.write_text("a,load\n" + "".join(rows))
    told = run("run", path, "--task", "regression", "-m", "single-regressor")
    assert "nearest baseline: repeating the last target, MAE" in told.output
    assert "is no smaller" in told.output
    assert "lags may help (--lags 1)" in told.stderr


def test_explanations_of_a_saved_model_have_its_lags(run, prices, tmp_path):
    model = tmp_path / "m.sboost"
    run("run", prices, "--task", "regression", "--lags", "1,2", "-n", "3", "--save", model)
    run("explain", model, prices, "--label", "price", "--limit", 4, "--out", tmp_path / "why.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "why.csv").read_text())))
    columns = ["size", "age", "target[-1]", "target[-2]"]
    assert list(rows[0]) == ["label", "base", *columns, "score"]
    for row in rows:
        found = float(row["base"]) + sum(float(row[column]) for column in columns)
        assert found == pytest.approx(float(row["score"]))
    shown = run("explain", model, prices, "--label", "price", "--limit", 1).output
    assert "target[-1] = " in shown
