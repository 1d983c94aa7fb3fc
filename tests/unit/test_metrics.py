"""Metrics as objects, over all rows, windows and fading rows, against the oracle and against scikit-learn's batch values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.metrics import metric as oracle
from sklearn import metrics as sk

from streamboost.evaluate import (
    CLASSIFICATION_METRICS,
    ExpectedCost,
    Faded,
    FBeta,
    Metric,
    RecallAtFPR,
    Rows,
    Windowed,
    make_metric,
)
from streamboost.evaluate.classification import ClassificationPanel as Panel
from streamboost.evaluate.count_metrics import ErrorRate, Precision
from streamboost.evaluate.rows import Judge
from streamboost.evaluate.score_metrics import AUC, CalibrationError, ScoreBins

WINDOW, FADING = 17, 0.93
NAMES = [*CLASSIFICATION_METRICS, "f_beta:beta=0.5"]


def stream(seed, n, k, answers_missing=0):
    """Labels with inertia, probabilities with ties and zeros; the answer need not be the most probable label."""
    rng = np.random.default_rng(seed)
    labels = np.array(["c", "a", "d", "b", "e"])[:k]
    true = np.empty(n, dtype=np.int64)
    for t in range(n):
        true[t] = true[t - 1] if t and rng.random() < 0.5 else rng.integers(k)
    proba = rng.integers(0, 4, (n, k)) + 0.01
    proba[np.arange(n), true] += rng.integers(0, 3, n)
    # Multiples of 1/64 that add up to 1: ties are true ties, and no two others share a bin.
    proba = np.floor(64 * proba / proba.sum(axis=1, keepdims=True)) / 64
    proba[:, 0] += 1 - proba.sum(axis=1)
    pred = np.where(rng.random(n) < 0.8, proba.argmax(axis=1), rng.integers(0, k, n))
    answers = labels[pred].astype(object)
    answers[:answers_missing] = None
    proba[:answers_missing] = np.nan
    # The columns come in an order of their own, as those of a model do.
    order = np.argsort(labels)
    return labels[true], answers, proba[:, order], labels[order]


def weigh(span, n):
    """Weights of n rows, oldest first, as the definition has them."""
    age = np.arange(n)[::-1]
    return {
        "cumulative": np.ones(n),
        "window": (age < WINDOW).astype(float),
        "fading": FADING**age,
    }[span]


def feed(panel, rows, cuts, delay=0, classes=None):
    y, answers, proba, columns = rows
    judge = Judge(delay=delay, classes=classes)
    for a, b in zip([0, *cuts], [*cuts, len(y)], strict=True):
        panel.update(judge.rows(y[a:b], answers[a:b], proba[a:b], columns))
    return panel


def rarer(y, columns):
    """The positive one of two labels that are texts; None for more."""
    if len(columns) != 2:
        return None
    return min(columns, key=lambda label: (np.sum(y == label), -ord(label)))


@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 5), st.integers(0, 2), st.data())
def test_every_metric_over_every_span_is_what_its_definition_says(seed, n, k, delay, data):
    rows = stream(seed, n, k, answers_missing=min(n, data.draw(st.integers(0, 3))))
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=5)))
    panel = Panel(NAMES, window=WINDOW, fading=FADING, points=8, declared=k)
    feed(panel, rows, cuts, delay, classes=rows[3])
    positions, values = panel.series()
    assert positions[-1] == n
    assert positions.size <= 16
    for at in {0, positions.size // 2, positions.size - 1}:
        m = int(positions[at])
        y, answers, proba, known = (*(part[:m] for part in rows[:3]), rows[3])
        for (span, name), value in zip(panel.columns, values[at], strict=True):
            weight = weigh(span, m)
            positive = rarer(y, known)
            word, _, half = name.partition(":")
            options = {"delay": delay, "positive": positive, "beta": 0.5 if half else 2.0}
            expected = oracle(word, y, answers, proba, known, weight, **options)
            assert value == pytest.approx(expected, abs=1e-9, nan_ok=True), (span, name, m)


@given(st.integers(0, 10**6), st.integers(1, 120), st.booleans(), st.data())
def test_cutting_the_chunks_otherwise_changes_no_bit(seed, n, declared, data):
    k = data.draw(st.integers(2, 3))
    y, answers, proba, columns = stream(seed, n, k)
    if not declared:  # a model that finds its labels answers none that it has not seen
        seen = np.array([t > 0 and answers[t] in y[:t] for t in range(n)])
        answers, proba = np.where(seen, answers, None), np.where(seen[:, None], proba, np.nan)
    options = {"window": WINDOW, "fading": 0.5, "points": 8, "declared": k if declared else 0}
    classes = columns if declared else None
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=8)))
    whole = feed(Panel("all", **options), (y, answers, proba, columns), [], classes=classes)
    parts = feed(Panel("all", **options), (y, answers, proba, columns), cuts, classes=classes)
    for a, b in zip(whole.series(), parts.series(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("k", [2, 4])
def test_the_values_are_those_of_scikit_learn(k):
    y, answers, proba, columns = stream(3, 400, k)
    panel = Panel([*NAMES, "recall_at_fpr:fpr=0.2"], window=100, positive="a" if k == 2 else None)
    feed(panel, (y, answers, proba, columns), [7, 150])
    many = {"average": "macro"} if k > 2 else {"pos_label": "a"}
    for span, first in (("cumulative", 0), ("window", 300)):
        t, a, p = y[first:], answers[first:].astype(str), proba[first:]
        one_hot = np.stack([t == c for c in columns], axis=1)
        wanted = range(k) if k > 2 else [list(columns).index("a")]
        value = {name: panel.value(span, name) for name in panel.names}
        assert value["error"] == pytest.approx(1 - sk.accuracy_score(t, a))
        assert value["kappa"] == pytest.approx(sk.cohen_kappa_score(t, a))
        assert value["balanced_accuracy"] == pytest.approx(sk.balanced_accuracy_score(t, a))
        assert value["mcc"] == pytest.approx(sk.matthews_corrcoef(t, a))
        assert value["precision"] == pytest.approx(sk.precision_score(t, a, **many))
        assert value["recall"] == pytest.approx(sk.recall_score(t, a, **many))
        assert value["f1"] == pytest.approx(sk.f1_score(t, a, **many))
        assert value["f_beta"] == pytest.approx(sk.fbeta_score(t, a, beta=2, **many))
        assert value["log_loss"] == pytest.approx(sk.log_loss(t, p, labels=columns))
        brier = np.mean(((p - one_hot) ** 2).sum(axis=1)) / (2 if k == 2 else 1)
        assert value["brier"] == pytest.approx(brier)
        if k == 2:
            assert value["brier"] == pytest.approx(sk.brier_score_loss(one_hot[:, 0], p[:, 0]))
        assert value["auc"] == pytest.approx(
            np.mean([sk.roc_auc_score(one_hot[:, c], p[:, c]) for c in range(k)])
        )
        precisions = [sk.average_precision_score(one_hot[:, c], p[:, c]) for c in wanted]
        assert value["average_precision"] == pytest.approx(np.mean(precisions))
        recalls = []
        for c in wanted:
            fpr, tpr, _ = sk.roc_curve(one_hot[:, c], p[:, c], drop_intermediate=False)
            recalls.append(tpr[fpr <= 0.2].max())
        assert value["recall_at_fpr:fpr=0.2"] == pytest.approx(np.mean(recalls))


def test_calibration_error_of_true_probabilities_is_small_and_of_extreme_ones_is_not():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=20_000)
    rows = judged(rng.uniform(size=p.size) < p, p)
    extreme = judged(rows.true, p**3 / (p**3 + (1 - p) ** 3))
    assert CalibrationError().of(rows) < 0.02
    assert CalibrationError().of(extreme) > 0.1
    # With as many parts as rows nothing is averaged away.
    few = judged([0, 1, 1], [0.2, 0.7, 0.4])
    assert CalibrationError(bins=3).of(few) == pytest.approx((0.2 + 0.3 + 0.6) / 3)
    assert CalibrationError(bins=1).of(few) == pytest.approx((2 - 1.3) / 3)


def judged(true, p):
    true = np.asarray(true).astype(np.int64)
    proba = np.stack((1 - np.asarray(p), p), axis=1)
    return Rows(true, true, (0, 1), true == true, proba, positive=1)


def test_the_binned_area_is_within_its_slack_and_close():
    rng = np.random.default_rng(5)
    true = rng.integers(0, 2, 20_000)
    for noise in (0.5, 3.0, 12.0):
        p = 1 / (1 + np.exp(-(true * 2 - 1 + noise * rng.normal(size=true.size))))
        rows = judged(true, p)
        area = AUC()
        area.update(rows)
        exact = (sk.roc_auc_score(true, p) + sk.roc_auc_score(1 - true, 1 - p)) / 2
        assert area.of(rows) == pytest.approx(exact, abs=1e-12)
        assert abs(area.value() - exact) <= area.slack
        assert area.slack < 0.005
        assert area.value() == pytest.approx(exact, abs=1e-4)
        precision = make_metric("average_precision")
        precision.update(rows)
        assert precision.value() == pytest.approx(sk.average_precision_score(true, p), abs=1e-3)


def test_a_label_that_comes_late_was_improbable_before():
    two = Rows(np.array([0, 1, 0]), np.zeros(3, int), (0, 1), np.zeros(3, bool), np.array([[0.9, 0.1]] * 3))
    late = np.array([[0.2, 0.2, 0.6], [0.8, 0.2, 0]])
    three = Rows(np.array([2, 0]), np.zeros(2, int), (0, 1, 2), np.zeros(2, bool), late)
    proba = np.array([[0.9, 0.1, 0], [0.9, 0.1, 0], [0.9, 0.1, 0], [0.2, 0.2, 0.6], [0.8, 0.2, 0]])
    y = np.array([0, 1, 0, 2, 0])
    for name in ("auc", "average_precision", "calibration_error"):
        expected = oracle(name, y, y, proba, [0, 1, 2], np.ones(5))
        for metric in (make_metric(name), Windowed(make_metric(name), 100)):
            metric.update(two)
            metric.update(three)
            assert metric.value() == pytest.approx(expected), metric.name


def test_probabilities_next_to_0_and_1_stay_apart():
    area = AUC()
    area.update(judged([0, 1, 0, 1], np.array([1e-14, 1e-9, 1 - 1e-9, 1 - 1e-14])))
    assert area.slack == 0
    assert area.value() == pytest.approx(0.75)
    assert ScoreBins().bins(np.array([0.0, 1.0])).tolist() == [0, ScoreBins.N_BINS - 1]


def test_before_the_first_row_nothing_is_known():
    panel = Panel("all", fading=0.5)
    assert all(math.isnan(value) for value in panel.values())
    assert panel.series()[0].size == 0
    assert all(math.isnan(make_metric(name).value()) for name in CLASSIFICATION_METRICS)
    assert math.isnan(Windowed(ErrorRate(), 3).value())


def test_extreme_fading_forgets_all_but_the_last_row():
    faded = Faded(ErrorRate(), 1e-30)
    codes = np.array([0, 1, 0, 1])
    faded.update(Rows(codes, np.zeros(4, int)))
    assert faded.value() == 1.0


@pytest.mark.parametrize(
    ("labels", "counts", "expected"),
    [
        ((1, 0), [9, 1], 0),  # the greater of two numbers, however many
        ((False, True), [1, 9], 1),
        (("fraud", "fine"), [1, 9], 0),  # the rarer of two texts
        (("fraud", "fine"), [9, 1], 1),
        (("fraud", "fine"), [5, 5], 0),  # a tie: the later one in the alphabet
        (("a",), [3], None),
        (("a", "b", "c"), [3, 2, 1], None),
    ],
)
def test_which_label_is_positive(labels, counts, expected):
    from streamboost.evaluate.rows import usual_positive

    assert usual_positive(labels, np.array(counts)) == expected


def test_a_named_label_is_meant_by_its_text_too():
    rows = Rows(np.array([0, 1, 1]), np.array([0, 0, 1]), (5, 7))
    assert Precision(positive=7).of(rows) == Precision(positive="7").of(rows) == 1.0
    assert Precision(positive=5).of(rows) == 0.5
    assert Precision(positive=9).of(rows) == 0.0
    assert make_metric("precision:positive=7").of(rows) == 1.0


def test_expected_cost():
    rows = Rows(np.array([0, 0, 1, 1]), np.array([0, 1, 0, -1]), ("fine", "fraud"))
    cost = ExpectedCost({("fraud", "fine"): 10.0, ("fine", "fraud"): 1.0})
    cost.update(rows)
    assert cost.value() == cost.of(rows) == pytest.approx((1 + 10 + 10) / 4)
    assert make_metric("cost:fraud>fine=10:fine>fraud=1").of(rows) == cost.value()
    assert make_metric("cost:fraud=10").of(rows) == ExpectedCost({"fraud": 10}).of(rows) == 5.0
    assert make_metric("cost").of(rows) == 0.75
    for bad in ({("a", "b"): -1.0}, {("a", "b"): math.nan}, {("a", "b", "c"): 1.0}):
        with pytest.raises(ValueError, match="costs"):
            ExpectedCost(bad)
    with pytest.raises(ValueError, match="truth>answer=NUMBER"):
        make_metric("cost:fraud>fine")


class Complaints:
    """A metric of a user's own: nothing but a name, update and value."""

    name = "complaints"

    def __init__(self):
        self.n = self.fraud = 0

    def update(self, rows):
        self.fraud += int(np.sum((rows.y_true == "a") & (rows.y_pred != "a")))
        self.n += len(rows)

    def value(self):
        return self.fraud / self.n if self.n else math.nan


class FadingComplaints(Metric):
    name = "fading complaints"

    def __init__(self):
        self.sums = np.zeros(2)

    def update(self, rows):
        missed = (rows.y_true == "a") & (rows.y_pred != "a")
        self.sums += np.array([rows.weights.sum(), rows.weights @ missed])

    def value(self):
        return self.sums[1] / self.sums[0]

    def scale(self, factor):
        self.sums *= factor


def test_a_metric_of_ones_own_in_windows_and_fading():
    rows = stream(8, 90, 3)
    y, answers = rows[:2]
    missed = (y == "a") & (answers != "a")
    panel = feed(Panel([Complaints(), "error"], window=WINDOW), rows, [11, 50])
    assert panel.value("cumulative", "complaints") == pytest.approx(missed.mean())
    assert panel.value("window", "complaints") == pytest.approx(missed[-WINDOW:].mean())
    panel = feed(Panel(FadingComplaints(), window=WINDOW, fading=FADING), rows, [11, 50])
    weight = weigh("fading", 90)
    assert panel.value("fading", "fading complaints") == pytest.approx(weight @ missed / weight.sum())
    with pytest.raises(ValueError, match="complaints' cannot fade"):
        Panel([Complaints()], fading=0.9)


def test_a_wrapped_metric_is_taken_as_it_is():
    rows = stream(8, 90, 3)
    panel = feed(Panel([Windowed(AUC(), 30), Windowed(AUC(), 60)], window=7), rows, [40])
    assert panel.columns == [("cumulative", "auc, last 30 rows"), ("cumulative", "auc, last 60 rows")]
    for size in (30, 60):
        expected = oracle("auc", *(part[-size:] for part in rows[:3]), rows[3], np.ones(size))
        assert panel.value("cumulative", f"auc, last {size} rows") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ["acc"]}, "no metric 'acc' for classification; did you mean accuracy"),
        ({"metrics": ["f1_score"]}, "no metric 'f1_score' for classification; did you mean f1"),
        ({"metrics": ["roc_auc"]}, "did you mean auc"),
        ({"metrics": [], "window": 0}, "at least 1 row"),
        ({"metrics": [], "fading": 1.0}, "between 0 and 1"),
        ({"metrics": ["f_beta:gamma=1"]}, "'gamma=1' is no parameter of f_beta; it takes beta=VALUE"),
        ({"metrics": ["kappa:x=1"]}, "it takes none"),
        ({"metrics": ["f_beta:beta=much"]}, "beta must be a number, got 'much'"),
        ({"metrics": ["recall_at_fpr:fpr=2"]}, "fpr must lie between 0 and 1, got 2"),
        ({"metrics": ["f_beta:beta=0"]}, "beta must be positive"),
        ({"metrics": ["calibration_error:bins=0"]}, "bins must be at least 1"),
        ({"metrics": [RecallAtFPR(0.1), RecallAtFPR(0.2)]}, "Two metrics are called 'recall_at_fpr'"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Panel(**options)


def test_what_is_no_metric_is_refused():
    with pytest.raises(TypeError, match="pass a metric, FBeta"):
        Panel([FBeta])
    with pytest.raises(TypeError, match="has no update"):
        Panel([3])

    class Nameless(ErrorRate):
        name = ""

    with pytest.raises(TypeError, match="its name must be a text"):
        Panel([Nameless()])


def test_probabilities_must_be_there_when_needed():
    with pytest.raises(ValueError, match="auc: needs probabilities"):
        Panel(["auc"]).update(Judge().rows(np.array([1]), np.array([1])))


def test_the_table_in_the_docs_is_that_of_the_code():
    from pathlib import Path
    from runpy import run_path

    docs = Path(__file__).parents[2] / "docs"
    written = run_path(str(docs / "metrics_table.py"))["page"]()
    assert written == (docs / "evaluation.md").read_text(encoding="utf-8"), "run python docs/metrics_table.py"


def test_an_unfinished_metric_is_refused_when_it_is_made():
    class Half(Metric):
        name = "half"

        def update(self, rows):
            pass

    with pytest.raises(TypeError, match="value"):
        Half()
