"""Calibrated probabilities: against the oracle, against the best scaling in hindsight, and what users see of it."""

import numpy as np
import pytest
from oracle.calibration import Calibration, TemperatureCalibration, follow, sigmoid
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin

import streamboost as sb
from streamboost.catalogue import MODELS as MODELS_OF_ALL
from streamboost.evaluate import Rows, make_metric, reliability
from streamboost.evaluate.count_metrics import Brier
from streamboost.evaluate.score_metrics import CalibrationError
from tests.inside.handles import state_of


def noisy(n, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.digitize(X[:, 0] + 0.8 * rng.normal(size=n), np.linspace(-0.6, 0.9, classes - 1))
    weight = np.where(rng.random(n) < 0.1, 0.0, rng.choice([0.5, 1.0, 3.0], n))
    return X, y, weight


MODELS = [
    lambda **o: sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=5, random_state=3, **o),
    lambda **o: sb.StreamBoostClassifier(
        n_estimators=4, companions=("linear", "naive-bayes"), random_state=3, **o
    ),
    lambda **o: sb.OnlineBoostingClassifier(sb.LogisticRegression(), n_estimators=5, random_state=3, **o),
]


@pytest.mark.parametrize("method", ["temperature", "platt", "beta", "platt+bins"])
@pytest.mark.parametrize("half_life", [None, 150])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("make", MODELS)
def test_the_answers_are_the_oracle_s(make, declared, classes, half_life, method):
    X, y, weight = noisy(700, classes)
    y[:20] = np.arange(20) % 2  # two classes are known for a while before a third one comes
    named = np.arange(classes) if declared else None
    if not declared:
        y[:2], weight[:2] = (0, 1), 1.0  # found in the order of their names, so that codes are labels
    raw = make(calibration=None).test_then_train(X, y, classes=named, sample_weight=weight, output="proba")
    model = make(calibration=method, calibration_half_life=half_life)
    got, labels = (
        model.test_then_train(X, y, classes=named, sample_weight=weight, output="proba"),
        make(calibration=method, calibration_half_life=half_life).test_then_train(
            X, y, classes=named, sample_weight=weight
        ),
    )
    slow = TemperatureCalibration(half_life) if method == "temperature" else Calibration(method, half_life)
    wanted = follow(raw, y, weight, slow, classes if declared else None)
    start = 0 if declared else 2
    np.testing.assert_allclose(got[start:], wanted[start:], rtol=1e-8, atol=1e-10)
    clear = np.sort(wanted[start:], axis=1)[:, -1] - np.sort(wanted[start:], axis=1)[:, -2] > 1e-9
    assert (labels[start:][clear] == wanted[start:].argmax(axis=1)[clear]).all()
    assert np.array_equal(
        model.decision_function(X), make().partial_fit(X, y, named, weight).decision_function(X)
    )


class Overconfident(ClassifierMixin, BaseEstimator):
    """Says sigmoid(3 logit q) where q is the truth."""

    classes_ = np.array([0, 1])

    def partial_fit(self, X, y, classes=None):
        return self

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0).astype(int)

    def predict_proba(self, X):
        p = sigmoid(3 * np.asarray(X)[:, 0])
        return np.column_stack((1 - p, p))


def overconfident(n, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.normal(scale=1.5, size=n)
    return z[:, None], (rng.random(n) < sigmoid(z)).astype(int)


def loss(theta, x, y):
    z = x @ theta
    return float(np.logaddexp(0, -np.where(y == 1, z, -z)).sum())


@pytest.mark.parametrize("method", ["platt", "beta"])
def test_it_finds_the_scaling_and_regrets_little(method):
    n = 20_000
    X, y = overconfident(n)
    model = sb.SingleLearnerClassifier(Overconfident(), calibration=method, random_state=1)
    proba = model.test_then_train(X, y, classes=[0, 1], output="proba")
    totals = model.report().totals
    if method == "platt":
        assert abs(totals["calibration_slope"] - 1 / 3) <= 0.03
        assert abs(totals["calibration_intercept"]) <= 0.06
    q = np.clip(sigmoid(3 * X[1:, 0]), 1e-6, 1 - 1e-6)
    columns = [np.log(q / (1 - q))] if method == "platt" else [np.log(q), -np.log(1 - q)]
    x = np.column_stack((*columns, np.ones(n - 1)))
    best = minimize(lambda theta: loss(theta, x, y[1:]), np.r_[np.ones(x.shape[1] - 1), 0.0], tol=1e-9).fun
    paid = -np.log(proba[np.arange(1, n), y[1:]]).sum()
    assert paid - best <= 10 * np.log(n)
    assert totals["log_loss"] == pytest.approx(-np.log(proba[np.arange(n), y]).mean(), rel=1e-3)
    assert totals["raw_log_loss"] > totals["log_loss"] + 0.1
    assert totals["calibration_error"] < 0.02 < 0.1 < totals["raw_calibration_error"]


def test_forgetting_follows_a_change():
    """First too sure, then too unsure: what remembers everything ends between the two."""
    X, y = overconfident(8000)
    later = np.random.default_rng(1).random(8000) < sigmoid(9 * X[:, 0])
    y[4000:] = later[4000:]
    slopes = {}
    for half_life in (None, 300):
        model = sb.SingleLearnerClassifier(
            Overconfident(), calibration="platt", calibration_half_life=half_life
        )
        model.partial_fit(X, y, classes=[0, 1])
        slopes[half_life] = model.report().totals["calibration_slope"]
    assert slopes[300] > 1.8 > slopes[None] > 0.3


@pytest.mark.parametrize("method", ["beta", "temperature"])
def test_the_order_of_the_rows_stays_with_two_classes(method):
    """Also where many labels are likelier wrong than right, whose chances a temperature raises."""
    X, y, _ = noisy(1500)
    y = ((y == 1) & (np.random.default_rng(1).random(1500) < 0.2)).astype(int)
    options = {"class_weight": "balanced"}
    raw = MODELS[0](calibration=None, **options).partial_fit(X, y).predict_proba(X)[:, 1]
    ours = MODELS[0](calibration=method, **options).partial_fit(X, y).predict_proba(X)[:, 1]
    assert (np.diff(ours[np.argsort(raw, kind="stable")]) >= -1e-12).all()
    inside = (raw > 0.01) & (raw < 0.99)
    assert len(np.unique(ours[inside])) > 0.9 * len(np.unique(raw[inside]))


def test_before_it_has_learned_it_changes_nothing():
    X, y, _ = noisy(30)
    for method in ("platt", "beta", "platt+bins"):
        raw = MODELS[0](calibration=None).test_then_train(X[:2], y[:2], classes=[0, 1], output="proba")
        ours = MODELS[0](calibration=method).test_then_train(X[:2], y[:2], classes=[0, 1], output="proba")
        np.testing.assert_allclose(ours[0], np.clip(raw[0], 1e-6, 1 - 1e-6), rtol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("half_life", [1000, 50])
def test_a_temperature_is_the_same_however_rows_come(classes, half_life, tmp_path):
    """Most rows are neither answered nor learned from by it after the first 512: who asks must make no difference."""
    X, y, weight = noisy(1500, classes, seed=6)

    def make(**options):
        return sb.OnlineBaggingClassifier(
            sb.NaiveBayes(), n_estimators=3, random_state=3, calibration_half_life=half_life, **options
        )

    def learned(model, cuts):
        for a, b in zip([0, *cuts], [*cuts, len(y)], strict=True):
            model.partial_fit(X[a:b], y[a:b], classes=range(classes), sample_weight=weight[a:b])
        return model

    asked = make()
    asked.test_then_train(X, y, classes=range(classes), sample_weight=weight, output="proba")
    named = make()
    named.test_then_train(X, y, classes=range(classes), sample_weight=weight)
    resumed = learned(make(), [400, 575])
    resumed.save(tmp_path / "model.sboost")
    others = [
        named,
        learned(make(), []),
        learned(make(), list(range(7, 1500, 7))),
        learned(make(), list(range(1, 1500))),
        learned(make(n_jobs=2), [700]),
        sb.load(tmp_path / "model.sboost"),
    ]
    whole = state_of(asked)
    for model in others:
        found = state_of(model)
        assert found.keys() == whole.keys()
        for name, value in whole.items():
            assert np.asarray(value).tobytes() == np.asarray(found[name]).tobytes(), name


@pytest.mark.parametrize(
    "entry", [e for e in MODELS_OF_ALL if e.streams and not e.experts], ids=lambda e: e.name
)
def test_it_is_the_default_and_no_label_changes(entry):
    kind = getattr(sb, entry.class_name)
    if entry.name == "streamboost":
        # Pools that learn on the logarithmic loss, and a temperature inside.
        assert kind().calibration is None
        return
    assert kind().calibration == "temperature"
    X, y, _ = noisy(900, seed=2)
    size = {"n_estimators": 4} if entry.sized else {}
    labels = [
        kind(random_state=1, **size, **given).test_then_train(X, y, classes=[0, 1])
        for given in ({}, {"calibration": None})
    ]
    assert np.array_equal(*labels)


def test_the_vote_speaks_while_it_loses_less():
    """Probabilities that are right as they are stay as they are."""

    class Right(Overconfident):
        def predict_proba(self, X):
            p = sigmoid(np.asarray(X)[:, 0])
            return np.column_stack((1 - p, p))

    X, y = overconfident(4000)
    raw, tempered = (
        sb.SingleLearnerClassifier(Right(), calibration=method, random_state=1).test_then_train(
            X, y, classes=[0, 1], output="proba"
        )
        for method in (None, "temperature")
    )
    assert (raw[600:] == tempered[600:]).all(axis=1).mean() > 0.3
    lost = [-np.log(p[np.arange(4000), y]).mean() for p in (raw, tempered)]
    assert lost[1] <= lost[0] + 0.002


def test_drift_makes_it_forget():
    auto = sb.OnlineBaggingClassifier(calibration="platt")
    assert auto._stages()["calibration_half_life"] is None
    assert auto.set_params(drift="adwin")._stages()["calibration_half_life"] == 10_000
    assert auto.set_params(calibration_half_life=None)._stages()["calibration_half_life"] is None
    assert sb.StreamBoostClassifier(calibration="platt")._stages()["calibration_half_life"] == 10_000


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"calibration": "isotonic"}, "The 'calibration' parameter of OSBoostClassifier must be"),
        ({"calibration_half_life": 0}, "The 'calibration_half_life' parameter of OSBoostClassifier must be"),
    ],
)
def test_bad_parameters_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        sb.OSBoostClassifier(**wrong).partial_fit([[0.0], [1.0]], [0, 1])


def test_unknown_parameters_are_refused_by_name():
    with pytest.raises(TypeError, match="unexpected keyword argument 'calibrate'"):
        sb.OSBoostClassifier(calibrate="platt")


# ---- curves and the parts of the Brier score


def test_the_curve_of_a_known_case():
    y = [0, 1, 0, 0, 1, 1, 0, 1]
    p = [0.25] * 4 + [0.75] * 4
    curve = reliability(y, p, bins=2)
    assert curve.probability.tolist() == [0.25, 0.75]
    assert curve.frequency.tolist() == [0.25, 0.75]
    assert curve.error == curve.reliability == 0
    assert curve.uncertainty == 0.25
    assert curve.resolution == 0.0625
    assert curve.brier == pytest.approx(0.1875)


def test_the_parts_of_brier_add_up_where_probabilities_are_few():
    rng = np.random.default_rng(5)
    p = rng.choice([0.1, 0.3, 0.55, 0.8], 4000)
    y = (rng.random(4000) < p**1.5).astype(int)
    weight = rng.choice([0.5, 2.0], 4000)
    curve = reliability(np.where(y, "yes", "no"), p, positive="yes", sample_weight=weight, bins=4000)
    assert curve.brier == pytest.approx(curve.reliability - curve.resolution + curve.uncertainty, rel=1e-12)
    rows = Rows(y, y, (0, 1), proba=np.column_stack((1 - p, p)), weight=weight, positive=1)
    parts = [make_metric(f"brier_{name}") for name in ("reliability", "resolution", "uncertainty")]
    found = [part.of(rows) for part in parts]
    assert found == pytest.approx([curve.reliability, curve.resolution, curve.uncertainty])
    assert Brier().of(rows) == pytest.approx(curve.brier)
    assert CalibrationError().of(rows) == pytest.approx(reliability(y, p, sample_weight=weight).error)
    for part in parts:
        part.update(rows)
    assert [part.value() for part in parts] == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [[0.1, 0.9], [0.5, 0.5]]), "must have one number per row"),
        (([0, 2], [0.1, 0.9]), "name the label with positive="),
        (([0, 1], [0.1, 1.9]), "must lie between 0 and 1"),
        (([0, 1], [np.nan, np.nan]), "no row with an answer"),
    ],
)
def test_what_is_no_curve_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        reliability(*arguments)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_temperature_leaves_the_labels_and_makes_votes_usable(classes):
    X, y, _ = noisy(2500, classes, seed=4)
    kind = sb.AdaBoostOLClassifier if classes == 2 else sb.AdaBoostOLMClassifier
    raw, warm = (kind(n_estimators=10, random_state=1, calibration=c) for c in (None, "temperature"))
    labels, q = raw.test_then_train(X, y, classes=range(classes), output="both")
    same, p = warm.test_then_train(X, y, classes=range(classes), output="both")
    assert same.tolist() == labels.tolist()
    lost = [-np.log(np.clip(a[np.arange(100, 2500), y[100:]], 1e-15, 1)).mean() for a in (q, p)]
    shares = np.bincount(y) / len(y)
    assert lost[1] < -(shares @ np.log(shares)) < lost[0]
    assert warm.report().totals["temperature"] < 1
