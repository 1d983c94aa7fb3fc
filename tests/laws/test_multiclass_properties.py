"""The numbered properties of the multiclass boosters, their potentials, their trees and their baseline: where each is tested.

  1  potentials agree with each other        test_potentials: agrees_with_the_definition, recursion_is_*, exact_for_many_classes;
                                             here: exact_is_recursion (up to 8 classes and 25 votes)
2-3  range, recursion, properness, symmetry  test_potentials: a_potential_is_proper
  4  pairwise bounds exact; random draws     test_potentials: pairwise_bounds_exact, random_draws_come_near
  5  weights                                 test_potentials: weights
  6  rows of costs                           test_potentials: weights
  7  losses telescope                        test_potentials: losses_telescope; test_multiclass: losses_are_the_potential_*
  8  early exit                              test_multiclass: early_exit_*; here: early_exit_settles_the_answer
  9  learners with exactly the edge          here: learners_with_exactly_the_edge
 10  mistakes of MBBM                        test_multiclass: losses_are_the_potential_*, no_guarantee_is_ever_broken
 11  rows of OLM's costs                     test_multiclass: cost_rows
 12  derivatives                             test_multiclass: derivatives
 13  ranges of alpha, weights, edges         test_multiclass: votes_weights_and_hedge_stay_in_their_bounds
 14  regret of the votes                     test_multiclass: regret_of_the_votes
 15  Hedge                                   test_multiclass: votes_weights_*, the_leader_is_always_punished_*
 16  chain of the bound                      test_multiclass: votes_weights_*, no_guarantee_is_ever_broken
 17  two classes are the binary boosters     test_multiclass: two_classes_are_*; here: two_classes_vote_as_*
 18  relabelling, ties                       here: names_of_classes_do_not_matter, two_classes_may_be_swapped;
                                             test_multiclass: how_ties_are_broken_is_not_learned
 19  trees                                   unit/test_hoeffding: splits_conserve_mass, weight_twice_*, the_bound_shrinks_*;
                                             test_laws
 20  Oza's boosting                          test_properties: oza_chain*; here: who_votes_in_oza
"""

import math

import numpy as np
import pytest
from golden.scripted import LabelLane, ScriptedLabels, scripted_lanes
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import hoeffding
from oracle.bbm import BBM, largest_weight
from oracle.mbbm import MBBM
from oracle.olm import OLM

import streamboost as sb
from laws.catalogue import lane_report
from streamboost._core import Potential

BOTH = [sb.OnlineMBBMClassifier, sb.AdaBoostOLMClassifier]


@st.composite
def scripts(draw, classes=(2, 5), learners=(1, 7), rows=(2, 12)):
    """(answers of each learner, truths, number of classes)."""
    k, n, t = (draw(st.integers(*range_)) for range_ in (classes, learners, rows))
    labels = st.lists(st.integers(0, k - 1), min_size=t, max_size=t)
    return draw(st.lists(labels, min_size=n, max_size=n)), draw(labels), k


def run(make, script, y, k):
    """The answers of a booster over scripted learners. Its first row must teach every learner."""
    ScriptedLabels.roll.clear()
    model = make(ScriptedLabels(script), n_estimators=len(script), calibration=None)
    answers = [
        model.test_then_train([[float(t)]], [label], classes=list(range(k)), output="proba")[0]
        for t, label in enumerate(y)
    ]
    ScriptedLabels.roll.clear()
    return model, answers


# ---- 1, 8, 9: potentials


@settings(max_examples=20)
@given(k=st.integers(2, 8), n_all=st.integers(1, 25), edge=st.floats(0, 0.9), seed=st.integers(0, 999))
def test_exact_is_recursion(k, n_all, edge, seed):
    rng = np.random.default_rng(seed)
    exact, recursion = (Potential(kind, k, n_all, edge) for kind in ("exact", "recursion"))
    assert exact.phi0() == pytest.approx(recursion.phi0(), abs=1e-11)
    for n in range(n_all):
        votes = rng.multinomial(n_all - 1 - n, rng.dirichlet(np.ones(k))).tolist()
        r = int(rng.integers(k))
        assert exact.phi(n + 1, votes, r) == pytest.approx(recursion.phi(n + 1, votes, r), abs=1e-11)
        assert exact.weight(n, votes, r) == pytest.approx(recursion.weight(n, votes, r), abs=1e-10)


@pytest.mark.parametrize("kind", ["exact", "pairwise"])
@settings(max_examples=25)
@given(script=scripts(learners=(3, 9)), edge=st.sampled_from([0.0, 0.2, 0.6]))
def test_early_exit_settles_the_answer(kind, script, edge):
    """On any votes: the same answers with and without, and no weight for learners that cannot turn them."""

    def make(early):
        return lambda learner, **size: sb.OnlineMBBMClassifier(
            learner, edge=edge, potential=kind, weight_scale="paper_code", early_exit=early, **size
        )

    answers, y, k = script
    (patient, says), (hasty, says_too) = (run(make(early), answers, y, k) for early in (False, True))
    np.testing.assert_array_equal(says, says_too)
    full, short = (lane_report(model, "potential_weight_sum") for model in (patient, hasty))
    if kind == "exact":
        np.testing.assert_allclose(short, full, rtol=1e-12, atol=1e-12)
        return
    potential, n = Potential(kind, k, len(answers), edge), len(answers)
    expected = np.zeros(n)
    for t, truth in enumerate(y):
        votes = [0] * k
        for i in range(n):
            first, second = sorted(votes, reverse=True)[:2]
            if first - second <= n - i:
                expected[i] += potential.weight(n - 1 - i, votes, truth)
            votes[answers[i][t] if t else 0] += 1
    np.testing.assert_allclose(short, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["exact", "pairwise"])
@settings(max_examples=4)
@given(
    seed=st.integers(0, 999), k=st.integers(2, 8), n=st.integers(5, 15), edge=st.sampled_from([0.1, 0.3, 0.6])
)
def test_learners_with_exactly_the_edge(kind, seed, k, n, edge):
    """Right with probability edge + (1 - edge) / k, else any label: the loss is the potential at the start, up to chance."""
    rows = 700
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, rows)
    script = np.where(rng.random((n, rows)) < edge, y, rng.integers(0, k, (n, rows))).tolist()
    ScriptedLabels.roll.clear()
    model = sb.OnlineMBBMClassifier(
        ScriptedLabels(script),
        n_estimators=n,
        edge=edge,
        potential=kind,
        weight_scale="paper_code",
        early_exit=False,
    )
    model.partial_fit(np.arange(rows, dtype=float)[:, None], y, classes=list(range(k)))
    ScriptedLabels.roll.clear()
    report = model.report()
    loss, expected = report.totals["loss_0"], Potential("exact", k, n, edge).phi0()
    assert abs(loss / rows - expected) <= 5 * math.sqrt(expected * (1 - expected) / rows) + 1 / rows
    edges = report.lanes["edge"]
    assert abs(edges.mean() - edge) < 0.15


# ---- 17, 18: two classes, relabelling


@settings(max_examples=20)
@given(script=scripts(classes=(2, 2), rows=(2, 6)), edge=st.sampled_from([0.05, 0.2, 0.5]))
def test_two_classes_vote_as_boosting_by_majority_does(script, edge):
    """Step by step against the plain two-class algorithm: weights up to their scale, answers, errors."""
    answers, y, k = script
    n = len(answers)

    def make(learner, **size):
        return sb.OnlineMBBMClassifier(
            learner, edge=edge, weight_scale="paper_code", early_exit=False, **size
        )

    model, says = run(make, answers, y, k)
    plain = BBM(scripted_lanes(answers), n, 0, width=1, n_classes=2, edge=edge)
    for lane in plain.lanes:
        lane.answers = [0, *lane.answers[1:]]  # what untrained learners say
        lane.trained = True
    expected = np.zeros(n)
    for t, truth in enumerate(y):
        assert plain.answer([float(t)]).label == says[t].argmax()
        plain.learn([float(t)], truth)
        scale = [2 * float(largest_weight(n, i + 1, edge)) for i in range(n)]
        expected += np.array(plain.trace[-1]["offered"]) * scale
    np.testing.assert_allclose(lane_report(model, "potential_weight_sum"), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("potential", ["exact", "pairwise"])
@settings(max_examples=20)
@given(script=scripts(classes=(3, 5)), data=st.data())
def test_names_of_classes_do_not_matter(kind, potential, script, data):
    """Other codes for the classes: the same weights, costs and votes; other answers only where votes are tied.

    Code 0 stays, which is what learners say before their first lesson.
    """
    answers, y, k = script
    names = [0, *data.draw(st.permutations(range(1, k)))]
    own = {"edge": 0.2, "potential": potential} if kind is sb.OnlineMBBMClassifier else {}

    def make(learner, **size):
        return kind(learner, weight_scale="paper_code", random_state=0, **own, **size)

    one, says = run(make, answers, y, k)
    two, says_too = run(make, [[names[a] for a in lane] for lane in answers], [names[c] for c in y], k)
    for name in ("weight_sum", "edge", "error_rate"):
        np.testing.assert_allclose(lane_report(one, name), lane_report(two, name), rtol=1e-9, atol=1e-12)
    if kind is sb.OnlineMBBMClassifier:
        np.testing.assert_allclose([p[np.argsort(names)] for p in says], says_too, atol=1e-12)
    else:
        np.testing.assert_allclose(
            lane_report(one, "alpha"), lane_report(two, "alpha"), rtol=1e-9, atol=1e-12
        )


class Willing(LabelLane):
    """Knows its script before its first lesson."""

    def vote(self, row, n_known):
        return int(self.answers[int(row.numbers[0][1])])


@given(script=scripts(classes=(2, 2)))
def test_two_classes_may_be_swapped(script):
    answers, y, _ = script
    boosters = []
    for flip in (0, 1):
        turned = [[abs(flip - a) for a in lane] for lane in answers]
        booster = OLM(
            lambda c, k, s, lane, turned=turned: Willing(turned, lane), len(answers), 0, width=1, n_classes=2
        )
        for t, truth in enumerate(y):
            booster.learn([float(t)], abs(flip - truth))
        boosters.append(booster)
    assert boosters[0].alpha == pytest.approx(boosters[1].alpha, rel=1e-12)
    for one, two in zip(boosters[0].trace, boosters[1].trace, strict=True):
        assert one["w"] == pytest.approx(two["w"], rel=1e-12)
        assert one["s"] == pytest.approx(two["s"][::-1], rel=1e-12)


# ---- leaf_costs: trees that collect costs, against trees that remember their examples


@pytest.mark.parametrize(("kind", "plain"), list(zip(BOTH, (MBBM, OLM), strict=True)))
@settings(max_examples=6)
@given(seed=st.integers(0, 2**31 - 1), k=st.integers(2, 4))
def test_collected_costs_agree_with_the_oracle(kind, plain, seed, k):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    X[:, 1] = rng.integers(0, 3, 60)
    y = np.digitize(X[:, 0] + X[:, 1] / 2 + rng.normal(scale=0.3, size=60), np.linspace(-0.5, 1.5, k - 1))
    eager = {"growth": "vfdt", "grace_period": 8.0, "delta": 0.3, "tie_threshold": 0.4}
    own = {"edge": 0.2} if plain is MBBM else {}
    model = kind(
        sb.HoeffdingTree(**eager),
        n_estimators=4,
        costs="leaf_costs",
        calibration=None,
        random_state=3,
        categorical_features=[1],
        **own,
    )
    oracle = plain(
        lambda c, n, key, lane: hoeffding.HoeffdingTree(c, n, key, lane, **eager, leaf_prediction="costs"),
        4,
        3,
        width=2,
        nominal=(1,),
        n_classes=k,
        costs="leaf_costs",
        **own,
    )
    split = False
    for t in range(60):
        expected = oracle.answer(X[t])
        proba = model.test_then_train(X[t : t + 1], y[t : t + 1], classes=list(range(k)), output="proba")[0]
        if t and not expected.close:
            np.testing.assert_allclose(proba, expected.proba, rtol=1e-7, atol=1e-9, err_msg=f"row {t}")
        oracle.learn(X[t], int(y[t]))
        if oracle.doubt:
            return
        np.testing.assert_allclose(lane_report(model, "weight_sum"), oracle.weight_sum, rtol=1e-7, atol=1e-9)
        split |= any(lane.n_leaves > 1 for lane in oracle.lanes)
    assert split


# ---- 20: Oza


@pytest.mark.parametrize("prefix", ["stop_at_first_bad", "skip_bad", "all"])
@pytest.mark.parametrize("vote", ["log_odds", "linear_edge", "uniform"])
@settings(max_examples=15)
@given(script=scripts(classes=(2, 4), learners=(2, 6), rows=(3, 10)))
def test_who_votes_in_oza(prefix, vote, script):
    """The answer is the sum over the learners that the variant hears, by their errors so far."""
    answers, y, k = script

    def make(learner, **size):
        return sb.OnlineBoostingClassifier(
            learner, prefix=prefix, vote=vote, draw="weight", random_state=0, **size
        )

    model, _ = run(make, answers, y, k)
    ScriptedLabels.roll.clear()
    sc, sw = lane_report(model, "sum_correct"), lane_report(model, "sum_wrong")
    first = model.report().lanes["weight_sum"][0]
    assert first == pytest.approx(len(y))
    assert sc[0] + sw[0] == pytest.approx(len(y))
    bad = sw > sc
    heard = {
        "stop_at_first_bad": np.cumsum(bad) == 0,
        "skip_bad": ~bad,
        "all": np.ones(len(bad), dtype=bool),
    }[prefix]
    error = np.clip(sw / (sc + sw), 1e-10, 1 - 1e-10)
    weight = {
        "log_odds": np.log((1 - error) / error),
        "linear_edge": sc - sw,
        "uniform": np.ones(len(bad)),
    }
    votes = np.zeros(k)
    for i in np.flatnonzero(heard):
        votes[answers[i][-1]] += weight[vote][i]
    positive = np.maximum(votes, 0)
    proba = model.predict_proba([[float(len(y) - 1)]])[0]
    if positive.sum() > 0:
        np.testing.assert_allclose(proba, positive / positive.sum(), rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_allclose(proba, np.bincount(y, minlength=k) / len(y))
