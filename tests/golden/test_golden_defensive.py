"""Five rows of the Defensive Booster, every number worked out by hand; the oracle and the product agree with it."""

import math

import pytest
from oracle.defensive import Defensive

from golden.scripted import ScriptedLane, ScriptedLearner, ScriptedProba
from streamboost import DefensiveBoostingClassifier

SCRIPT = [[0.0, 0.6, 0.6, 0.5, -0.4]]
LABELS = [1, 1, 0, 1, 0]
# h, mu, weight taught. Row 0: nobody has learned anything, mu = 0. Row 1: theta = 0, no root: mu is the sign of h / 2.
# Row 2: the same; e = -2, so lambda = -.6 / 2 and theta = -2 / 2, with V = 4.36 and 8.
# Row 3: .35 * .5 - .65 mu = 0. Then lambda = -.3 + e (h + mu) / 2 / sqrt(4.36), theta = -1 + mu e / sqrt(8).
MU3 = 0.175 / 0.65
LAMBDA = -0.3 + (1 - MU3) * (0.5 + MU3) / 2 / math.sqrt(4.36)
THETA = -1 + MU3 * (1 - MU3) / math.sqrt(8)
MU4 = (1 + LAMBDA) * 0.4 / ((1 - LAMBDA) * THETA)
STEPS = [(0.0, 0.5), (1.0, 0.0), (1.0, 1.0), (MU3, (1 - MU3) / 2), (MU4, (1 + MU4) / 2)]


def test_the_numbers_are_what_the_eye_expects():
    assert pytest.approx(0.26923, abs=1e-5) == MU3
    assert pytest.approx(-0.1654, abs=1e-4) == LAMBDA
    assert pytest.approx(-0.9304, abs=1e-4) == THETA
    assert pytest.approx(-0.3079, abs=1e-4) == MU4


def test_the_product_takes_these_steps():
    model = DefensiveBoostingClassifier(ScriptedProba(SCRIPT), calibration=None, random_state=0)
    for t, (y, (mu, weight)) in enumerate(zip(LABELS, STEPS, strict=True)):
        p = model.test_then_train([[float(t)]], [y], classes=[0, 1], output="proba")[0, 1]
        assert p == pytest.approx((1 + mu) / 2), t
        taught = sum(w for at, w in ScriptedLearner.roll[0].received_ if at == t)
        assert taught == pytest.approx(weight), t
    assert model.report().broken() == ()


def test_the_oracle_takes_these_steps():
    oracle = Defensive(lambda *_: ScriptedLane(SCRIPT, 0), 0, width=1, n_classes=2)
    for t, (y, (mu, weight)) in enumerate(zip(LABELS, STEPS, strict=True)):
        assert oracle.answer([float(t)]).scores == pytest.approx([mu]), t
        oracle.learn([float(t)], y)
        assert oracle.trace[-1]["amount"] == pytest.approx([weight]), t
