"""``python -m benchmarks.accuracy.oza_networks``: single neural networks of Oza's thesis with what it leaves open varied.

The thesis names neither the hidden units of its networks nor the size of a step. Both are varied here, for all sets alike, on
the three kinds of single network that it has (ten epochs, one update and ten updates per example); no ensemble is looked at.
Printed is ours minus the published accuracy, and the mean absolute difference. Data are found through STREAMBOOST_DATA.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product
from typing import Any

import numpy as np

from streamboost import MLP, AdaBoostM1Classifier, SingleLearnerClassifier
from streamboost.evaluate import cross_validate
from streamboost.reproduce.papers.oza2001 import DATA
from streamboost.reproduce.published import published_table
from streamboost.streams.base import ArrayStream

SETS = ("Promoters", "Balance", "Breast Cancer", "German Credit", "Car Evaluation", "Chess")
KINDS = {
    "neural_network_10epoch": "3.6",
    "neural_network_1update": "3.6",
    "neural_network_10update": "3.7",
}


def network(kind: str, hidden: int | str, rate: float, rows: ArrayStream) -> Any:
    about = {"random_state": 0, "categorical_features": rows.nominal}
    if kind == "neural_network_10epoch":
        # One model of batch boosting is a network that passes over its rows again and again.
        learner = MLP(hidden, learning_rate=rate)
        return AdaBoostM1Classifier(learner, n_estimators=1, n_passes=10, **about)
    updates = 10 if kind == "neural_network_10update" else 1
    return SingleLearnerClassifier(MLP(hidden, updates_per_example=updates, learning_rate=rate), **about)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--passes", type=int, default=2, help="of 5 folds")
    parser.add_argument("--rates", type=float, nargs="+", default=[0.1, 0.2, 0.5, 1.0])
    parser.add_argument("--hidden", type=int, nargs="+", default=[10, 30], help='beside "auto"')
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    theirs = {
        (kind, f.dataset): f.value
        for kind, table in KINDS.items()
        for f in published_table("oza2001", table).figures
        if (f.algorithm, f.learner) == ("single", kind)
    }
    sets = [(entry.title, entry.source(None).load().rows) for entry in DATA if entry.title in SETS]
    print(f"| hidden units | step | network | {' | '.join(name for name, _ in sets)} | mean |")
    print("|---|---|---|" + "---|" * (len(sets) + 1))
    for hidden, rate in product(("auto", *given.hidden), given.rates):
        every = []
        for kind in KINDS:
            found = []
            for name, rows in sets:
                model = network(kind, hidden, rate, rows)
                done = cross_validate(model, rows, repeats=given.passes, orders=1)
                found.append(1 - done.error - theirs[kind, name])
            every += found
            cells = " | ".join(f"{value:+.4f}" for value in found)
            words = kind.removeprefix("neural_network_")
            print(f"| {hidden} | {rate:g} | {words} | {cells} | {np.mean(np.abs(found)):.4f} |", flush=True)
        empty = " | ".join([""] * len(sets))
        print(f"| {hidden} | {rate:g} | all | {empty} | {np.mean(np.abs(every)):.4f} |", flush=True)


if __name__ == "__main__":
    main()
