"""Regression metrics, regressors in the evaluation loop, the generators of targets, and the command line."""

import json
import math
from functools import partial

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.linear_model import SGDRegressor

from streamboost import (
    AdaptiveRandomForestRegressor,
    LinearRegression,
    OnlineBaggingClassifier,
    OnlineBaggingRegressor,
    SingleLearnerRegressor,
    StreamBoostRegressor,
    load,
)
from streamboost.baselines import MeanRegressor, NoChangeRegressor
from streamboost.evaluate import (
    REGRESSION_METRICS,
    Pinball,
    RegressionResult,
    RegressionRows,
    cross_validate,
    make_metric,
    prequential,
)
from streamboost.evaluate.regression_metrics import MAE
from streamboost.experiments import compare
from streamboost.streams import (
    DataError,
    DataWarning,
    FriedmanStream,
    HyperplaneDistanceStream,
    SensorStream,
    load_builtin,
    make_generator,
    open_stream,
)

RNG = np.random.default_rng(3)
TRUE = RNG.normal(size=500) * 3 + 2
PRED = TRUE + RNG.normal(size=500)
WEIGHT = RNG.random(500)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_metrics_are_those_of_scikit_learn(weight):
    expected = {
        "mae": sk.mean_absolute_error(TRUE, PRED, sample_weight=weight),
        "mse": sk.mean_squared_error(TRUE, PRED, sample_weight=weight),
        "rmse": math.sqrt(sk.mean_squared_error(TRUE, PRED, sample_weight=weight)),
        "r2": sk.r2_score(TRUE, PRED, sample_weight=weight),
        "mape": sk.mean_absolute_percentage_error(TRUE, PRED, sample_weight=weight),
        "pinball": sk.mean_pinball_loss(TRUE, PRED, sample_weight=weight, alpha=0.5),
    }
    later = None if weight is None else weight[1:]
    steps = sk.mean_absolute_error(TRUE[1:], TRUE[:-1], sample_weight=later)
    expected["mase"] = sk.mean_absolute_error(TRUE[1:], PRED[1:], sample_weight=later) / steps
    expected["skill"] = 1 - expected["mase"]
    assert expected.keys() == set(REGRESSION_METRICS)
    rows = RegressionRows(TRUE, PRED, weight)
    for name, value in expected.items():
        metric = make_metric(name)
        for a, b in ((0, 1), (1, 90), (90, 500)):
            metric.update(rows.part(a, b))
        assert metric.value() == pytest.approx(value), name
    skewed = Pinball(0.9)
    skewed.update(rows)
    assert skewed.value() == pytest.approx(sk.mean_pinball_loss(TRUE, PRED, sample_weight=weight, alpha=0.9))
    week = np.abs(TRUE[7:] - TRUE[:-7]) if weight is None else weight[7:] * np.abs(TRUE[7:] - TRUE[:-7])
    error = np.abs(TRUE - PRED)[7:] if weight is None else weight[7:] * np.abs(TRUE - PRED)[7:]
    assert make_metric("mase:season=7").of(rows) == pytest.approx(error.sum() / week.sum())


def test_rows_without_answers_and_small_targets_are_left_out():
    rows = RegressionRows(np.array([1.0, 2.0, 0.0]), np.array([np.nan, 3.0, 1.0]))
    assert MAE().of(rows) == 1.0
    assert make_metric("mape").of(rows) == 0.5
    assert math.isnan(MAE().of(rows.part(0, 1)))
    assert math.isnan(make_metric("r2").of(rows.part(1, 2)))


def test_the_loop_is_test_then_train():
    stream = FriedmanStream(n_rows=3000, seed=4)
    X, y = stream.arrays()
    answers = OnlineBaggingRegressor(n_estimators=5, random_state=1).test_then_train(X, y)
    for data in (stream, (X, y)):
        model = OnlineBaggingRegressor(n_estimators=5, random_state=1)
        result = prequential(
            model, data, metrics=["mape", "pinball:quantile=0.9"], chunk_size=700, fading=0.99
        )
        assert isinstance(result, RegressionResult)
        assert result.mae == pytest.approx(np.abs(answers - y)[1:].mean())
        assert result.rmse == pytest.approx(np.sqrt(((answers - y)[1:] ** 2).mean()))
        assert result.metrics["mae"]["window"].value == pytest.approx(np.abs(answers - y)[-1000:].mean())
        assert result.metrics["pinball:quantile=0.9"]["cumulative"].value > 0
        assert result.unanswered == 1
        assert result.model is model
        assert json.loads(json.dumps(result.to_dict()))["metrics"]["mae"]["cumulative"]["value"] == result.mae
    assert "mae" in repr(result)
    assert "mae" in result._repr_html_()
    assert len(result.to_frame()) == len(result.metric_positions)


def test_late_targets_orders_dicts_and_models_of_others(tmp_path):
    X, y = FriedmanStream(n_rows=600, seed=4).arrays()
    model = SingleLearnerRegressor(LinearRegression())
    late = prequential(model, (X, y), delay=50)
    assert late.left_out == 51
    assert late.n_rows == 549
    assert model.n_learned_ == 600
    many = prequential(SingleLearnerRegressor(), (X, y), orders=3)
    assert many.n_orders == 3
    assert many.standard_error > 0
    rows = [(dict(enumerate(x)), target) for x, target in zip(X.tolist(), y.tolist(), strict=True)]
    # Before the first target a dict is answered with 0.0, a row of an array with NaN, which is not counted.
    by_rows, by_array = (
        prequential(SingleLearnerRegressor(), rows),
        prequential(SingleLearnerRegressor(), (X, y)),
    )
    assert 600 * by_rows.mae == pytest.approx(599 * by_array.mae + abs(y[0]))
    assert prequential(SGDRegressor(), (X, y)).mae > 0
    river = pytest.importorskip("river")
    from river import linear_model

    assert prequential(linear_model.LinearRegression(), (X, y)).mae > 0
    assert river
    late.plot(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_rows_without_a_target_are_left_out():
    X, y = FriedmanStream(n_rows=50).arrays()
    wanting = y.copy()
    wanting[30] = np.nan
    with pytest.warns(DataWarning, match="1 rows without a label are left out"):
        result = prequential(SingleLearnerRegressor(), (X, wanting), chunk_size=20)
    assert result.n_rows == 49


def test_what_makes_no_sense_is_refused():
    X, y = FriedmanStream(n_rows=50).arrays()
    for bad, words in ((1e300, r"1e\+300 \(line 31\)"), (np.inf, "infinity")):
        wrong = y.copy()
        wrong[30] = bad
        with pytest.raises(ValueError, match=words):
            prequential(SingleLearnerRegressor(), (X, wrong), chunk_size=20)
    with pytest.raises(ValueError, match="are for classification"):
        prequential(SingleLearnerRegressor(), (X, y), classes=[0, 1])
    with pytest.raises(ValueError, match="There is no metric 'auc' for regression"):
        prequential(SingleLearnerRegressor(), (X, y), metrics=["auc"])
    with pytest.raises(ValueError, match="must hold numbers"):
        prequential(SingleLearnerRegressor(), (X, np.full(50, "a")))


@pytest.mark.parametrize(
    "stream",
    [
        FriedmanStream(seed=3, turn_every=70),
        HyperplaneDistanceStream(seed=3, noise=0.1),
        SensorStream(seed=3, change_every=70),
    ],
    ids=repr,
)
def test_generated_rows_do_not_depend_on_chunks(stream):
    X, y = stream.rows(0, 500)
    for first, n in ((0, 1), (33, 200), (69, 2), (499, 1)):
        a, b = stream.rows(first, n)
        assert a.tobytes() == X[first : first + n].tobytes()
        assert b.tobytes() == y[first : first + n].tobytes()
    again = make_generator(stream.name, seed=3)
    assert again.rows(0, 500)[1].tobytes() == y.tobytes()
    assert stream.classes is None


def test_friedman_is_its_formula():
    X, y = FriedmanStream(noise=0.0).rows(0, 100)
    expected = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    assert np.allclose(y, expected)
    _, noisy = FriedmanStream(noise=2.0).rows(0, 20_000)
    _, quiet = FriedmanStream(noise=0.0).rows(0, 20_000)
    assert (noisy - quiet).std() == pytest.approx(2.0, rel=0.03)
    turned = FriedmanStream(noise=0.0, turn_every=100)
    assert turned.rows(0, 100)[1].tobytes() == y.tobytes()
    assert not np.allclose(turned.rows(100, 100)[1], FriedmanStream(noise=0.0).rows(100, 100)[1])


def test_distance_is_its_formula():
    stream = HyperplaneDistanceStream(noise=0.0, n_drifting=0)
    X, y = stream.rows(0, 50)
    a = stream._start
    assert np.allclose(y, np.abs((X - 0.5) @ a) / np.linalg.norm(a))


def test_a_sensor_is_what_it_says():
    stream = SensorStream(seed=1, noise=0.0, wander=0.0)
    X, y = stream.arrays(2000)
    assert stream.feature_names == ("hour", "weekday", "temperature", "an_hour_ago", "a_day_ago")
    assert X[1:, 3].tobytes() == y[:-1].tobytes()
    assert X[24:, 4].tobytes() == y[:-24].tobytes()
    assert set(X[:, 0]) == set(range(24))
    rest = y - 0.4 * np.abs(X[:, 2] - 15)  # what hour and weekday decide
    for place in range(0, 168, 13):
        assert np.ptp(rest[place::168]) < 1e-9
    _, loud = SensorStream(seed=1, wander=0.0).arrays(20_000)
    _, still = SensorStream(seed=1, noise=0.0, wander=0.0).arrays(20_000)
    noise = loud - still
    assert np.corrcoef(noise[1:], noise[:-1])[0, 1] == pytest.approx(0.8, abs=0.03)
    changed = SensorStream(seed=1, noise=0.0, wander=0.0, change_every=1000).arrays(2000)[1]
    assert changed[:1000].tobytes() == y[:1000].tobytes()
    assert np.abs(changed[1000:] - y[1000:]).mean() > 1
    with pytest.raises(DataError, match="numbers to predict, not classes"):
        stream.find_classes()


def test_baselines():
    y = np.array([2.0, 4.0, 9.0, 1.0])
    X, w = np.zeros((4, 1)), np.array([1.0, 0.0, 2.0, 1.0])
    assert MeanRegressor().test_then_train(X, y).tolist()[1:] == [2, 3, 5]
    assert NoChangeRegressor().test_then_train(X, y).tolist()[1:] == [2, 4, 9]
    assert NoChangeRegressor().test_then_train(X, y, w).tolist()[1:] == [2, 2, 9]
    assert MeanRegressor().test_then_train(X, y, w).tolist()[3] == pytest.approx(20 / 3)
    assert MeanRegressor().fit(X, y).predict(X[:2]).tolist() == [4, 4]
    assert np.isnan(NoChangeRegressor().test_then_train(X, y)[0])


def test_what_happened_on_the_way():
    stream = FriedmanStream(n_rows=3000, turn_every=1500)
    model = AdaptiveRandomForestRegressor(n_estimators=3, random_state=1)
    result = prequential(model, stream, chunk_size=100, keep_errors=True)
    assert len(result.drifts) > 0
    assert (np.abs(result.drifts[:, 0] - 1500) < 600).any()
    assert result.drifts.shape[1] == 2
    assert result.to_dict()["drifts"] == result.drifts.tolist()
    rows, seconds, size = result.resources[-1]
    assert (rows, size) == (3000, model.memory_bytes())
    assert seconds > 0
    (errors,) = result.absolute_errors
    assert np.isnan(errors[0])
    assert np.nanmean(errors.astype(float)) == pytest.approx(result.mae, rel=1e-5)
    assert not len(prequential(SingleLearnerRegressor(), (np.zeros((9, 1)), np.arange(9.0))).drifts)


def test_held_out_rows_and_comparisons():
    X, y = FriedmanStream(n_rows=300).arrays()
    found = cross_validate(SingleLearnerRegressor(), (X, y), folds=3, repeats=1, orders=1)
    assert 1 < found.error < 5
    models = {"linear": SingleLearnerRegressor(), "sgd": SGDRegressor(random_state=0)}
    table = compare(models, {"f": (X, y)}, metrics=["mape"], orders=2)
    frame = table.to_frame()
    assert frame["model"].tolist() == ["linear", "sgd", "mean", "last-value"]
    assert frame["mae"][0] == pytest.approx(table.results["f", "linear", 0].mae, rel=0.2)
    assert table.best == {"f": "linear"}
    assert "MAE" in repr(table)
    with pytest.raises(ValueError, match=r"cannot be compared: classification \(nb\), regression \(linear\)"):
        compare({"linear": SingleLearnerRegressor(), "nb": OnlineBaggingClassifier()}, (X, y))


def test_sets_by_name():
    assert load_builtin("diabetes-progression").y.dtype == np.float64
    assert open_stream("friedman:noise=0").name == "friedman:noise=0"


def test_the_command_line(tmp_path):
    from typer.testing import CliRunner

    from streamboost.cli import app

    file = tmp_path / "figures.json"
    saved = tmp_path / "m.sboost"
    arguments = [
        "run",
        "friedman",
        "--task",
        "regression",
        "--limit",
        "600",
        "-n",
        "3",
        "--json",
        str(file),
        "--save",
        str(saved),
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(file.read_text())["metrics"]["mae"]["cumulative"]["value"] < 4
    assert load(saved).n_learned_ == 600
    table = tmp_path / "rows.csv"
    X, y = FriedmanStream(n_rows=200, n_features=5).arrays()
    kinds = np.where(X[:, 0] > 0.5, "high", "low")
    lines = ["kind,b,price", *(f"{k},{b:.3f},{t:.4f}" for k, b, t in zip(kinds, X[:, 1], y, strict=True))]
    table.write_text("\n".join(lines) + "\n")
    arguments = [
        "run",
        str(table),
        "--label",
        "price",
        "-m",
        "gradient-boosting",
        "-l",
        "hoeffding-tree-regressor",
        "-n",
        "3",
    ]
    result = CliRunner().invoke(app, [*arguments, "--grace-period", "20", "--metrics", "pinball"])
    assert result.exit_code == 0, result.output
    assert "MAE" in result.output
    for wrong, words in (
        (["run", "friedman", "--task", "regression", "-m", "osboost"], "no regressor 'osboost'"),
        (["run", "friedman", "--task", "numbers"], "expected classification or regression"),
        (
            ["run", "friedman", "-m", "single-regressor", "--classes", "1,2"],
            "for a single label, and this is regression",
        ),
    ):
        result = CliRunner().invoke(app, wrong)
        assert result.exit_code != 0
        assert words in " ".join((result.output + str(result.exception)).split())


@pytest.mark.parametrize("delay", [0, 3])
def test_the_picture_shows_targets_answers_and_intervals_of_the_last_rows(delay, tmp_path):
    X, y = SensorStream(seed=1).arrays(700)
    make = partial(StreamBoostRegressor, coverages=(0.8,), delay=delay, lags=2, random_state=1)
    plain = prequential(make(), (X, y), delay=delay, chunk_size=90)
    kept = prequential(make(), (X, y), delay=delay, chunk_size=90, keep_intervals=0.8)
    np.testing.assert_array_equal(kept.last_rows, plain.last_rows)
    np.testing.assert_array_equal(kept.last_rows[:, 0], y[-300:])
    np.testing.assert_allclose(kept.last_intervals.mean(axis=1), kept.last_rows[:, 1])
    low, high = kept.last_intervals.T
    assert 0.7 < np.mean((low <= y[-300:]) & (y[-300:] <= high)) < 0.9
    assert plain.last_intervals is None
    for result, shown in ((plain, ["target", "answer"]), (kept, ["interval", "target", "answer"])):
        _, below = result.plot(tmp_path / "picture.png").axes
        assert [text.get_text() for text in below.get_legend().get_texts()] == shown
        assert below.lines[1].get_xdata()[-1] == 700
    assert len(prequential(make(), (X, y), orders=2, delay=delay).plot().axes) == 1


def test_intervals_that_cannot_be_kept_are_refused():
    rows = np.zeros((3, 1)), np.arange(3.0)
    with pytest.raises(ValueError, match="no intervals"):
        prequential(NoChangeRegressor(), rows, keep_intervals=0.9)
    with pytest.raises(ValueError, match="random_state"):
        prequential(StreamBoostRegressor(coverages=0.9), rows, keep_intervals=0.9)
    with pytest.raises(ValueError, match=r"coverage=0\.9 is not kept"):
        prequential(StreamBoostRegressor(random_state=1), rows, keep_intervals=0.9)
