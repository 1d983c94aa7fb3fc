"""Log loss and calibration error before and after calibration: boosters over data sets and built-in streams.

    python -m benchmarks.accuracy.calibration

Test, then train, in the order of the stream; rows of sets that are no streams are shuffled. Calibration changes nothing inside
the ensemble, so before and after are the same run. The sets are those of the folder STREAMBOOST_DATA.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import streamboost as sb
from benchmarks.accuracy.data import IN_ORDER
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost import streams
from streamboost.evaluate import reliability

BOOSTERS: dict[str, Any] = {
    "naive Bayes alone": lambda **o: sb.SingleLearnerClassifier(sb.NaiveBayes(), **o),
    "bagging of naive Bayes": lambda **o: sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=10, **o),
    "Oza boosting of naive Bayes": lambda **o: sb.OnlineBoostingClassifier(
        sb.NaiveBayes(), n_estimators=10, **o
    ),
    "OSBoost of perceptrons": lambda **o: sb.OSBoostClassifier(
        sb.Perceptron(scale="standard"), n_estimators=20, **o
    ),
    "random forest": lambda **o: sb.AdaptiveRandomForestClassifier(n_estimators=5, **o),
}
SETS = (
    "splice", "mushrooms", "a9a", "ijcnn1", "cod-rna-train", "kr-vs-kp", "nursery", "connect-4", "census-income-test",
    "covtype", "drift-agr-abrupt", "drift-sea", "drift-rbffast", "drift-wave", "powersupply", "luxembourg",
)  # fmt: skip
METHODS = ("temperature", "platt", "beta", "platt+bins")
CELLS = 250_000
"""Rows times columns at most."""


def rows_of(name: str, most: int) -> Any:
    """The rows of a set in memory, as many as a run takes."""
    stream = streams.open_stream(name, seed=1, limit=None if name in SETS else most)
    read = streams.to_arrays(stream, 4 * most if name in SETS else most)
    width = read.X.shape[1]
    most = min(most, max(2000, CELLS // width)) if name in SETS else most
    order = np.arange(len(read.y))
    if name in SETS and not name.startswith(IN_ORDER):
        order = np.random.default_rng(1).permutation(len(read.y))
    return read.permuted(order[:most].astype(np.int64))


def judged(proba: Any, codes: Any) -> tuple[float, float]:
    """Log loss, and the calibration error of the answered class (two classes: of the second one)."""
    rows = np.arange(len(codes))
    loss = float(-np.log(np.clip(proba[rows, codes], 1e-6, 1)).mean())
    event = np.ones(len(codes), dtype=np.int64) if proba.shape[1] == 2 else proba.argmax(axis=1)
    return loss, reliability(codes == event, proba[rows, event]).error


def run(name: str, booster: str, most: int) -> dict[str, Any] | None:
    """One ensemble over one set, raw and calibrated by each method."""
    data = rows_of(name, most)
    labels, codes = np.unique(data.y, return_inverse=True)
    make = BOOSTERS[booster]
    if len(labels) > 2 and booster.startswith("OSBoost"):
        return None
    found: dict[str, Any] = {"set": name, "booster": booster, "rows": len(codes)}
    for method in (None, *METHODS):
        model = make(random_state=1, calibration=method, categorical_features=data.nominal)
        proba = model.test_then_train(data.X, data.y, classes=labels, output="proba")
        found[str(method)] = judged(proba, codes)
    return found


def main() -> None:
    options = parser("accuracy.calibration", __doc__)
    options.add_argument("--only", default="", help="one set; nothing is written without --out")
    args = options.parse_args()
    sets = SETS[:3] if args.quick else SETS
    built_in = ("sea", "hyperplane", "agrawal", "rbf", "waveform")[: 1 if args.quick else None]
    most = 3000 if args.quick else 10_000
    args.quick |= bool(args.only)
    page = Page("calibration", "Calibration", args)
    table = Table(
        "Medians over the sets, test then train",
        ["ensemble", "sets", "log loss, raw", *METHODS, "calibration error, raw", *METHODS],
    )
    worst, poor, helped = dict.fromkeys(METHODS, -1.0), 0, dict.fromkeys(METHODS, 0)
    for booster in BOOSTERS:
        ran = []
        for name in (*sets, *built_in) if not args.only else (args.only,):
            found = run(name, booster, most if name in SETS else 20_000)
            if found is None:
                continue
            pairs = [found[str(method)] for method in (None, *METHODS)]
            ran.append(pairs)
            if found["rows"] >= 2000:
                worst = {
                    m: max(worst[m], p[0] - pairs[0][0]) for m, p in zip(METHODS, pairs[1:], strict=True)
                }
            if pairs[0][1] > 0.05:
                poor += 1
                for method, pair in zip(METHODS, pairs[1:], strict=True):
                    helped[method] += pair[0] <= 0.8 * pairs[0][0]
            sys.stderr.write(f"{name} {booster} {[f'{p[0]:.4f}/{p[1]:.3f}' for p in pairs]}\n")
        if ran:
            table.add(booster, len(ran), *np.median(ran, axis=0).T.ravel().tolist())
    page.preface.append(
        f"- Of {poor} pairs with a raw calibration error above 0.05, the log loss falls by at least 20 % on "
        + ", ".join(f"{n} ({method})" for method, n in helped.items())
        + ". The largest change for the worse on 2,000 rows or more: "
        + ", ".join(f"{loss:+.4f} ({method})" for method, loss in worst.items())
        + "."
    )
    page.add(table)
    page.write()


if __name__ == "__main__":
    main()
