"""The product reproduces the step tables, driving scripted black-box learners through the public face."""

import numpy as np
import pytest
from oracle import draws

from golden import tables
from golden.scripted import ScriptedLearner, ScriptedProba
from streamboost import (
    BayesianEnsembleClassifier,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    OSBoostClassifier,
)


def row(t):
    return np.array([[float(t)]])


def weights_received(t):
    """What the learners were taught on row t, in lane order."""
    return [sum(w for at, w in learner.received_ if at == t) for learner in ScriptedLearner.roll]


def lambdas(model, before):
    """What each lane was offered since `before` was taken."""
    return np.asarray(model.report().lanes["weight_sum"]) - before


@pytest.mark.parametrize("draw", ["weight", "poisson"])
def test_oza_steps(draw):
    key = next(k for k in range(1000) if all(draws.poisson(k, 0, i, 0.5**i) > 0 for i in range(3)))
    model = OnlineBoostingClassifier(
        ScriptedLearner(tables.oza_script()), n_estimators=3, random_state=key, draw=draw
    )
    before = np.zeros(3)
    for t, (step, answer) in enumerate(zip(tables.oza_table(), tables.OZA_ANSWERS, strict=True)):
        y = [step[0]["y"]]
        assert model.test_then_train(row(t), y, classes=[0, 1]).tolist() == [answer], f"row {t}"
        offered = [float(lane["lambda_in"]) for lane in step]
        report = model.report()
        np.testing.assert_allclose(lambdas(model, before), offered, rtol=1e-12, err_msg=f"row {t}")
        before = np.asarray(report.lanes["weight_sum"])
        right, wrong = [[float(lane[name]) for lane in step] for name in ("sc", "sw")]
        np.testing.assert_allclose(report.lanes["sum_correct"], right, rtol=1e-12, err_msg=f"row {t}")
        np.testing.assert_allclose(report.lanes["sum_wrong"], wrong, rtol=1e-12, err_msg=f"row {t}")
        if draw == "weight":
            np.testing.assert_allclose(weights_received(t), offered, rtol=1e-12)
        else:
            assert weights_received(t) == [draws.poisson(key, t, i, lam) for i, lam in enumerate(offered)]


def test_oza_always_right_and_always_wrong():
    """The hand trace: learner 0 right, learner 1 wrong. Learner 0 is offered 1 and learner 1 is offered 1/2, always."""
    model = OnlineBoostingClassifier(
        ScriptedLearner([[1] * 3, [-1] * 3]), n_estimators=2, random_state=0, draw="weight"
    )
    for t in range(3):
        model.partial_fit(row(t), [1], classes=[0, 1])
        assert weights_received(t) == [1, 0.5]
        assert model.predict(row(t)).tolist() == [1]  # learner 1 is cut off


def test_oza_normalised_by_the_number_of_examples():
    model = OnlineBoostingClassifier(
        ScriptedLearner([[1, 1, -1], [1, -1, 1]]),
        n_estimators=2,
        random_state=0,
        draw="weight",
        normalise="n",
    )
    for t, offered in enumerate([[1, 0.5], [1, 0.5], [1, 1.5]]):
        model.partial_fit(row(t), [1], classes=[0, 1])
        assert weights_received(t) == pytest.approx(offered)


def test_osboost_steps():
    steps, script = tables.osboost_table()
    model = OSBoostClassifier(
        ScriptedProba(script), n_estimators=3, random_state=0, gamma=tables.OSBOOST_GAMMA
    )
    for t, (y, weights) in enumerate(steps):
        model.partial_fit(row(t), [y], classes=[0, 1])
        np.testing.assert_allclose(weights_received(t), weights[:3], rtol=1e-12, err_msg=f"row {t}")


def test_bayes_steps():
    steps, script = tables.bayes_table()
    model = BayesianEnsembleClassifier(
        ScriptedProba(script), n_estimators=2, random_state=0, **tables.BAYES_OPTIONS
    )
    for t, step in enumerate(steps):
        score = model.test_then_train(row(t), [step["y"]], classes=[0, 1], output="score")[0]
        assert score[1] - score[0] == pytest.approx(step["score"], abs=1e-14), f"row {t}"
        lanes = model.report().lanes
        np.testing.assert_allclose(lanes["loss_sum"], step["loss_sum"], rtol=1e-14, err_msg=f"row {t}")
        np.testing.assert_allclose(lanes["lambda"], step["lambda"], rtol=1e-14, err_msg=f"row {t}")
        assert weights_received(t) == [1.0, 1.0]


def test_bagging_steps():
    script = [[2 * a - 1 for a in lane] for lane in tables.BAGGING_SCRIPT]
    first = [1, 2, 0]  # lanes in the order of their first lesson: lane 0 gets nothing before row 2
    model = OnlineBaggingClassifier(
        ScriptedLearner([script[lane] for lane in first]),
        n_estimators=3,
        ballot="label",
        random_state=tables.BAGGING_KEY,
    )
    for t, step in enumerate(tables.bagging_table()):
        y, weight = [tables.BAGGING_LABELS[t]], [step[0][0]]
        label = model.test_then_train(row(t), y, classes=[0, 1], sample_weight=weight)
        if tables.BAGGING_ANSWERS[t] is not None:
            assert label.tolist() == [tables.BAGGING_ANSWERS[t]], f"row {t}"
        copies = [step[lane][2] for lane in first][: len(ScriptedLearner.roll)]
        assert weights_received(t) == copies, f"row {t}"


def test_fraction_of_one_teaches_everyone_the_weight():
    model = OnlineBaggingClassifier(
        ScriptedLearner([[1] * 3] * 3), n_estimators=3, random_state=0, sampling="fraction", fraction=1.0
    )
    for t, w in enumerate([1.0, 0.25, 3.5]):
        model.partial_fit(row(t), [1], classes=[0, 1], sample_weight=[w])
        assert weights_received(t) == [w] * 3
