"""Step tables of the multiclass boosters, for the oracles and for the product.

mbbm_steps.csv. Three labels, three learners, edge 1/4: p = 1/2, q = 1/4, the 0-1 potential. With (s_y; s_a, s_b) the votes:
    phi_1(1;0,0) = 2q = 1/2      phi_1(1;1,0) = 2q = 1/2 (a vote for b leaves the tie)      phi_1(2;0,0) = 0
    phi_1(0;..) = 1
    phi_2(1;0,0) = 2q phi_1(1;1,0) = 1/4                   phi_2(0;1,0) = p phi_1(1;1,0) + 2q = 3/4
    learner 1 (n = 2)   w = 1/4 + 2 * 3/4 - 3 * 1/4 = 1
    learner 2 (n = 1)   at (1;0,0): 0 + 2 * 1/2 - 0 = 1          at (0;1,0): 1/2 + 1 + 1 - 3/2 = 1
    learner 3 (n = 0)   at (1;1,0): its vote decides, 0 + 1 + 1 - 0 = 2          at (2;0,0), (0;2,0), (0;1,1): 0
Row 0 finds untrained learners, which all say 0.

Adaboost.OLM. Three labels, two learners, logistic loss, s = sigmoid. Step sqrt(2) / sqrt(t).
    row 0  y = 0   untrained learners say 0, all votes weigh 0: w = 1/2 each; f' = -2 s(0) = -1:  alpha = sqrt 2 = r, both
    row 1  y = 1   learner 1 says 1: w1 = 1/2, f' = -2 s(-r), step 1: alpha1 = r + 2 s(-r)   (clipped at 2)
                   learner 2 says 2: w2 = s(-r), f' = s(r - r) = 1/2: alpha2 = r - 1/2
"""

import csv
import math

import numpy as np
import pytest
from oracle.mbbm import MBBM
from oracle.olm import OLM

from golden.scripted import ScriptedLabels, scripted_lanes
from golden.tables import HERE
from streamboost import AdaBoostOLMClassifier, OnlineMBBMClassifier

R = math.sqrt(2)


def s(z):
    return 1 / (1 + math.exp(-z))


OLM_STEPS = [  # y, answers, weights, votes after
    (0, "silent", (0.5, 0.5), (R, R)),
    (1, (1, 2), (0.5, s(-R)), (min(2.0, R + 2 * s(-R)), R - 0.5)),
]


def mbbm_table():
    with open(HERE / "mbbm_steps.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    steps = [(int(line["y"]), [float(line[f"w{i}"]) for i in (1, 2, 3)]) for line in lines]
    answers = [
        [0, 0, 0] if line["answers"] == "silent" else [int(a) for a in line["answers"].split()]
        for line in lines
    ]
    return steps, [list(lane) for lane in zip(*answers, strict=True)]


def test_mbbm_oracle():
    steps, script = mbbm_table()
    booster = MBBM(
        scripted_lanes(script),
        3,
        0,
        width=1,
        n_classes=3,
        edge=0.25,
        potential="exact",
        weight_scale="paper_code",
    )
    for t, (y, weights) in enumerate(steps):
        booster.learn([float(t)], y)
        assert booster.trace[-1]["w"] == pytest.approx(weights, abs=1e-12), t


@pytest.mark.parametrize("potential", ["exact", "recursion"])
def test_mbbm_product(potential):
    steps, script = mbbm_table()
    model = OnlineMBBMClassifier(
        ScriptedLabels(script),
        n_estimators=3,
        edge=0.25,
        potential=potential,
        weight_scale="paper_code",  # their floor teaches every learner on the first row
        random_state=0,
    )
    before = np.zeros(3)
    for t, (y, weights) in enumerate(steps):
        model.partial_fit([[float(t)]], [y], classes=[0, 1, 2])
        now = model.report().lanes["potential_weight_sum"]
        np.testing.assert_allclose(now - before, weights, atol=1e-12, err_msg=f"row {t}")
        before = now


def olm_script():
    answers = [(0, 0) if said == "silent" else said for _, said, _, _ in OLM_STEPS]
    return [list(lane) for lane in zip(*answers, strict=True)]


def test_olm_oracle():
    booster = OLM(scripted_lanes(olm_script()), 2, 0, width=1, n_classes=3, weight_scale="normalised")
    for t, (y, _, weights, alpha) in enumerate(OLM_STEPS):
        booster.learn([float(t)], y)
        assert booster.trace[-1]["w"] == pytest.approx(weights, rel=1e-12), t
        assert booster.alpha == pytest.approx(alpha, rel=1e-12), t


def test_olm_product():
    model = AdaBoostOLMClassifier(
        ScriptedLabels(olm_script()), n_estimators=2, weight_scale="normalised", random_state=0
    )
    before = np.zeros(2)
    for t, (y, _, weights, alpha) in enumerate(OLM_STEPS):
        model.partial_fit([[float(t)]], [y], classes=[0, 1, 2])
        lanes = model.report().lanes
        np.testing.assert_allclose(lanes["weight_sum"] - before, weights, rtol=1e-12, err_msg=f"row {t}")
        np.testing.assert_allclose(lanes["alpha"], alpha, rtol=1e-12, err_msg=f"row {t}")
        before = lanes["weight_sum"]
