"""Fraud: two payments in a hundred, and the fraudsters change their ways.

What helps, measured by the average precision (how pure the top of the list is) and by what the answers cost: class weights,
calibration and decisions by cost. Other libraries run beside ours if they are installed: a forest of River, and LightGBM
refitted on a window.
"""

import importlib.util
import time

import numpy as np

from streamboost import HoeffdingTree, OnlineBaggingClassifier, StreamBoostClassifier
from streamboost.evaluate import ExpectedCost, SlidingWindow, prequential
from streamboost.evaluate.score_metrics import AveragePrecision

COLUMNS = ["amount", "hour", "distance", "speed", "age of card", "new shop", "noise 1", "noise 2"]
COSTS = {("fraud", "fine"): 50.0, ("fine", "fraud"): 1.0}


def payments(n, seed=7):
    """Make payments as arrays; in each third of the stream frauds look different."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(n) < 0.02
    X = rng.normal(size=(n, len(COLUMNS)))
    part = np.minimum(np.arange(n) * 3 // n, 2)
    for phase, columns in enumerate([(0, 2), (3, 5), (1, 4)]):
        rows = np.flatnonzero(fraud & (part == phase))
        X[np.ix_(rows, columns)] += 1.6
    X[:, 6] = 0.5 * X[:, 0] + rng.normal(size=n)
    return X, np.where(fraud, "fraud", "fine")


def setups():
    """Name every model and how it is made."""
    yield "bagged trees", OnlineBaggingClassifier(HoeffdingTree(), n_estimators=20, random_state=1)
    yield (
        "bagged trees, balanced",
        OnlineBaggingClassifier(HoeffdingTree(), n_estimators=20, random_state=1, class_weight="balanced"),
    )
    yield "StreamBoost", StreamBoostClassifier(random_state=1)
    yield (
        "StreamBoost, calibrated, by cost",
        StreamBoostClassifier(
            random_state=1,
            calibration="platt+bins",
            decision="cost",
            decision_costs=COSTS,
        ),
    )
    if importlib.util.find_spec("river"):
        from river import forest

        yield "River: adaptive random forest", forest.ARFClassifier(n_models=10, seed=1)
    if importlib.util.find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        yield (
            "LightGBM on the last 2,000 rows",
            SlidingWindow(LGBMClassifier(n_jobs=1, verbose=-1), window=2000, every=500),
        )


def main(n=6_000):
    """Run all of them over the same payments."""
    X, y = payments(n)
    print(f"{n:,} payments, {np.mean(y == 'fraud'):.1%} fraud\n")
    print(f"{'model':<36}{'average precision':>18}{'cost per payment':>18}{'seconds':>9}")
    for name, model in setups():
        begun = time.process_time()
        result = prequential(
            model, (X, y), classes=["fine", "fraud"], metrics=[AveragePrecision("fraud"), ExpectedCost(COSTS)]
        )
        precision, cost = (result.metrics[m]["cumulative"].value for m in ("average_precision", "cost"))
        print(f"{name:<36}{precision:>18.3f}{cost:>18.3f}{time.process_time() - begun:>9.1f}")


if __name__ == "__main__":
    main()
