"""The oracles of the two-class boosters reproduce the step tables."""

import math

import numpy as np
import pytest
from oracle import bounds
from oracle.adaboost_ol import AdaBoostOL
from oracle.bbm import BBM
from oracle.exp import EXP
from oracle.ocp import OCP
from oracle.ogboost import OGBoost

from golden import binary_tables as tables
from golden.scripted import ScriptedLane


def scripted(script):
    return lambda columns, n_classes, seed, lane: ScriptedLane(script, lane)


def make(kind, script, n=3, **options):
    return kind(scripted(script), n, 0, width=1, n_classes=2, **options)


def test_ocp_steps():
    steps, script = tables.ocp_table()
    model = make(OCP, script, gamma=tables.OCP_GAMMA, step="1/sqrt(t)")
    for t, (y, answer, alpha) in enumerate(steps):
        assert model.answer([t]).label == answer, t
        model.learn([t], y)
        assert model.alpha == pytest.approx(alpha, abs=1e-15), t


@pytest.mark.parametrize(("step", "row"), [("1/sqrt(Nt)", 2), ("sqrt(2/(Nt))", 5)])
def test_ocp_other_step_rules(step, row):
    """At row 2 of the first rule and row 5 of the second the step is 1/3: (1/2, 1/6, 0) less -1/9."""
    right, wrong = [1.0, 0.5, -0.5], [0.5, -0.5, -1.0]
    script = tables.transposed([[0.0] * 3, *[right] * (row - 1), wrong])
    model = make(OCP, script, gamma=tables.OCP_GAMMA, step=step)
    for t in range(row + 1):
        model.learn([t], 1)
    assert model.alpha == pytest.approx([11 / 18, 5 / 18, 2 / 18])


def test_exp_steps():
    steps, script = tables.exp_table()
    halving, anytime, best = (
        make(EXP, script, **options) for options in ({"hedge_rate": math.log(2)}, {}, {"hedge": "best"})
    )
    for t, expected in enumerate(steps):
        assert halving.shares() == pytest.approx(expected["share"])
        assert [model.answer([t]).label for model in (halving, anytime, best)] == [
            expected["vote"],
            expected["vote"],
            expected["best"],
        ], t
        for model in (halving, anytime, best):
            model.learn([t], expected["y"])
            assert model.losses == expected["loss"]
        assert halving.trace[-1]["expected"] == pytest.approx(expected["expected"])


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_ogboost_steps(loss):
    steps, script = tables.ogboost_table()
    model = make(OGBoost, script, loss=loss)
    for t, expected in enumerate(steps):
        if expected["share"] is not None and loss == "logistic":
            assert model.answer([t]).proba[1] == pytest.approx(expected["share"])
        model.learn([t], expected["y"])
        assert model.trace[-1]["w"] == pytest.approx(expected[loss])
        if loss == "logistic":
            assert model.error == pytest.approx(expected["error"])


def test_ogboost_shrinkage():
    """Half steps: after one right answer the weight is 1 / (1 + sqrt 2)."""
    _, script = tables.ogboost_table()
    model = make(OGBoost, script, shrinkage=0.5)
    model.learn([0], 1)
    assert model.trace[-1]["w"] == pytest.approx([1 / (1 + 2 ** (i / 2)) for i in range(4)])


def test_ogboost_choices():
    steps, script = tables.ogboost_choices()
    model = make(OGBoost, script, n=1, n_candidates=3)
    for t, (y, error, chosen, answer) in enumerate(steps):
        assert model.answer([t]).label == answer, t
        model.learn([t], y)
        assert model.error == error
        assert model.trace[-1]["chosen"] == [chosen]
        assert model.trace[-1]["offered"] == [0.5] * 3
        assert not model.doubt


def test_bbm_steps():
    steps, script = tables.bbm_table()
    model = make(BBM, script, edge=tables.BBM_EDGE)
    for t, expected in enumerate(steps):
        assert model.answer([t]).label == expected["answer"], t
        model.learn([t], expected["y"])
        got = model.trace[-1]
        assert got["w"] == pytest.approx(expected["w"])
        assert got["amount"] == pytest.approx(expected["amount"])
        assert [got["y"] * h for h in got["h"]] == expected["z"]
        left, right = bounds.errors_accounted_for([expected["z"]], [expected["w"]], tables.BBM_EDGE)
        assert left == right


@pytest.mark.parametrize("hedge", ["vote", "best", "full"])
def test_ol_steps(hedge):
    model = make(AdaBoostOL, tables.ol_script(), weighting="importance", hedge=hedge)
    for t, (y, _, weights, alpha, losses, *answers) in enumerate(tables.OL_STEPS):
        assert model.answer([t]).label == answers[["vote", "best", "full"].index(hedge)], t
        model.learn([t], y)
        assert model.trace[-1]["amount"] == pytest.approx(weights, rel=1e-13)
        assert model.alpha == pytest.approx(alpha, rel=1e-13)
        assert model.losses == losses
    e = math.e
    np.testing.assert_allclose(model.shares(), [1 / (2 + e), 1 / (2 + e), e / (2 + e)])
