"""The oracles reproduce the step tables."""

from fractions import Fraction

import pytest
from oracle import draws
from oracle.bagging import Bagging
from oracle.bayes import Bayes
from oracle.osboost import OSBoost
from oracle.oza import Oza

from golden import tables
from golden.scripted import ScriptedLane


def scripted(script):
    return lambda columns, n_classes, seed, lane: ScriptedLane(script, lane)


@pytest.mark.parametrize("draw", ["weight", "poisson"])
def test_oza_steps(draw):
    """The chain depends on who is right, not on the draws, once every learner is trained."""
    key = next(k for k in range(1000) if all(draws.poisson(k, 0, i, 0.5**i) > 0 for i in range(3)))
    ensemble = Oza(scripted(tables.oza_script()), 3, key, width=1, n_classes=2, draw=draw)
    for t, (step, answer) in enumerate(zip(tables.oza_table(), tables.OZA_ANSWERS, strict=True)):
        assert ensemble.answer([t]).label == answer
        ensemble.learn([t], step[0]["y"])
        got = ensemble.trace[-1]
        for lane, expected in enumerate(step):
            assert got["right"][lane] == expected["right"]
            assert got["offered"][lane] == pytest.approx(float(expected["lambda_in"]), rel=1e-14)
            assert got["sc"][lane] == pytest.approx(float(expected["sc"]), rel=1e-14)
            assert got["sw"][lane] == pytest.approx(float(expected["sw"]), rel=1e-14)
            assert got["passed_on"][lane] == pytest.approx(float(expected["lambda_out"]), rel=1e-14)


def test_oza_always_right_and_always_wrong():
    """The hand trace: learner 0 right, learner 1 wrong. sc_0 = t, lam = 1/2; sw_1 = t/2, lam = 1/4."""
    ensemble = Oza(scripted([[1] * 3, [-1] * 3]), 2, 0, width=1, n_classes=2, draw="weight")
    for t in range(3):
        ensemble.learn([t], 1)
        assert (ensemble.sc, ensemble.sw) == ([t + 1, 0], [0, Fraction(t + 1, 2)])
        assert ensemble.trace[-1]["offered"] == [1, 0.5]
        assert ensemble.trace[-1]["passed_on"] == [0.5, 0.25]
        assert ensemble.answer([t])[:2] == (1, [0, pytest.approx(23.02585093)])  # learner 1 is cut off


def test_oza_normalised_by_the_number_of_examples():
    """Form of the 2001 paper: n / (2 sc), n / (2 sw). Rows: right-right, right-wrong, wrong-right."""
    ensemble = Oza(
        scripted([[1, 1, -1], [1, -1, 1]]), 2, 0, width=1, n_classes=2, draw="weight", normalise="n"
    )
    chains = []
    for t in range(3):
        ensemble.learn([t], 1)
        chains.append(ensemble.trace[-1]["offered"] + ensemble.trace[-1]["passed_on"][1:])
    # 1 -> 1/2 -> 1/2 * 1/(2 * 1/2) = 1/2;   1 -> 2/(2*2) = 1/2 -> 1/2 * 2/(2 * 1/2) = 1;
    # 1 -> 3/(2*1) = 3/2 -> sc = 1/2 + 3/2 = 2: 3/2 * 3/(2*2) = 9/8
    assert chains == [[1, 0.5, 0.5], [1, 0.5, 1], [1, 1.5, 1.125]]


def test_osboost_steps():
    steps, script = tables.osboost_table()
    ensemble = OSBoost(scripted(script), 3, 0, width=1, n_classes=2, gamma=tables.OSBOOST_GAMMA)
    for t, (y, weights) in enumerate(steps):
        ensemble.learn([t], y)
        assert ensemble.trace[-1]["w"] == pytest.approx(weights, rel=1e-13)


def test_bayes_steps():
    steps, script = tables.bayes_table()
    ensemble = Bayes(
        scripted(script), 2, 0, width=1, n_classes=2, feature_fraction=None, **tables.BAYES_OPTIONS
    )
    for t, step in enumerate(steps):
        assert ensemble.answer([t]).scores == pytest.approx([step["score"]], abs=1e-14)
        ensemble.learn([t], step["y"])
        assert pytest.approx(step["loss_sum"], rel=1e-14) == ensemble.S
        assert ensemble.lam() == pytest.approx(step["lambda"], rel=1e-14)


def test_bagging_steps():
    ensemble = Bagging(
        scripted([[2 * a - 1 for a in lane] for lane in tables.BAGGING_SCRIPT]),
        3,
        tables.BAGGING_KEY,
        width=1,
        n_classes=2,
    )
    for t, step in enumerate(tables.bagging_table()):
        answer = ensemble.answer([t])
        if tables.BAGGING_ANSWERS[t] is not None:
            assert answer.label == tables.BAGGING_ANSWERS[t]
            assert answer.proba[1] == pytest.approx(tables.BAGGING_SHARES[t])
        ensemble.learn([t], tables.BAGGING_LABELS[t], step[0][0])
        assert ensemble.trace[-1]["amount"] == [copies for _, _, copies in step]
        for lane, (_, uniform, _) in enumerate(step):
            assert draws.uniform(tables.BAGGING_KEY, t, lane, draws.POISSON) == pytest.approx(
                uniform, abs=1e-6
            )
