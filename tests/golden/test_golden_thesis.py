"""Step tables of the thesis' base models, worked out by hand, against oracle and product.

stump_steps.csv: two nominal columns a, b; after each row the gains in bits, the chosen column (0 or 1) and the class counts
of its leaves. Rows 3 to 5 are ties, which the first column wins. stump_cuts.csv: one numeric column and its cut.
"""

import math

import numpy as np
import pytest
from oracle import draws
from oracle.mlp import sigmoid
from oracle.single import Single
from oracle.stump import Stump
from oracle.tan import Network

import streamboost as sb
from golden.tables import rows
from tests.catalogue import arrays


def shares(text):
    counts = np.array([float(n) for n in text.split()])
    return (counts / counts.sum()).tolist()


def state(model, name):
    return arrays(model)[f"bank/{name}"]


def make(oracle, **options):
    return lambda columns, n_classes, seed, lane: oracle(columns, n_classes, seed, lane, **options)


@pytest.mark.parametrize("numeric", ["bins", "exact"])
def test_stump_steps(numeric):
    model = sb.SingleLearnerClassifier(
        sb.DecisionStump(numeric), calibration=None, categorical_features=[0, 1]
    )
    oracle = Single(make(Stump, numeric=numeric), 0, width=2, nominal=[0, 1], n_classes=2)
    for t, line in enumerate(rows("stump_steps.csv")):
        x = [float(line["a"]), float(line["b"])]
        model.partial_fit([x], [int(line["y"])], classes=[0, 1])
        oracle.learn(x, int(line["y"]))
        chosen = int(line["chosen"])
        assert state(model, "best").tolist() == [[chosen]], f"row {t}"
        gains = state(model, "gain").ravel() / ((t + 1) * math.log(2))
        assert gains == pytest.approx([float(line["gain_a"]), float(line["gain_b"])], abs=1e-4), f"row {t}"
        for value in (0, 1):
            if line[f"leaf_{value}"] == "-":
                continue
            row = [value, 1 - value] if chosen == 0 else [1 - value, value]
            expected = shares(line[f"leaf_{value}"])
            assert model.predict_proba([row])[0].tolist() == expected, f"row {t}"
            assert oracle.answer(row).proba == pytest.approx(expected), f"row {t}"
    assert model.predict([[math.nan, math.nan]]).tolist() == [1]  # the majority of 3 and 4


@pytest.mark.parametrize(("learner", "n_parents"), [(sb.TAN, 1), (sb.BAN, 2)], ids=["tan", "ban"])
def test_networks_find_the_pair(learner, n_parents):
    """Class = a xor b, c a coin: given the class a and b tell each other (ln 2), c tells nothing. The tree is b, c under a."""
    table = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    y = [a ^ b for a, b, _ in table]
    model = sb.SingleLearnerClassifier(
        learner(smoothing=0, relearn="query"), calibration=None, categorical_features=[0, 1, 2]
    )
    model.partial_fit(table, y, classes=[0, 1])
    oracle = Single(
        make(Network, n_parents=n_parents, smoothing=0, relearn="query"),
        0,
        width=3,
        nominal=[0, 1, 2],
        n_classes=2,
    )
    for row, label in zip(table, y, strict=True):
        oracle.learn(row, label)
    assert state(model, "parent").ravel().tolist() == [-1, -1, 0, -1, 0, -1]
    assert oracle.lanes[0].parents == {0: [], 1: [0], 2: [0]}
    assert oracle.lanes[0].information(0, 1) == pytest.approx(math.log(2))
    assert model.predict(table).tolist() == y
    assert model.predict_proba([[0, 1, math.nan]])[0].tolist() == pytest.approx([1e-30, 1])
    # without b the row says nothing: both classes have the same share of a = 0
    assert model.predict_proba([[0, math.nan, 1]])[0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("numeric", ["bins", "exact"])
def test_stump_cuts(numeric):
    model = sb.SingleLearnerClassifier(sb.DecisionStump(numeric), calibration=None)
    oracle = Single(make(Stump, numeric=numeric), 0, width=1, n_classes=2)
    for t, line in enumerate(rows("stump_cuts.csv")):
        model.partial_fit([[float(line["x"])]], [int(line["y"])], classes=[0, 1])
        oracle.learn([float(line["x"])], int(line["y"]))
        gain = state(model, "gain")[0, 0] / ((t + 1) * math.log(2))
        assert gain == pytest.approx(float(line["gain"]), abs=1e-4), f"row {t}"
        if line["cut"] == "-":
            continue
        cut = float(line["cut"])
        assert state(model, "threshold")[0, 0] == cut, f"row {t}"
        for x, side in ((cut - 9, "left"), (cut, "left"), (cut + 0.1, "right"), (cut + 9, "right")):
            expected = shares(line[side])
            assert model.predict_proba([[x]])[0].tolist() == expected, f"row {t}, {x}"
            assert oracle.answer([x]).proba == pytest.approx(expected), f"row {t}, {x}"


def test_mlp_step():
    """One hidden unit, one numeric column, rows 0 and 2 (the second scaled to 1), both steps by hand from the keyed start."""
    model = sb.SingleLearnerClassifier(sb.MLP(hidden_units=1, learning_rate=0.5), random_state=11)

    def uniform(key, unit):
        return draws.uniform(11, key, 0, draws.START, attempt=unit) - 0.5

    first = [uniform(0, 0) / math.sqrt(2), uniform(1 << 32, 0) / math.sqrt(2)]
    top = 1 << 62
    second = [uniform(top | h, c) / math.sqrt(2) for h in (0, 1) for c in (0, 1)]
    (bias, slope), (b0, b1, v0, v1) = first, second
    for x, row, y in ((0.0, [[0.0]], 0), (1.0, [[2.0]], 1)):
        a = sigmoid(bias + slope * x)
        o0, o1 = sigmoid(b0 + a * v0), sigmoid(b1 + a * v1)
        d0, d1 = (0.5 * ((y == c) - o) * o * (1 - o) for c, o in enumerate((o0, o1)))
        d = a * (1 - a) * (d0 * v0 + d1 * v1)
        b0, b1, v0, v1 = b0 + d0, b1 + d1, v0 + d0 * a, v1 + d1 * a
        bias, slope = bias + d, slope + d * x
        model.partial_fit(row, [y], classes=[0, 1])
        assert state(model, "first").ravel().tolist() == pytest.approx([bias, slope], rel=1e-12)
        assert state(model, "second").ravel().tolist() == pytest.approx([b0, b1, v0, v1], rel=1e-12)
