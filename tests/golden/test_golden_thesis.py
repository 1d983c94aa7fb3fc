"""Step tables of the thesis' base models, worked out by hand, against oracle and product.

stump_steps.csv: two nominal columns a, b; after each row the gains in bits, the chosen column (0 or 1) and the class counts
of its leaves. Rows 3 to 5 are ties, which the first column wins. stump_cuts.csv: one numeric column and its cut.
"""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from oracle.single import Single
from oracle.stump import Stump

import streamboost as sb

HERE = Path(__file__).resolve().parent


def rows(name):
    with open(HERE / name, newline="") as file:
        return list(csv.DictReader(file))


def shares(text):
    counts = np.array([float(n) for n in text.split()])
    return (counts / counts.sum()).tolist()


def state(model, name):
    return model._session.model.state()[f"bank/{name}"]


def make(oracle, **options):
    return lambda columns, n_classes, seed, lane: oracle(columns, n_classes, seed, lane, **options)


@pytest.mark.parametrize("numeric", ["bins", "exact"])
def test_stump_steps(numeric):
    model = sb.SingleLearnerClassifier(sb.DecisionStump(numeric), categorical_features=[0, 1])
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


@pytest.mark.parametrize("numeric", ["bins", "exact"])
def test_stump_cuts(numeric):
    model = sb.SingleLearnerClassifier(sb.DecisionStump(numeric))
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
