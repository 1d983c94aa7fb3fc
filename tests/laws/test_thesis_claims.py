"""What the thesis proves of bagging, in numbers; and where its other claims, and those on the algorithms' pages, are tested.

Convergence of bagging (lemmas 1 and 2, theorem 2)
    Binomial(N, 1/N) tends to Poisson(1)              test_binomial_tends_to_poisson
    one model's copies sum to Poisson(N), shared out evenly   test_copies_of_a_model
    share of one example over the models              test_shares_of_an_example
    online and batch ensembles agree, the more so the larger they are   test_online_bagging_tends_to_bagging
Convergence of boosting (theorem 4)                   test_batch.py: test_online_boosting_tends_to_adaboost
Hand trace, one model always right, one always wrong  golden/test_golden_product.py: test_oza_always_right_and_always_wrong
lambda' = lambda T / (2 own side) <= T / 2            test_properties.py: test_oza_chain
half of the next model's mass was wrong before        test_half_of_the_weight_was_wrong_before
AdaBoost: halves after each round                     test_batch.py: test_right_and_wrong_rows_weigh_the_same
          training error bound, stop at 1/2 and at 0  test_batch.py: test_training_error_bound,
                                                      test_a_coin_is_dropped_and_a_perfect_learner_is_the_last
equal counts make equal learners, online and batch    test_batch.py: test_equal_counts_give_equal_learners; trees: below
lossless, proportional, weight k is k copies          test_lossless.py (naive Bayes, stump, TAN, BAN), test_iti.py (trees)
the generators' statistics                            unit/test_streams_builtin.py
TAN and BAN reach the Bayes accuracy                  test_networks_reach_the_bayes_accuracy
published tables                                      `streamboost reproduce oza2001`
"""

import math

import numpy as np
import pytest
from oracle import draws

import streamboost as sb
from streamboost.streams.datasets.builtin import SyntheticStream
from tests.catalogue import arrays

NOMINAL = list(range(20))


@pytest.mark.parametrize("n", [2, 3, 10, 100, 10_000, 1_000_000])
def test_binomial_tends_to_poisson(n):
    """The total variation distance is at most 1/N: all terms that a double can hold."""
    distance = 0.0
    binomial, poisson = math.exp(n * math.log1p(-1 / n)), math.exp(-1)
    for k in range(40):
        distance += abs(binomial - poisson) / 2
        binomial *= max(n - k, 0) / ((k + 1) * (n - 1))
        poisson /= k + 1
    assert 0 < distance <= 1 / n


def copies(n_rows, lanes, key=11):
    """What online bagging teaches its lanes: the product's own draws, read off what they counted."""
    X = np.arange(float(n_rows))[:, None]
    model = sb.OnlineBaggingClassifier(n_estimators=lanes, random_state=key, categorical_features=[0])
    model.partial_fit(X, np.zeros(n_rows, dtype=int), classes=[0, 1])
    counted = arrays(model)["bank/count"][::2]
    assert counted[3, 5] == draws.poisson(key, 3, 5, 1.0)
    return counted


def test_copies_of_a_model():
    n, lanes = 200, 2000
    counted = copies(n, lanes)
    total = counted.sum(axis=0)
    assert abs(total.mean() - n) < 4 * math.sqrt(n / lanes)
    assert abs(total.var() / n - 1) < 4 * math.sqrt(2 / lanes)
    # Given the total every example is as likely as another: chi-square with n - 1 degrees of freedom over all lanes.
    per_row = counted.sum(axis=1)
    chi = ((per_row - per_row.mean()) ** 2 / per_row.mean()).sum()
    assert abs(chi - (n - 1)) < 4 * math.sqrt(2 * (n - 1))


def test_shares_of_an_example():
    """Mean 1/N over the models; its variance is about (1 - 1/N) / (M N^2), and under the thesis' bound (1 - 1/N) / (M N)."""
    n, models, groups = 100, 20, 100
    counted = copies(n, models * groups)
    share = (counted / counted.sum(axis=0)).reshape(n, groups, models).mean(axis=2)
    assert share.mean() == pytest.approx(1 / n, rel=1e-12)
    variance = share.var(axis=1).mean()
    exact = (1 - 1 / n) / (models * n**2)
    assert variance < (1 - 1 / n) / (models * n)
    assert abs(variance / exact - 1) < 0.1


@pytest.mark.parametrize("learner", [sb.NaiveBayes(prior_alpha=0), sb.DecisionStump()])
def test_online_bagging_tends_to_bagging(learner):
    def online(*given, **options):
        return sb.OnlineBaggingClassifier(*given, ballot="label", **options)

    def agreement(n, models):
        X, y = SyntheticStream(2, seed=4).rows(0, n + 5000)
        answers = [
            kind(learner, n_estimators=models, random_state=5, categorical_features=NOMINAL)
            .fit(X[:n], y[:n])
            .predict(X[n:])
            for kind in (online, sb.BaggingClassifier)
        ]
        return np.mean(answers[0] == answers[1]), *(np.mean(a == y[n:]) for a in answers)

    few, *_ = agreement(50, 4)
    many, streamed, batch = agreement(20_000, 64)
    assert many >= max(few, 0.99)
    assert abs(streamed - batch) < 0.002


def test_half_of_the_weight_was_wrong_before():
    """On a stationary stream, the rows that learner m gets wrong make half of what learner m + 1 is offered."""
    n, warm = 6000, 2000
    X, y = SyntheticStream(2, seed=6).rows(0, n)
    model = sb.OnlineBoostingClassifier(
        sb.NaiveBayes(prior_alpha=0), n_estimators=4, random_state=2, categorical_features=NOMINAL
    ).partial_fit(X[:warm], y[:warm], classes=[0, 1])

    def sums():
        lanes = model.report().lanes
        return lanes["sum_wrong"].copy(), lanes["weight_sum"].copy()

    wrong_side, offered = np.zeros(3), np.zeros(3)
    before = sums()
    for t in range(warm, n):
        model.partial_fit(X[t : t + 1], y[t : t + 1])
        after = sums()
        was_wrong = after[0][:3] > before[0][:3]
        handed_on = after[1][1:] - before[1][1:]
        wrong_side += np.where(was_wrong, handed_on, 0)
        offered += handed_on
        before = after
    assert (abs(wrong_side / offered - 0.5) < 0.05).all()


@pytest.mark.parametrize("kind", [sb.OnlineBaggingClassifier, sb.BaggingClassifier])
def test_bagged_trees_are_the_trees_of_their_copies(kind):
    """Grown at once from a bootstrap, or row by row from a stream: the tree of the copies."""
    X, y = SyntheticStream(3, seed=8).rows(0, 150)
    n, key, lanes = len(y), 3, 6
    ballot = {"ballot": "label", "calibration": None} if kind is sb.OnlineBaggingClassifier else {}
    bagged = kind(
        sb.IncrementalTree(), n_estimators=lanes, random_state=key, categorical_features=NOMINAL, **ballot
    ).fit(X, y)
    votes = np.zeros(n)
    for lane in range(lanes):
        if kind is sb.OnlineBaggingClassifier:
            taught = np.array([draws.poisson(key, t, lane, 1.0) for t in range(n)])
        else:
            drawn = [int(draws.uniform(key, j, lane, draws.POISSON) * n) for j in range(n)]
            taught = np.bincount(drawn, minlength=n).astype(float)
        alone = sb.SingleLearnerClassifier(sb.IncrementalTree(), categorical_features=NOMINAL)
        alone.partial_fit(X, y, classes=[0, 1], sample_weight=taught)
        votes += alone.predict(X) == 1
    assert bagged.predict_proba(X)[:, 1].tolist() == (votes / lanes).tolist()


@pytest.mark.parametrize("learner", [sb.TAN(), sb.BAN()])
@pytest.mark.parametrize(
    ("variant", "best", "naive"), [(1, 0.7343, 0.5), (2, 0.8617, 0.78), (3, 0.9825, 0.925)]
)
def test_networks_reach_the_bayes_accuracy(learner, variant, best, naive):
    n = 20_000
    X, y = SyntheticStream(variant, seed=9).rows(0, n + 10_000)

    def accuracy(kind):
        model = sb.SingleLearnerClassifier(kind, categorical_features=NOMINAL).fit(X[:n], y[:n])
        return np.mean(model.predict(X[n:]) == y[n:])

    spread = 3 * math.sqrt(best * (1 - best) / 10_000)
    assert accuracy(learner) > best - 0.005 - spread
    assert abs(accuracy(sb.NaiveBayes(prior_alpha=0)) - naive) < 0.01 + spread
