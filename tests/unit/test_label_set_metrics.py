"""Metrics of label sets beside their definitions, pair by pair, and beside scikit-learn's."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, hamming_loss, label_ranking_loss

from streamboost.evaluate.label_sets import SET_METRICS, SetRows
from streamboost.evaluate.metric import Faded

METRICS = ("rank_loss", "hamming", "subset_accuracy", "micro_f1", "macro_f1", "precision_at:k=2")


def rows(n=60, k=5, seed=1, ties=True, unknown=0.0):
    rng = np.random.default_rng(seed)
    true = (rng.random((n, k)) < 0.4).astype(float)
    true[:2] = [[0.0] * k, [1.0] * k]  # an empty set and a full one rank nothing
    score = rng.integers(0, 4, size=(n, k)) / 3 if ties else rng.random((n, k))
    lost = rng.random((n, k)) < unknown
    lost[:, 2] = False  # of a row something is known
    true[lost] = np.nan
    return SetRows(true, rng.random((n, k)), score, rng.integers(0, 3, size=n).astype(float))


def by_definition(name, seen, weight):
    total = norm = 0.0
    counts = np.zeros((3, seen.true.shape[1]))
    for true, proba, score, w in zip(seen.true, seen.proba, seen.score, weight, strict=True):
        known = [label for label in range(len(true)) if true[label] == true[label]]
        true, score = true[known], score[known]
        answer = [p >= 0.5 for p in proba[known]]
        k = len(true)
        if name == "rank_loss":
            pairs = [(s, r) for s, r in itertools.product(range(k), repeat=2) if true[s] and not true[r]]
            if not pairs:
                continue
            value = np.mean([(score[s] < score[r]) + 0.5 * (score[s] == score[r]) for s, r in pairs])
        elif name == "hamming":
            value = np.mean([a != t for a, t in zip(answer, true, strict=True)])
        elif name == "subset_accuracy":
            value = float(all(a == t for a, t in zip(answer, true, strict=True)))
        elif name.startswith("precision_at"):
            best = sorted(range(k), key=lambda label: (-score[label], label))[:2]
            value = np.mean([true[label] for label in best])
        else:
            for label, a, t in zip(known, answer, true, strict=True):
                counts[:, label] += w * np.array([a and t, a, t])
            continue
        total, norm = total + w * value, norm + w
    if not name.endswith("f1"):
        return total / norm
    right, answered, there = counts.sum(axis=1, keepdims=True) if name == "micro_f1" else counts
    return np.mean([2 * r / (a + t) for r, a, t in zip(right, answered, there, strict=True) if a + t > 0])


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(("seed", "unknown"), [(1, 0.0), (2, 0.0), (3, 0.5)])
def test_every_metric_is_its_definition(name, seed, unknown):
    seen = rows(seed=seed, unknown=unknown)
    whole, parts = (SET_METRICS.make(name) for _ in range(2))
    whole.update(seen)
    for first, last in itertools.pairwise((0, 1, 17, 60)):
        parts.update(seen.part(first, last))
    assert whole.value() == pytest.approx(by_definition(name, seen, seen.weight), rel=1e-12)
    assert parts.value() == pytest.approx(whole.value(), rel=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_fading_rows_weigh_less(name):
    seen = rows(30)
    even = SetRows(seen.true, seen.proba, seen.score)
    faded = Faded(SET_METRICS.make(name), 0.9)
    faded.update(even)
    weight = 0.9 ** np.arange(29, -1, -1.0)
    assert faded.value() == pytest.approx(by_definition(name, even, weight), rel=1e-9)


def test_beside_scikit_learn():
    seen = rows(300, ties=False)
    plain = SetRows(seen.true, seen.proba, seen.score)
    found = {}
    for name in METRICS:
        metric = SET_METRICS.make(name)
        metric.update(plain)
        found[name] = metric.value()
    ranks = (seen.true.sum(axis=1) > 0) & (seen.true.sum(axis=1) < 5)
    assert found["rank_loss"] == pytest.approx(label_ranking_loss(seen.true[ranks], seen.score[ranks]))
    assert found["hamming"] == pytest.approx(hamming_loss(seen.true, plain.pred))
    assert found["subset_accuracy"] == pytest.approx(accuracy_score(seen.true, plain.pred))
    for average in ("micro", "macro"):
        assert found[f"{average}_f1"] == pytest.approx(f1_score(seen.true, plain.pred, average=average))
