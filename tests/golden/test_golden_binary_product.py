"""The product reproduces the step tables of the two-class boosters, driving scripted learners through the public face."""

import math

import numpy as np
import pytest
from oracle import draws

from golden import binary_tables as tables
from golden.scripted import ScriptedLearner, ScriptedProba
from streamboost import AdaBoostOLClassifier, OGBoostClassifier, OnlineBBMClassifier, OSBoostClassifier


def make(kind, script, n=3, learner=ScriptedProba, **options):
    return kind(learner(script), n_estimators=n, calibration=None, random_state=0, **options)


def learn(model, t, y):
    """The answer before, then the lesson."""
    return int(model.test_then_train([[float(t)]], [y], classes=[0, 1])[0])


def received(t):
    """What the learners were taught on row t, in lane order."""
    return [sum(w for at, w in learner.received_ if at == t) for learner in ScriptedLearner.roll]


def lane(model, name):
    return model.report().lanes[name]


@pytest.mark.parametrize("projection", ["sort", "pivot"])
def test_ocp_steps(projection):
    steps, script = tables.ocp_table()
    model = make(
        OSBoostClassifier, script, gamma=tables.OCP_GAMMA, vote="ocp", step="1/sqrt(t)", projection=projection
    )
    for t, (y, answer, alpha) in enumerate(steps):
        assert learn(model, t, y) == answer, t
        np.testing.assert_allclose(lane(model, "alpha"), alpha, atol=1e-14, err_msg=f"row {t}")


@pytest.mark.parametrize("projection", ["sort", "pivot"])
@pytest.mark.parametrize(("step", "row"), [("1/sqrt(Nt)", 2), ("sqrt(2/(Nt))", 5)])
def test_ocp_other_step_rules(step, row, projection):
    right, wrong = [1.0, 0.5, -0.5], [0.5, -0.5, -1.0]
    script = tables.transposed([[0.0] * 3, *[right] * (row - 1), wrong])
    model = make(
        OSBoostClassifier, script, gamma=tables.OCP_GAMMA, vote="ocp", step=step, projection=projection
    )
    for t in range(row + 1):
        learn(model, t, 1)
    np.testing.assert_allclose(lane(model, "alpha"), [11 / 18, 5 / 18, 2 / 18], rtol=1e-12)


@pytest.mark.parametrize(
    ("answer", "options"),
    [("vote", {}), ("vote", {"hedge_rate": math.log(2)}), ("best", {"hedge": "best"})],
    ids=["anytime", "halving", "best"],
)
def test_exp_steps(answer, options):
    steps, script = tables.exp_table()
    model = make(OSBoostClassifier, script, vote="exp", **options)
    expected_loss = 0.0
    for t, expected in enumerate(steps):
        if t and "hedge_rate" in options:
            shares = np.exp(lane(model, "hedge_log_weight"))
            np.testing.assert_allclose(shares / shares.sum(), expected["share"], rtol=1e-12)
        assert learn(model, t, expected["y"]) == expected[answer], t
        assert lane(model, "expert_loss").tolist() == expected["loss"]
        expected_loss += expected["expected"]
        if "hedge_rate" in options:
            assert model.report().totals["expected_loss"] == pytest.approx(expected_loss)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_ogboost_steps(loss):
    steps, script = tables.ogboost_table()
    model = make(OGBoostClassifier, script, loss=loss)
    for t, expected in enumerate(steps):
        if t and expected["share"] is not None and loss == "logistic":
            p = model.predict_proba([[float(t)]])[0, 1]
            assert p == pytest.approx(expected["share"], rel=1e-12)
        learn(model, t, expected["y"])
        np.testing.assert_allclose(received(t), expected[loss][:3], rtol=1e-12, err_msg=f"row {t}")
        if loss == "logistic":
            np.testing.assert_allclose(
                lane(model, "error"), expected["error"], rtol=1e-12, err_msg=f"row {t}"
            )


def test_ogboost_choices():
    steps, script = tables.ogboost_choices()
    model = make(OGBoostClassifier, script, n=1, n_candidates=3)
    for t, (y, error, _, answer) in enumerate(steps):
        assert learn(model, t, y) == answer, t
        assert lane(model, "error").tolist() == error
        assert received(t) == [0.5] * 3


def test_bbm_steps():
    steps, script = tables.bbm_table()
    model = make(OnlineBBMClassifier, script, edge=tables.BBM_EDGE, learner=ScriptedLearner)
    before = np.zeros(3)
    for t, expected in enumerate(steps):
        assert learn(model, t, expected["y"]) == expected["answer"], t
        offered = lane(model, "weight_sum")
        np.testing.assert_allclose(offered - before, expected["amount"], atol=1e-14, err_msg=f"row {t}")
        before = offered
        assert received(t) == pytest.approx(expected["amount"][: len(ScriptedLearner.roll)], rel=1e-12)


@pytest.mark.parametrize("hedge", ["vote", "best", "full"])
def test_ol_steps(hedge):
    model = make(AdaBoostOLClassifier, tables.ol_script(), weighting="importance", hedge=hedge)
    for t, (y, _, weights, alpha, losses, *answers) in enumerate(tables.OL_STEPS):
        assert learn(model, t, y) == answers[["vote", "best", "full"].index(hedge)], t
        np.testing.assert_allclose(received(t), weights, rtol=1e-12, err_msg=f"row {t}")
        np.testing.assert_allclose(lane(model, "alpha"), alpha, rtol=1e-12, atol=1e-14, err_msg=f"row {t}")
        assert lane(model, "expert_loss").tolist() == losses


def test_ol_coins():
    """.OL: the whole example where the keyed coin of (example, lane) falls below the weight, 1/2 at the start."""
    for key in range(20):
        ScriptedLearner.roll.clear()
        model = AdaBoostOLClassifier(ScriptedProba([[1.0]] * 4), n_estimators=4, random_state=key)
        learn(model, 0, 1)
        heads = sum(draws.uniform(key, 0, i, draws.COIN) < 0.5 for i in range(4))
        assert received(0) == [1.0] * heads
