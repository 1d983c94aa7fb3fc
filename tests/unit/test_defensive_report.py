"""What report() says of the Defensive Booster: both sides of its promises, and of many pairs of numbers the few that matter."""

import json
import math

import numpy as np
import pytest
from golden.scripted import ScriptedLane, ScriptedLearner, ScriptedProba
from oracle import bounds
from oracle.defensive import Defensive

import streamboost as sb

N = 700


def answers(kind):
    """The learner's answers and the labels: also such as turn, and such as are always against the learner."""
    rng = np.random.default_rng(4)
    h = rng.uniform(-1, 1, N)
    y = np.where(rng.random(N) < (1 + h) / 2, 1, 0)
    if kind == "turning":
        y[N // 2 :] = 1 - y[N // 2 :]
    if kind == "against":
        y = (h < 0).astype(int)
    if kind == "one sided":
        h, y = np.ones(N), np.ones(N, dtype=int)
    return h.round(3), y


def learned(h, y, adaptive):
    """The product and the oracle after the same rows."""
    ScriptedLearner.roll.clear()
    script = [h.tolist()]
    model = sb.DefensiveBoostingClassifier(
        ScriptedProba(script), adaptive=adaptive, calibration=None, random_state=0
    )
    model.partial_fit(np.arange(len(y), dtype=float)[:, None], y, classes=[0, 1])
    oracle = Defensive(lambda *_: ScriptedLane(script, 0), 0, adaptive=adaptive, width=1, n_classes=2)
    for t, label in enumerate(y.tolist()):
        oracle.learn([float(t)], label)
    return model.report(), oracle


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("kind", ["plain", "turning", "against", "one sided"])
def test_both_sides_of_the_promises(kind, adaptive):
    report, oracle = learned(*answers(kind), adaptive)
    told = [[step[name] for step in oracle.trace] for name in ("h", "mu", "y")]
    expected = bounds.defensive_gains(*told, adaptive)
    found = {bound.name: bound for bound in report.bounds}
    assert set(found) == {"gain of the learner", "gain of the probability itself", "certificate"}
    for name, (left, right) in zip(list(found)[:2], expected, strict=True):
        assert found[name].lhs == pytest.approx(left, abs=1e-6)
        assert left <= right <= found[name].rhs * (1 + 1e-9)
        assert found[name].premise_holds
    weight = sum(abs(step["e"]) for step in oracle.trace)
    assert found["certificate"].rhs == pytest.approx(found["gain of the learner"].rhs / weight)
    assert report.broken() == ()
    if not adaptive:
        assert expected[0][1] == pytest.approx(found["gain of the learner"].rhs)


@pytest.mark.parametrize("n", [1, 2, 3, 64, 127, N])
def test_of_many_pairs_the_strongest_is_told(n):
    h, y = answers("turning")
    report, oracle = learned(h[:n], y[:n], True)
    says = {level: pair.eta() * math.exp(pair.log_w) for level, pair in oracle.pairs.items()}
    best = max(says, key=says.__getitem__)
    assert report.totals["pairs_alive"] == len(says) == n.bit_length()
    assert report.totals["strongest_pair_share"] == pytest.approx(says[best] / sum(says.values()), rel=1e-6)
    assert report.totals["strongest_pair_length"] == 2**best
    assert report.totals["strongest_pair_since"] == oracle.pairs[best].start
    assert report.lanes["lambda"] == pytest.approx([oracle.pairs[best].lam], abs=1e-6)
    assert report.lanes["theta"] == pytest.approx([oracle.pairs[best].theta], abs=1e-6)


def test_the_report_fits_on_a_screen():
    X = np.random.default_rng(0).normal(size=(N, 2))
    plain, adaptive = (
        sb.DefensiveBoostingClassifier(adaptive=adaptive, random_state=1)
        .partial_fit(X, X[:, 0] > 0, classes=[False, True])
        .report()
        for adaptive in (False, True)
    )
    assert set(adaptive.lanes) <= set(plain.lanes)
    assert max(map(len, str(adaptive).splitlines()[:3])) <= 120
    assert "pairs_alive: 10" in str(adaptive)
    assert "k = 10" in str(adaptive)
    assert len(json.dumps(adaptive.to_dict()["lanes"])) < 400
    assert adaptive._repr_html_().count("<th") < 12
