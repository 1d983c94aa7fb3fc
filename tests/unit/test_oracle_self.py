"""The oracles' own tests: known answers, and small cases worked out by hand."""

import math
import statistics

import numpy as np
import pytest
from oracle import draws
from oracle.bagging import Bagging
from oracle.linear import OGD, Logistic, Perceptron
from oracle.naive_bayes import NaiveBayes
from oracle.osboost import OSBoost, chain
from oracle.oza import Oza
from oracle.rows import Columns
from oracle.single import Single

NAN = math.nan


def maker(kind, **options):
    return lambda columns, n_classes, seed, lane: kind(columns, n_classes, seed, lane, **options)


# ---- draws


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((draws.MASK,) * 4, (draws.MASK,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_gives_the_published_answers(counter, key, expected):
    assert draws.philox(counter, key) == expected


@pytest.mark.parametrize("p", [1e-300, 1e-20, 1e-5, 0.0749, 0.0751, 0.3, 0.5, 0.925, 0.9999, 1 - 1e-12])
def test_inverse_normal_agrees_with_the_standard_library(p):
    assert draws.inverse_normal(p) == pytest.approx(statistics.NormalDist().inv_cdf(p), rel=2e-15, abs=1e-300)


@pytest.mark.parametrize("rate", [0.1, 1, 9.99, 10, 40, 1e4, 1e8, 3e9])
def test_poisson_mean_and_variance(rate):
    sample = [draws.poisson(11, example, 2, rate) for example in range(1500)]
    assert np.mean(sample) == pytest.approx(rate, abs=5 * math.sqrt(rate / 1500))
    assert np.var(sample) == pytest.approx(rate, rel=5 * math.sqrt((2 + 1 / rate) / 1500))


def test_poisson_frequencies_match_the_mass_function():
    for rate in (0.7, 12.0):
        sample = [draws.poisson(3, example, 0, rate) for example in range(3000)]
        for k in range(20):
            p = math.exp(k * math.log(rate) - rate - math.lgamma(k + 1))
            assert sample.count(k) / 3000 == pytest.approx(p, abs=5 * math.sqrt(p / 3000) + 1e-3)


def test_draws_differ_in_every_part_of_their_key():
    base = draws.uniform(1, 2, 3, 4, 5)
    others = [(2, 2, 3, 4, 5), (1, 3, 3, 4, 5), (1, 2, 4, 4, 5), (1, 2, 3, 5, 5), (1, 2, 3, 4, 6)]
    others += [(1 + 2**32, 2, 3, 4, 5), (1, 2 + 2**32, 3, 4, 5)]
    assert base not in [draws.uniform(*other) for other in others]
    assert draws.poisson(1, 0, 0, 0) == 0
    assert draws.poisson(1, 0, 0, 1e300) == pytest.approx(2**53, rel=1e-6)


# ---- rows


def test_columns_scale_with_the_row_itself():
    columns = Columns(2, scale="maxabs")
    assert columns.read([4, 0]).scaled == [(0, 1), (1, 0)]
    columns.learn([4, 0])
    assert columns.read([-2, NAN]).scaled == [(0, -0.5)]
    assert columns.read([8, 1]).scaled == [(0, 1), (1, 1)]
    assert columns.read([2, 0]).scaled == [(0, 0.5), (1, 0)]  # reading leaves no trace


def test_standard_scale_counts_every_row_once():
    columns = Columns(1, scale="standard")
    for _ in range(3):
        assert columns.learn([5]).scaled == [(0, 0)]
    # mean (3*5 + 1*1)/4 = 4, variance (3*1 + 9)/4 = 3
    assert columns.learn([1]).scaled == [(0, pytest.approx(-3 / math.sqrt(3)))]


def test_nominal_values_are_unseen_until_learned():
    columns = Columns(2, nominal=[1])
    assert columns.read([1, 7]).codes == []
    assert columns.learn([1, 7]).codes == [(1, 0)]
    columns.learn([1, 3])
    assert columns.read([1, 3]).codes == [(1, 1)]
    assert columns.read([1, NAN]).codes == []


# ---- linear learners


def test_perceptron_by_hand():
    """d = 1 with intercept: R = sqrt 2, coordinates (x, 1) / sqrt 2, from zero."""
    columns = Columns(1)
    learner = Perceptron(columns, 2, 0, 0, start="zero")
    row = columns.read([3.0])
    assert learner.vote(row, 2) == -1
    learner.learn(row, 1, 0.5)  # raw = 0: a mistake; v = 0.5 * (3, 1) / sqrt 2
    v = learner.vectors[0]
    assert [v["number", 0], v["intercept"]] == pytest.approx([1.5 / math.sqrt(2), 0.5 / math.sqrt(2)])
    # raw = 0.5 * <x, x> = 0.5 * 10 / 2 = 2.5, |v| = 0.5 sqrt 5: h = 2.5 / 1.118 clipped
    assert learner.margin(row) == 1
    assert learner.margin(columns.read([0.0])) == pytest.approx(0.25 / math.sqrt(1.25))
    learner.learn(row, 1, 1.0)  # right already: nothing
    assert v["intercept"] == pytest.approx(0.5 / math.sqrt(2))
    learner.learn(row, 0, 7, copies=True)  # y raw = -2.5, <x, x> = 5: one copy makes it right
    assert v["intercept"] == pytest.approx(-0.5 / math.sqrt(2))


def test_sphere_start_is_keyed_and_counts_as_trained():
    columns = Columns(2)
    learner = Perceptron(columns, 2, 9, 4)
    v = learner.vectors[0]
    for coordinate, key in ((("number", 0), 0), (("number", 1), 1), ("intercept", 2)):
        assert v[coordinate] == draws.normal(9, key, 4, draws.START) / math.sqrt(3)
    assert learner.trained
    assert learner.vote(columns.read([1, 1]), 2) >= 0
    third = Perceptron(columns, 3, 9, 4).vectors[2]
    assert third["intercept"] == draws.normal(9, 2, 4, draws.START, attempt=2) / math.sqrt(3)


def test_nominal_coordinate_starts_at_zero_when_learned():
    ensemble = Single(maker(Perceptron), 5, width=2, nominal=[1], n_classes=2)
    (lane,) = ensemble.lanes
    assert ("value", 1, 0) not in lane.vectors[0]
    ensemble.learn([0.5, 8], 1 - lane.vote(ensemble.columns.read([0.5, 8]), 2))
    step = 1 / math.sqrt(3)
    assert abs(lane.vectors[0]["value", 1, 0]) == pytest.approx(step)  # one mistake from 0


def test_ogd_by_hand():
    columns = Columns(1)
    learner = OGD(columns, 2, 0, 0, fit_intercept=False)
    row = columns.read([math.sqrt(2) / 4])  # x / R = 1/4
    learner.learn(row, 1, 0.5)  # S = 1/4: step sqrt2 / 0.5 * 0.5 * 1/4 = sqrt2 / 4
    assert learner.vectors[0]["number", 0] == pytest.approx(math.sqrt(2) / 4)
    learner.learn(row, 1, 100)  # step about sqrt2 / 4 again
    learner.learn(row, 1, 1e6)  # past the unit ball: projected
    assert learner.vectors[0]["number", 0] == pytest.approx(1)
    assert learner.margin(row) == pytest.approx(0.25)


def test_logistic_by_hand():
    columns = Columns(1)
    learner = Logistic(columns, 2, 0, 0, fit_intercept=False)
    row = columns.read([math.sqrt(2)])  # x / R = 1
    learner.learn(row, 1, 2.0)  # p = 1/2: v = sqrt2 / 2 * 2 * 1/2
    v = learner.vectors[0]["number", 0]
    assert v == pytest.approx(math.sqrt(2) / 2)
    assert learner.margin(row) == pytest.approx(math.tanh(v / 2))
    twice, copies = Logistic(columns, 2, 0, 0), Logistic(columns, 2, 0, 0)
    twice.learn(row, 0, 1)
    twice.learn(row, 0, 1)
    copies.learn(row, 0, 2, copies=True)
    assert twice.vectors == copies.vectors


def test_one_against_the_rest():
    columns = Columns(2)
    learner = OGD(columns, 3, 0, 0)
    row = columns.read([0.5, -1])
    learner.learn(row, 2, 1)
    assert learner.vote(row, 3) == 2
    shares = learner.distribution(row, 3)
    assert sum(shares) == pytest.approx(1)
    assert shares[0] == shares[1] < shares[2]


# ---- naive Bayes


def nb_rows(columns, rows, **options):
    learner = NaiveBayes(columns, 2, 0, 0, **options)
    for x, label, weight in rows:
        learner.learn(columns.learn(x), label, weight)
    return learner


def test_nominal_naive_bayes_by_hand():
    columns = Columns(2, nominal=[0, 1])
    rows = [([0, 0], 0, 2), ([1, 0], 0, 1), ([0, 1], 1, 1), ([1, NAN], 1, 3)]
    learner = nb_rows(columns, rows, prior_alpha=0)
    # x = (0, 0): class 0: 3 * 2/3 * 3/3 = 2; class 1: 4 * 1/4 * (0 of 1 -> 1e-30)
    assert learner.distribution(columns.read([0, 0]), 2) == pytest.approx([1, 5e-31])
    # x = (1, 1): class 0: 3 * 1/3 * 1e-30; class 1: 4 * 3/4 * 1
    assert learner.vote(columns.read([1, 1]), 2) == 1
    # x = (1, missing): class 0: 3 * 1/3 = 1; class 1: 4 * 3/4 = 3
    assert learner.distribution(columns.read([1, NAN]), 2) == pytest.approx([0.25, 0.75])
    assert learner.distribution(columns.read([1, 99]), 2) == pytest.approx([0.25, 0.75])  # unseen value
    laplace = nb_rows(Columns(2, nominal=[0, 1]), rows, prior_alpha=0, alpha=1)
    # class 0: 3 * 3/5 * 4/5 = 36/25; class 1: 4 * 2/6 * 1/3 = 4/9
    share = (36 / 25) / (36 / 25 + 4 / 9)
    assert laplace.distribution(laplace.columns.read([0, 0]), 2)[0] == pytest.approx(share)


def test_numeric_naive_bayes_by_hand():
    columns = Columns(1)
    learner = nb_rows(columns, [([0], 0, 1), ([2], 0, 3), ([5], 1, 2)], var_floor=0.25, prior_alpha=0)
    # class 0: mean 1.5, variance (2.25 + 3 * .25) / 4 + .25 = 1; class 1: mean 5, variance .25
    odds = (math.log(2) + 0.5 * math.log(4) - 0.5 * 4 * 4) - (math.log(4) - 0.5 * 1.5**2)
    assert learner.margin(columns.read([3])) == pytest.approx(math.tanh(odds / 2))


def test_naive_bayes_with_one_class_gives_prior_odds():
    columns = Columns(1)
    learner = nb_rows(columns, [([0], 1, 2)])
    assert learner.margin(columns.read([9])) == pytest.approx(math.tanh(math.log(2.01 / 0.01) / 2))
    assert learner.distribution(columns.read([9]), 2) == pytest.approx([0.01 / 2.02, 2.01 / 2.02])
    assert learner.distribution(columns.read([9]), 3) == pytest.approx(
        [0.01 / 2.03, 2.01 / 2.03, 0.01 / 2.03]
    )
    assert nb_rows(Columns(1), [([0], 0, 2)], prior_alpha=0).margin(columns.read([9])) == -1


# ---- ensembles


def test_classes_are_discovered_by_learning_only():
    ensemble = Bagging(maker(NaiveBayes), 3, 1, width=1)
    assert ensemble.answer([1]).label is None
    ensemble.learn([1], 0, 0)  # weight 0 discovers nothing
    assert ensemble.answer([1]).label is None
    ensemble.learn([1], 0)
    assert ensemble.answer([1])[:3] == (0, None, [1.0])
    ensemble.learn([2], 1)
    assert ensemble.n_known == 2


def test_untrained_bagging_falls_back_on_frequencies():
    key = next(k for k in range(100) if draws.poisson(k, 0, 0, 1) == draws.poisson(k, 1, 0, 2) == 0)
    ensemble = Bagging(maker(NaiveBayes), 1, key, width=1)
    ensemble.learn([1], 0, 1)
    ensemble.learn([1], 1, 2)
    assert ensemble.answer([5])[:3] == (1, [0, 0], pytest.approx([1 / 3, 2 / 3]))


def test_fraction_passes_the_weight():
    ensemble = Bagging(maker(NaiveBayes), 50, 3, width=1, sampling="fraction", fraction=0.3)
    ensemble.learn([1], 0, 2.5)
    assert set(ensemble.trace[0]["amount"]) == {0.0, 2.5}
    assert 5 < sum(amount > 0 for amount in ensemble.trace[0]["amount"]) < 25


def test_osboost_chain_by_hand():
    """gamma = 0.36: theta = 9/59 and w = 0.8^z."""
    zs, ws = chain([1, 1, -1], 0.36)
    assert zs == pytest.approx([50 / 59, 100 / 59, 32 / 59])
    assert ws == pytest.approx([1, 0.8 ** (50 / 59), 0.8 ** (100 / 59), 0.8 ** (32 / 59)])


@pytest.mark.parametrize("hypothesis", ["real", "sign"])
def test_osboost_with_one_learner_is_the_learner(hypothesis):
    rng = np.random.default_rng(0)
    boosted = OSBoost(maker(Perceptron), 1, 8, width=2, n_classes=2, hypothesis=hypothesis)
    single = Single(maker(Perceptron), 8, width=2, n_classes=2)
    for x in rng.normal(size=(20, 2)):
        assert boosted.answer(x).label == single.answer(x).label
        for ensemble in (boosted, single):
            ensemble.learn(x, int(x[0] > 0.3), 0.7)
    assert boosted.lanes[0].vectors == single.lanes[0].vectors


@pytest.mark.parametrize("untrained", ["wrong", "class0", "random"])
def test_oza_scores_an_untrained_learner_as_told(untrained):
    key = next(k for k in range(100) if draws.poisson(k, 0, 0, 1) == 0)
    ensemble = Oza(maker(NaiveBayes), 1, key, width=1, n_classes=3, untrained=untrained)
    guess = {"wrong": -1, "class0": 0, "random": math.floor(3 * draws.uniform(key, 0, 0, draws.TIE))}[
        untrained
    ]
    ensemble.learn([1], 0)
    assert ensemble.trace[0]["right"] == [guess == 0]


def test_oza_cap_and_orders():
    rows = [([x], int(x > 0)) for x in (1.0, -1.0, 0.2, -0.3, 2.0, -0.1)]
    for options in ({"lambda_cap": 0.6}, {"order": "test_first"}, {"draw": "weight"}):
        ensemble = Oza(maker(NaiveBayes), 4, 2, width=1, n_classes=2, **options)
        for x, label in rows:
            ensemble.learn(x, label)
            step = ensemble.trace[-1]
            if "lambda_cap" in options:
                assert max(step["offered"]) <= 0.6
            if "draw" in options:
                assert step["amount"] == step["offered"]
            if "order" in options and ensemble.examples == 1:
                assert step["right"] == [False] * 4
