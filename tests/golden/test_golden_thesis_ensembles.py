"""Product and oracles reproduce the step tables of Arc-x4, blocked and primed boosting."""

from fractions import Fraction

import numpy as np
import pytest
from oracle import draws
from oracle.arcx4 import ArcX4
from oracle.blocked import Blocked
from oracle.primed import Primed

from golden import thesis_tables as tables
from golden.scripted import ScriptedLane, ScriptedLearner
from streamboost import (
    AdaBoostM1Classifier,
    BlockedBoostingClassifier,
    OnlineArcX4Classifier,
    PrimedOnlineBoostingClassifier,
)


def row(t):
    return np.array([[float(t)]])


def taught(lane, t):
    """What learner `lane` was taught on row t."""
    if lane >= len(ScriptedLearner.roll):
        return 0.0
    return sum(w for at, w in ScriptedLearner.roll[lane].received_ if at == t)


def oracle(kind, script, n, key=0, **options):
    def make(columns, n_classes, seed, lane):
        return ScriptedLane(script, lane)

    return kind(make, n, key, width=1, n_classes=2, **options)


def test_arcx4_steps():
    script, steps = tables.arcx4_table()
    model = OnlineArcX4Classifier(ScriptedLearner(script), n_estimators=4)
    slow = oracle(ArcX4, script, 4)
    for t, (y, s, weights, answer) in enumerate(steps):
        assert slow.answer([float(t)]).label == answer
        slow.learn([float(t)], y, s)
        assert slow.trace[-1]["amount"] == weights, f"row {t}"
        got = model.test_then_train(row(t), [y], classes=[0, 1], sample_weight=[s])
        assert got.tolist() == [answer], f"row {t}"
        assert [taught(lane, t) for lane in range(4)] == weights, f"row {t}"


def coins(chance):
    """A key whose coins refuse row 4 and take row 5."""
    return next(
        k
        for k in range(1000)
        if draws.uniform(k, 4, 2, draws.FRACTION) >= chance > draws.uniform(k, 5, 2, draws.FRACTION)
    )


@pytest.mark.parametrize("literal", [False, True])
def test_blocked_steps(literal):
    steps = tables.blocked_table()
    key = coins(float(Fraction(steps[4]["chance"])))
    script = [[1 if said else -1 for said in lane] for lane in tables.BLOCKED_SCRIPT]
    options = {"block_size": 2, "literal": literal}
    model = BlockedBoostingClassifier(ScriptedLearner(script), n_estimators=3, random_state=key, **options)
    slow = oracle(Blocked, script, 3, key, **options)
    for t, step in enumerate(steps):
        y, lane = int(step["y"]), int(step["learner"]) - 1
        expected = [0.0, 0.0, 0.0]
        if step["literal_taught" if literal else "taught"] == "1":
            expected[lane] = 1.0
        answer = slow.answer([float(t)]).label
        slow.learn([float(t)], y)
        assert slow.trace[-1]["amount"] == expected, f"row {t}"
        got = model.test_then_train(row(t), [y], classes=[0, 1])
        assert got.tolist() == [answer]
        if not literal:
            assert answer == int(step["answer"]), f"row {t}"
        assert [taught(m, t) for m in range(3)] == expected, f"row {t}"
        if not literal and lane >= 0:
            assert slow.trace[-1]["chance"] == pytest.approx(float(Fraction(step["chance"])))
            lanes = model.report().lanes
            assert (lanes["wrong"][lane], lanes["drawn"][lane]) == (int(step["e"]), int(step["t"]))


def test_primed_steps():
    script = tables.primed_script()
    key = 3
    model = PrimedOnlineBoostingClassifier(
        ScriptedLearner(script), n_estimators=3, n_prime=4, random_state=key
    )
    slow = oracle(Primed, script, 3, key, n_prime=4)
    for t, (y, answer) in enumerate(zip(tables.PRIMED_LABELS, tables.PRIMED_ANSWERS, strict=True)):
        assert slow.answer([float(t)]).label == answer, f"row {t}"
        slow.learn([float(t)], y)
        assert model.test_then_train(row(t), [y], classes=[0, 1]).tolist() == [answer], f"row {t}"
        if t + 1 not in tables.PRIMED_SUMS:
            assert ScriptedLearner.roll == []  # rows only wait
            continue
        for name, mine, sums in zip(
            ("sum_correct", "sum_wrong"), (slow.sc, slow.sw), tables.PRIMED_SUMS[t + 1], strict=True
        ):
            expected = [float(x) for x in sums]
            np.testing.assert_allclose(mine, expected, rtol=1e-12)
            np.testing.assert_allclose(model.report().lanes[name], expected, rtol=1e-12)
        if t == 3:
            for lane, weights in enumerate(tables.PRIMED_TAUGHT):
                got = [taught(lane, n) for n in range(4)]
                np.testing.assert_allclose(got, [float(w) for w in weights], rtol=1e-12)
    for t, (first, second) in {4: (1, 5 / 8), 5: (1, 3 / 2)}.items():  # copies drawn online
        assert [taught(0, t), taught(1, t)] == [
            draws.poisson(key, t, 0, first),
            draws.poisson(key, t, 1, second),
        ]


def test_adaboost_is_the_same_without_the_stream():
    script = tables.primed_script()
    model = AdaBoostM1Classifier(ScriptedLearner(script), n_estimators=3)
    model.fit(np.arange(4.0)[:, None], tables.PRIMED_LABELS[:4])
    np.testing.assert_allclose(model.estimator_errors_, [1 / 4, 1 / 6], rtol=1e-12)
    assert model.predict(np.array([[4.0], [5.0]])).tolist() == [
        0,
        0,
    ]  # learner 1 says 0 with ln 5, learner 0 says 1 with ln 3
