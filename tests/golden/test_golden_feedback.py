"""Rows of the boosters of feedback and of label sets, worked out by hand; the oracles and the product agree with them.

Three labels, three scripted learners; untrained ones say 0, or nothing. Edge 1/4, so that with one label in the set (and for
bandits) a vote falls on the right one with p = 1/2, on each other with q = 1/4; with two in the set 5/12 each, 1/6 on the third.

Bandits. The walk of a rival's lead after one vote: 1 with 1/4, 0 with 1/4, -1 with 1/2; after two: d(1) = 1/8, d(0) = 5/16,
d(-1) = 1/4. With a the leads of r: C[r, l] - C[r, r] = d(a_l - 1) + sum of d(a_j).
    row 0  1 is shown with probability 1/4 and right, 0 thought best: L = (0, 0, 4), I = (1, 1, -3).
           0 (two to come): all C are 1/4 + 5/8 = 7/8: c = 7/8 (sum I - I): (-7/4, -7/4, 7/4); 1 is one of the cheapest: 7/2.
           1 (one to come, 0 ahead): C[0, .] = 3/4, C[1, 0] = C[2, 0] = 3/4, the others 5/4: c = (-3/2, -3, 2): 13/2
           2 (none, 0 ahead by 2): C[0, .] = 0, the others 1: c = (-2, -3, 1): 5
           olm: all votes count 0, so sigma = 1/2: c = (sum I - I) / 2 - I = (-2, -2, 4): 6. They said 0:
           f' = (I_1 + I_2) / 2 - I_0 = -2, a step of rho / 9 = 1/10: alpha = 1/5
    row 1  they say 1, 2, 1; 1 is shown with 3/4 and wrong, and thought best: L = (0, 4/3, 0), I = (1, -1/3, 1).
           0: c = 7/8 (5/3 - I) = (7/12, 7/4, 7/12): 7/6 for 0 or 2
           1 (1 ahead): C[0, 1] = C[2, 1] = C[1, .] = 3/4, C[0, 2] = C[2, 0] = 5/4: c = (1, 3/2, 1): 1/2 for 0 or 2
           2 (1 and 2 level): C[1, 0] = C[2, 0] = 2, C[1, 2] = C[2, 1] = 1, C[0, .] = 0: c = (4/3, 1, -1/3): 3 for 2
           olm, b = sigma(1/5), a = 1 - b: c = (-2/3, 4/3, -2/3): 2; c = -b - a/3 for 0 and 2, 2 b + 2 a/3 for 1: 3 b + a;
           (2 a/3 - 2 b, b + a/3 + 2/3, b - a - 2/3): 6 b - 2 a for 0
    row 2  they say 2, 2, 0; 2 is shown with 3/4 and right, and thought best: I = (-1/3, -1/3, 1).
           0: c = 7/8 (1/3 - I) = (7/12, 7/12, -7/12): 7/3.  1 (2 ahead): c = (1/3, 1/3, -1/2): 5/3
           2 (2 ahead by 2): C[0, 1] = C[0, 2] = C[1, 0] = C[1, 2] = 1, C[2, .] = 0: c = (-1/3, -1/3, -2/3): 2/3

Label sets. f_n(a) is the expected loss of a pair with the gap a when n votes come; a learner is taught label l of the set with
its constant times max c - c[l].
    row 0  {0}. c[0] = f(1), c[1] = c[2] = (f(-1) + f(0)) / 2.
           rank:  f_2 = 1/8, 11/32, 5/8 (at 1, 0, -1): 23/64.  f_1 = 1/8, 3/8, 3/4: 7/16.  f_0 = 0, 1/2, 1: 3/4
           hinge: f_2 = 1/4, 3/4, 3/2: 7/8.  f_1 = 1/4, 3/4, 7/4: 1.  f_0 = 0, 1, 2: 3/2
           olmr:  alpha = 0: c = (-1/2, 1/4, 1/4): 3/4
    row 1  {0, 1}; they say e0, e1 and (1/2, 1/2, 0).
           rank:  0: f_2 = 14/144, 46.5/144, 94/144: 85/192 for both.  1 (0 ahead): f_1 = 0, 1/12, 3/8, 19/24 (at 2, 1, 0, -1):
                  c = (3/16, 1/12, 7/12): 19/48, 1/2.  2 (0 and 1 ahead): c = (0, 0, 1/2): 1/2 for both
           olmr:  c = (-1/4, -1/4, 1/2): 3/4 for both. The slopes are -1/4, so alpha = 1/4 / sqrt 2
    row 2  {2}; they say e2, e2, e0.
           rank:  0: 23/64.  1 (2 ahead): c[2] = f_1(2) = 0, c[0] = (f_1(0) + f_1(1)) / 2: 1/4.  2 (by 2): nothing to lose: 0
           olmr, s = alpha: c = 3/4, then 3/2 sigma(-s), 3/2 sigma(-2 s)
"""

import math

import numpy as np
import pytest
from oracle import draws
from oracle.bandit import Bandit
from oracle.label_ranking import BMR, OLMR
from oracle.potential import Pairwise
from sklearn.base import BaseEstimator, ClassifierMixin

from streamboost import AdaOLMRClassifier, BanditBoostingClassifier, OnlineBMRClassifier

KEY, LABELS = 5, [0, 1, 2]
B = 1 / (1 + math.exp(-0.2))
A = 1 - B
ALPHA = 1 / (4 * math.sqrt(2))


def sigma(z):
    return 1 / (1 + math.exp(-z))


class Scripted(ClassifierMixin, BaseEstimator):
    """For the product: script[lane][row] is a distribution; a clone finds its lane by the order of first lessons."""

    def __init__(self, script=None, roll=None):
        self.script, self.roll = script, roll

    def __sklearn_clone__(self):
        return Scripted(self.script, self.roll)

    def __deepcopy__(self, memo):
        return Scripted(self.script, self.roll)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if not hasattr(self, "lane_"):
            self.lane_, self.lessons_, self.classes_ = len(self.roll), [], np.array(LABELS)
            self.roll.append(self)
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        self.lessons_ += [(int(x[0]), int(l), float(w)) for x, l, w in zip(X, y, weight, strict=True)]
        return self

    def predict_proba(self, X):
        return np.array([self.script[self.lane_][int(x[0])] for x in X], dtype=float)

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


class Lane:
    """The same for the oracles."""

    def __init__(self, script):
        self.script, self.lessons = script, []

    def answer(self, x):
        return np.array(self.script[int(x[0])], dtype=float) if self.lessons else np.zeros(3)

    def vote(self, x):
        return int(self.answer(x).argmax()) if self.lessons else None

    def learn(self, x, label, weight):
        if weight > 0:
            self.lessons.append((int(x[0]), int(label), float(weight)))


def taught(lessons, t):
    return [(label, pytest.approx(weight, rel=1e-9)) for at, label, weight in lessons if at == t]


def scripts(says):
    """says[row][lane] -> script[lane][row]; row 0 is never asked of a trained learner."""
    blank = [[[1 / 3] * 3] * 3]
    return [list(lane) for lane in zip(*blank, *says, strict=True)]


def one(label):
    return [float(label == l) for l in LABELS]


BANDIT_SAYS = [[one(1), one(2), one(1)], [one(2), one(2), one(0)]]
FACTS = [(1, 1, 0.25, 0), (1, 0, 0.75, 1), (2, 1, 0.75, 2)]  # shown, reward, probability, best
EITHER = (0, 2)
BANDIT_STEPS = {
    "mbbm": [
        [(1, 7 / 2), (1, 13 / 2), (1, 5)],
        [(EITHER, 7 / 6), (EITHER, 1 / 2), (2, 3)],
        [(2, 7 / 3), (2, 5 / 3), (2, 2 / 3)],
    ],
    "olm": [
        [(1, 6), (1, 6), (1, 6)],
        [(EITHER, 2), (EITHER, 3 * B + A), (0, 6 * B - 2 * A)],
    ],
}


@pytest.mark.parametrize("base", ["mbbm", "olm"])
def test_bandits(base):
    script, roll = scripts(BANDIT_SAYS), []
    tables = Pairwise(3, 0.25)
    oracle = Bandit(
        [Lane(lane) for lane in script],
        3,
        base,
        0.9,
        lambda s, r, left: tables.phi(left, s, r),
        lambda t, lane: draws.uniform(KEY, t, lane, draws.BANDIT),
    )
    model = BanditBoostingClassifier(
        Scripted(script, roll),
        labels=LABELS,
        base=base,
        n_estimators=3,
        edge=0.25,
        exploration=0.9,
        random_state=KEY,
    )
    for t, (expected, (shown, reward, p, best)) in enumerate(zip(BANDIT_STEPS[base], FACTS, strict=False)):
        x = np.array([[float(t)]])
        assert int(model.predict(x)[0]) == best, t
        oracle.learn(x[0], shown, reward, p, best)
        model.learn_bandit(x, [shown], [reward], [p])
        for lane, (label, weight) in enumerate(expected):
            if label is EITHER:
                label = EITHER[int(draws.uniform(KEY, t, lane, draws.BANDIT) * 2)]
            want = [(label, weight)]
            assert taught(oracle.learners[lane].lessons, t) == want, (t, lane)
            assert taught(roll[lane].lessons_, t) == want, (t, lane)


SET_SAYS = [[one(0), one(1), [0.5, 0.5, 0.0]], [one(2), one(2), one(0)]]
SETS = [(1, 0, 0), (1, 1, 0), (0, 0, 1)]
SCORES = {
    "bmr": [(0, 0, 0), (1.5, 1.5, 0), (1, 0, 2)],
    # of experts that have lost alike: the mean of what the first one, two and three say
    "olmr": [(0, 0, 0), (0, 0, 0), (ALPHA / 3, 0, 5 * ALPHA / 3)],
}
SET_STEPS = {  # what each learner is taught of each label of the set
    "rank": [
        [{0: 23 / 64}, {0: 7 / 16}, {0: 3 / 4}],
        [{0: 85 / 192, 1: 85 / 192}, {0: 19 / 48, 1: 1 / 2}, {0: 1 / 2, 1: 1 / 2}],
        [{2: 23 / 64}, {2: 1 / 4}, {}],
    ],
    "hinge": [[{0: 7 / 8}, {0: 1}, {0: 3 / 2}]],
    "olmr": [
        [{0: 3 / 4}] * 3,
        [{0: 3 / 4, 1: 3 / 4}] * 3,
        [{2: 3 / 4}, {2: 1.5 * sigma(-ALPHA)}, {2: 1.5 * sigma(-2 * ALPHA)}],
    ],
}


@pytest.mark.parametrize("kind", SET_STEPS)
def test_label_sets(kind):
    script, roll = scripts(SET_SAYS), []
    constants = [3 + 7 * draws.uniform(KEY, 0, lane, 7, 17) for lane in range(3)]
    lanes, learner = [Lane(lane) for lane in script], Scripted(script, roll)
    if kind == "olmr":
        oracle = OLMR(lanes, constants, 3, "vote", None)
        model = AdaOLMRClassifier(learner, n_estimators=3, random_state=KEY)
    else:
        oracle = BMR(lanes, constants, 3, 0.25, kind)
        model = OnlineBMRClassifier(learner, n_estimators=3, edge=0.25, loss=kind, random_state=KEY)
    scores = SCORES["olmr" if kind == "olmr" else "bmr"]
    for t, expected in enumerate(SET_STEPS[kind]):
        x, Y = np.array([[float(t)]]), np.array([SETS[t]])
        assert oracle.score(x[0]) == pytest.approx(scores[t]), t
        assert model.test_then_train(x, Y, output="score")[0] == pytest.approx(scores[t]), t
        oracle.learn(x[0], Y[0])
        for lane, weights in enumerate(expected):
            want = [(label, constants[lane] * weight) for label, weight in weights.items()]
            assert taught(lanes[lane].lessons, t) == want, (t, lane)
            assert taught(roll[lane].lessons_, t) == want, (t, lane)
