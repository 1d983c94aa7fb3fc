"""Incremental measures against slow, obvious code and against scikit-learn's, on random streams cut at random."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, log_loss, roc_auc_score

from streamboost.evaluate import METRICS, Panel
from streamboost.evaluate.spans import Judged, RankSums, Sums, Window

WINDOW, FADING = 17, 0.93


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


def slow(name, y, answers, proba, columns, weight, delay=0):
    """One measure by its definition."""
    n, known = len(y), list(columns)
    total = weight.sum()
    p = np.nan_to_num(proba)
    right = np.array([answers[t] == y[t] for t in range(n)])
    accuracy = sum(w for w, r in zip(weight, right, strict=True) if r) / total
    if name == "error":
        return 1 - accuracy
    if name == "kappa":
        chance = sum(weight[y == c].sum() * weight[answers == c].sum() for c in known) / total**2
        return (accuracy - chance) / (1 - chance) if chance < 1 else 0.0
    if name == "kappa_temporal":
        lag = 1 + delay
        chance = sum(weight[t] for t in range(n) if t >= lag and y[t] == y[t - lag]) / total
        return (accuracy - chance) / (1 - chance) if chance < 1 else 0.0
    if name == "log_loss":
        return (
            sum(w * -math.log(max(p[t, known.index(y[t])], 2.0**-52)) for t, w in enumerate(weight)) / total
        )
    here = [c for c in known if weight[y == c].sum() > 0]
    if name in ("balanced_accuracy", "g_mean"):
        recalls = [weight[(y == c) & right].sum() / weight[y == c].sum() for c in here]
        return (
            float(np.mean(recalls))
            if name == "balanced_accuracy"
            else math.prod(recalls) ** (1 / len(recalls))
        )
    areas = []
    for c in here:
        column, mine = p[:, known.index(c)], y == c
        won = sum(
            weight[i] * weight[j] * ((column[i] > column[j]) + 0.5 * (column[i] == column[j]))
            for i in np.flatnonzero(mine)
            for j in np.flatnonzero(~mine)
        )
        pairs = weight[mine].sum() * weight[~mine].sum()
        if pairs > 0:
            areas.append(won / pairs)
    return float(np.mean(areas)) if areas else math.nan


def feed(panel, rows, cuts):
    y, answers, proba, columns = rows
    for a, b in zip([0, *cuts], [*cuts, len(y)], strict=True):
        panel.update(y[a:b], answers[a:b], proba[a:b], columns)
    return panel


@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 5), st.integers(0, 2), st.data())
def test_every_measure_over_every_span_is_what_its_definition_says(seed, n, k, delay, data):
    rows = stream(seed, n, k, answers_missing=min(n, data.draw(st.integers(0, 3))))
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=5)))
    panel = feed(Panel("all", window=WINDOW, fading=FADING, delay=delay, points=8), rows, cuts)
    positions, values = panel.series()
    columns = [(span, name) for span in panel.spans for name in panel.names]
    assert positions[-1] == n
    assert positions.size <= 16
    for at in {0, positions.size // 2, positions.size - 1}:
        m = int(positions[at])
        y, answers, proba, known = (*(part[:m] for part in rows[:3]), rows[3])
        for (span, name), value in zip(columns, values[at], strict=True):
            expected = slow(name, y, answers, proba, known, weigh(span, m), delay)
            assert value == pytest.approx(expected, abs=1e-9, nan_ok=True), (span, name, m)


@given(st.integers(0, 10**6), st.integers(1, 300), st.data())
def test_cutting_the_chunks_otherwise_changes_no_bit(seed, n, data):
    rows = stream(seed, n, 3)
    options = {"window": WINDOW, "fading": 0.5, "points": 8, "classes": rows[3]}
    whole = feed(Panel("all", **options), rows, [])
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=8)))
    parts = feed(Panel("all", **options), rows, cuts)
    for a, b in zip(whole.series(), parts.series(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("k", [2, 4])
def test_the_values_are_those_of_scikit_learn(k):
    y, answers, proba, columns = stream(3, 400, k)
    panel = feed(Panel("all", window=100), (y, answers, proba, columns), [7, 150])
    for span, first in (("cumulative", 0), ("window", 300)):
        t, a, p = y[first:], answers[first:].astype(str), proba[first:]
        value = {name: panel.spans[span].value(name) for name in METRICS}
        assert value["error"] == pytest.approx(np.mean(t != a))
        assert value["kappa"] == pytest.approx(cohen_kappa_score(t, a))
        assert value["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(t, a))
        assert value["log_loss"] == pytest.approx(log_loss(t, p, labels=columns))
        score, many = (p[:, 1], {}) if k == 2 else (p, {"multi_class": "ovr", "labels": columns})
        assert value["auc"] == pytest.approx(roc_auc_score(t, score, **many))


def judged(true, p):
    true = np.asarray(true)
    proba = np.stack((1 - np.asarray(p), p), axis=1)
    return Judged(true, true, true == true, proba)


def test_the_binned_area_is_within_its_slack_and_close():
    rng = np.random.default_rng(5)
    true = rng.integers(0, 2, 20_000)
    for noise in (0.5, 3.0, 12.0):
        p = 1 / (1 + np.exp(-(true * 2 - 1 + noise * rng.normal(size=true.size))))
        ranks = RankSums()
        ranks.add(judged(true, p), np.ones(true.size), 0.0)
        exact = roc_auc_score(true, p)
        assert abs(ranks.value - exact) <= ranks.slack
        assert ranks.slack < 0.005
        assert ranks.value == pytest.approx(exact, abs=1e-4)


def test_a_label_that_comes_late_was_improbable_before():
    spans = {"cumulative": Sums(["auc"]), "window": Window(100)}
    two = Judged(np.array([0, 1, 0]), np.zeros(3, int), np.zeros(3, bool), np.array([[0.9, 0.1]] * 3))
    three = Judged(
        np.array([2, 0]), np.zeros(2, int), np.zeros(2, bool), np.array([[0.2, 0.2, 0.6], [0.8, 0.2, 0]])
    )
    for span in spans.values():
        span.update(two)
        span.update(three)
    proba = np.array([[0.9, 0.1, 0], [0.9, 0.1, 0], [0.9, 0.1, 0], [0.2, 0.2, 0.6], [0.8, 0.2, 0]])
    y, columns = np.array([0, 1, 0, 2, 0]), [0, 1, 2]
    expected = slow("auc", y, y, proba, columns, np.ones(5))
    assert spans["cumulative"].value("auc") == pytest.approx(expected)
    assert spans["window"].value("auc") == pytest.approx(expected)


def test_probabilities_next_to_0_and_1_stay_apart():
    ranks = RankSums()
    p = np.array([1e-14, 1e-9, 1 - 1e-9, 1 - 1e-14])
    ranks.add(judged([0, 1, 0, 1], p), np.ones(4), 0.0)
    assert ranks.slack == 0
    assert ranks.value == pytest.approx(0.75)
    assert ranks.bins(np.array([0.0, 1.0, np.nan])).tolist() == [0, RankSums.N_BINS - 1, 0]


def test_before_the_first_row_nothing_is_known():
    panel = Panel("all", fading=0.5)
    assert all(math.isnan(span.value(name)) for span in panel.spans.values() for name in METRICS)
    assert panel.series()[0].size == 0


def test_extreme_fading_forgets_all_but_the_last_row():
    sums = Sums(["error"], fading=1e-30)
    codes = np.array([0, 1, 0, 1])
    sums.update(Judged(codes, np.array([0, 0, 0, 0]), codes == codes))
    assert sums.value("error") == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ["accuracy"]}, "no metric 'accuracy'"),
        ({"names": [], "window": 0}, "at least 1 row"),
        ({"names": [], "fading": 1.0}, "between 0 and 1"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Panel(**options)


def test_probabilities_must_be_there_when_needed():
    with pytest.raises(ValueError, match="auc: needs probabilities"):
        Panel(["auc"]).update(np.array([1]), np.array([1]))
