"""Step tables of the boosters after 2012, worked out by hand; the oracles and the product agree with them.

chain_steps.csv. Three learners, judged by what they said before they learn; untrained ones are wrong. `offered` is what each
gets, in the order of the lanes. Costs 1/2 and 1 of the classes 0 and 1.
    adac2     row 0  all wrong, C = 1: lam = 1, then 1 * 1 / (2 * 1) = 1/2, then 1/2 * 1/2 / (2 * 1/2) = 1/4
              row 1  C = 1/2. 0 right: T = 2, right = 1/2, lam = 1/2 * 2 / 1 = 1. 1 wrong: T = 3/2, wrong = 1/2 + 1/2,
                     lam = 1/2 * 3/2 / 2 = 3/8
              row 2  C = 1. 0 right: T = 3, right = 3/2, lam = 1. 1 right: T = 5/2, right = 1, lam = 5/4
              row 3  C = 1/2. 0 wrong: T = 4, wrong = 3/2, lam = 2 / 3. 1 right: T = 19/6, right = 4/3,
                     lam = 1/3 * 19/6 / (8/3) = 19/48
              answers  1: nobody may vote, 1 is the frequent class. 2: right over wrong is 1/2, 0, 3/4: nobody again, and the
                     classes are even: the lower code. 3: 0 has 3/2 over 1, ln 3/2 for what it says; 1 has 1 over 1
    csb2      row 1  0 right: e = w = 1/2, lam = 1 / 1. 1 wrong: e = 1, w = 1 / (3/2), lam = 1/2 / (5/3) = 3/10
              row 2  0 right: e = w = 1/3, lam = 1/2 / (2/3) = 3/4. 1 right: T = 9/4, e = 2/3, w = 4/9,
                     lam = 3/4 * 2 / (10/9) = 27/20
    rusboost  row 1  the sums of lambda and 1 are 1 and 2, 1 and 3/2, 1 and 5/4: of lam = 1, 1, 1/2 there are 1/2, 2/3, 2/5
              row 2  class 0 is the rare one now: lam itself. 0 right: T = 3, sc = 2, lam = 3/4. 1 right: T = 9/4, sc = 3/4,
                     lam = 9/8
    bole      T is the number of examples.
              row 0  in the order 0 1 2: lam = 1, 1 * 1 / (2 * 1), 1/2 * 1 / (2 * 1/2)
              row 1  all have 0: 0 first, right, lam = 1 * 2 / 2; then the best left, 2: wrong, sw = 3/2, lam = 2/3; then 1
              row 2  accuracies 1/2, 4/7, 0: 2 first, right, lam = 3/2; 1: right, sc = 13/6, lam = 3/2 * 3 / (13/3) = 27/26; 0
              row 3  26/79, 13/16, 2/5: 0 first, wrong, lam = 4 / (2 * 79/26) = 52/79; the worst left, 2: right, sc = 131/79,
                     lam = 52/79 * 4 / (262/79) = 104/131; 1
              answers  3: errors 53/79, 3/16, 3/5: only 1 may vote. adob: 0 may not, so nobody is heard: the frequent class

stage_steps.csv. Streaming gradient boosting of two classes, rate 1/2; learners say multiples of ln 3, so that odds are powers of
3: p = 1/2, 3/4, 9/10. The target is (y - p) / (p (1 - p)), at most 4 in size; the weight 4 p (1 - p).
    row 1  before the stages p = 1/2, 3/4, 1/2: 1/2 / (1/4), 1/4 / (3/16), 1/2 / (1/4)
    row 2  p = 1/2, 3/4, 9/10: -3/4 / (3/16) = -4; -9/10 / (9/100) = -10, cut
    row 3  p = 1/2, 1/10, 1/4: 9/10 / (9/100) = 10, cut; 3/4 / (3/16) = 4

Numbers: the same learners, rate 1/2, about the mean of the targets so far.

Agnostic boosting: see the test.
"""

import math

import numpy as np
import pytest
from oracle import draws
from oracle.agnostic import Agnostic
from oracle.cost_boosting import CostBoosting
from oracle.reordered import Reordered
from oracle.streaming_gradient import Classes, Numbers

from golden.scripted import ScriptedLane, ScriptedLearner
from golden.tables import numbers, rows
from golden.test_golden_regression import Scripted, ScriptedBank
from streamboost import (
    AgnosticBoostingClassifier,
    CostBoostingClassifier,
    ReorderedBoostingClassifier,
    StreamingGradientBoostingClassifier,
    StreamingGradientBoostingRegressor,
)

COSTS = {0: 0.5, 1: 1.0}
CHAINS = ("adac2", "csb2", "rusboost", "bole", "adob")
ROUNDING = 1e-9  # errors are kept 1e-10 away from 0 and 1


@pytest.fixture(autouse=True)
def empty_roll():
    for kind in (ScriptedLearner, Scripted):
        kind.roll.clear()
    yield
    for kind in (ScriptedLearner, Scripted):
        kind.roll.clear()


def chain_table(model):
    """[(y, offered, answer)] and the margins script[lane][row]."""
    steps, script = [], [[], [], []]
    for line in rows("chain_steps.csv"):
        if line["model"] != model:
            continue
        y, right = int(line["y"]), line["right"] if line["right"] != "silent" else "000"
        steps.append((y, numbers(line["offered"]), int(line["answer"])))
        for lane, mark in enumerate(right):
            script[lane].append(1 if (mark == "1") == (y == 1) else -1)
    return steps, script


@pytest.mark.parametrize("model", CHAINS)
def test_chain_oracle(model):
    steps, script = chain_table(model)

    def make(columns, n_classes, seed, lane):
        return ScriptedLane(script, lane)

    options = {"width": 1, "n_classes": 2}
    if model in ("bole", "adob"):
        oracle = Reordered(make, 3, first_key(model), method=model, ballot="label", **options)
    else:
        oracle = CostBoosting(make, 3, first_key(model), algorithm=model, costs=COSTS, **options)
    for t, (y, offered, answer) in enumerate(steps):
        assert oracle.answer([float(t)]).label == answer, t
        oracle.learn([float(t)], y)
        assert oracle.trace[-1]["offered"] == pytest.approx(offered, rel=ROUNDING), t


def first_key(model):
    """One whose draws teach every lane the first row: clones find their lanes by that."""
    offered = chain_table(model)[0][0][1]
    return next(
        k for k in range(1000) if all(draws.poisson(k, 0, i, lam) > 0 for i, lam in enumerate(offered))
    )


@pytest.mark.parametrize("model", CHAINS)
def test_chain_product(model):
    steps, script = chain_table(model)
    key = first_key(model)
    if model in ("bole", "adob"):
        booster = ReorderedBoostingClassifier(
            ScriptedLearner(script),
            n_estimators=3,
            method=model,
            ballot="label",
            drift=None,
            random_state=key,
        )
    else:
        booster = CostBoostingClassifier(
            ScriptedLearner(script), n_estimators=3, algorithm=model, costs=COSTS, random_state=key
        )
    before = np.zeros(3)
    for t, (y, offered, answer) in enumerate(steps):
        assert booster.test_then_train([[float(t)]], [y], classes=[0, 1]).tolist() == [answer], t
        now = np.asarray(booster.report().lanes["weight_sum"])
        np.testing.assert_allclose(now - before, offered, rtol=ROUNDING, err_msg=f"row {t}")
        copies = [sum(w for at, w in learner.received_ if at == t) for learner in ScriptedLearner.roll]
        assert copies == [draws.poisson(key, t, i, lam) for i, lam in enumerate(offered)], t
        before = now


def stage_table():
    table = rows("stage_steps.csv")
    said = [[0, 0, 0] if line["says"] == "silent" else numbers(line["says"]) for line in table]
    return table, [[math.log(3) * x for x in lane] for lane in zip(*said, strict=True)]


def test_stages_oracle():
    table, script = stage_table()
    bank = ScriptedBank(script)
    chain = Classes(bank, 0, rate=0.5)
    for t, line in enumerate(table):
        assert chain.ask([t]) == pytest.approx(numbers(line["answer"])[0]), t
        chain.learn([t], int(line["y"]))
        targets, amounts = zip(*bank.received[-1], strict=True)
        assert targets == pytest.approx(numbers(line["target"])), t
        assert amounts == pytest.approx(numbers(line["weight"])), t


def test_stages_product():
    table, script = stage_table()
    model = StreamingGradientBoostingClassifier(
        Scripted(script),
        n_estimators=3,
        learning_rate=0.5,
        warm_up=0,
        drift=None,
        calibration=None,
        random_state=1,
    )
    for t, line in enumerate(table):
        p = model.test_then_train([[float(t)]], [int(line["y"])], classes=[0, 1], output="proba")[0, 1]
        assert p == pytest.approx(numbers(line["answer"])[0]), t
        got = [one[1:] for learner in Scripted.roll for one in learner.received_ if one[0] == t]
        targets, weights = zip(*got, strict=True)
        assert targets == pytest.approx(numbers(line["target"])), t
        assert weights == pytest.approx(numbers(line["weight"])), t


# y, what two stages say, the answer, the targets. Row 0 makes the centre, 4, and nobody learns it. Row 1: 6 - 4. Row 2: the
# centre is 5; y - 5 = -3, after half of 2 there is -4. Row 3: the centre is 4.
NUMBER_STEPS = [
    (4.0, (0, 0), None, None),
    (6.0, (0, 0), 4.0, (2.0, 2.0)),
    (2.0, (2, -6), 3.0, (-3.0, -4.0)),
    (8.0, (4, 2), 7.0, (4.0, 2.0)),
]


def test_numbers():
    script = [list(lane) for lane in zip(*(says for _, says, _, _ in NUMBER_STEPS), strict=True)]
    bank = ScriptedBank(script)
    oracle = Numbers(bank, 0, rate=0.5)
    model = StreamingGradientBoostingRegressor(
        Scripted(script), n_estimators=2, learning_rate=0.5, n_bagged=1, warm_up=0, random_state=1
    )
    for t, (y, _, answer, targets) in enumerate(NUMBER_STEPS):
        said = model.test_then_train([[float(t)]], [y])[0], oracle.ask([t])
        oracle.learn([t], y)
        if answer is None:
            assert all(map(math.isnan, said))
            assert [amount for _, amount in bank.received[-1]] == [0, 0]
            continue
        assert said == pytest.approx((answer, answer)), t
        taught = [target for learner in Scripted.roll for at, target, _ in learner.received_ if at == t]
        assert taught == pytest.approx(targets), t
        assert bank.received[-1] == [(pytest.approx(target), 1.0) for target in targets], t


class Told(ScriptedLearner):
    """One that remembers which label it was taught."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        super().partial_fit(X, y, classes, sample_weight)
        self.told_ = [*getattr(self, "told_", []), *np.asarray(y).tolist()]
        return self


# Four learners, gamma = 1/2: a step is 1/4 of g, g = ±2 ∓ 1, which is 1 if what was said is right, else 3 in size.
# y, what they say, the probability of 1 that each is taught by, probability of 1 that is answered, regret to the best label.
#   row 1  0 says 0, wrong: g = (3, -3), p goes to (0, 1). Then right ones, g = (-1, 1): 1, 3/4, 1/2.
#          <p, g> = 0 + 1 + 1/2 + 0; g sums to (0, 0). votes / (N gamma) = (1/2, 3/2): the nearest is (0, 1)
#   row 2  0 and 1 right, g = (1, -1): 1/2, 3/4, 1; 2 wrong, g = (-3, 3): 1/4; 3 wrong. <p, g> = 0 - 1/2 + 3 - 3/2; the sum of g
#          is (-4, 4), its least -4
AGNOSTIC_STEPS = [
    (1, None, (0.5, 0.5, 0.5, 0.5), 0.5, 0.0),
    (1, (0, 1, 1, 1), (0.5, 1.0, 0.75, 0.5), 1.0, 1.5),
    (0, (0, 0, 1, 1), (0.5, 0.75, 1.0, 0.25), 0.5, 5.0),
]


def test_agnostic():
    script = [
        [-1 if said is None or not said[lane] else 1 for _, said, *_ in AGNOSTIC_STEPS] for lane in range(4)
    ]
    oracle = Agnostic(lambda *a: ScriptedLane(script, a[3]), 4, 5, gamma=0.5, width=1, n_classes=2)
    model = AgnosticBoostingClassifier(
        Told(script), n_estimators=4, gamma=0.5, calibration=None, random_state=5
    )
    regret = 0.0
    for t, (y, _, by, answer, more) in enumerate(AGNOSTIC_STEPS):
        if t:
            assert oracle.answer([float(t)]).proba == pytest.approx([1 - answer, answer]), t
        oracle.learn([float(t)], y)
        p = model.test_then_train([[float(t)]], [y], classes=[0, 1], output="proba")[0, 1]
        assert t == 0 or p == pytest.approx(answer), t
        drawn = [
            int(draws.uniform(5, t, lane, draws.COIN) >= 1 - share - 1e-12) for lane, share in enumerate(by)
        ]
        assert oracle.trace[-1]["taught"] == drawn, t
        assert [learner.told_[-1] for learner in Told.roll] == drawn, t
        regret += more
        assert model.report().totals["label_regret"] == pytest.approx(regret), t
